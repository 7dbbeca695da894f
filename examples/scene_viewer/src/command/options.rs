//! The command line.

use std::{ffi::OsString, path::PathBuf};

use crate::ViewerError;

pub const HELP: &str = "\
Plays a glTF file's animations through the transform systems and writes a web page that draws them.

Usage: scene_viewer [OPTIONS] [FILE.gltf|FILE.glb]

Without a file it plays the walker that ships with the crate.

Options:
  -o, --output PATH   the page to write [default: scene.html]
      --scene N       the scene of the file to show, counted from 0
                      [default: the file's own choice, else all nodes]
      --fps N         frames a second, 1 to 240 [default: 30]
  -h, --help          this text
";

pub struct Options {
    pub input: Option<PathBuf>,
    pub output: PathBuf,
    pub scene: Option<usize>,
    pub frames_per_second: f32,
}

/// `None` if the help text was asked for.
pub fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Option<Options>, ViewerError> {
    use lexopt::prelude::*;
    let mut options = Options {
        input: None,
        output: PathBuf::from("scene.html"),
        scene: None,
        frames_per_second: 30.0,
    };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(None),
            Short('o') | Long("output") => options.output = parser.value()?.into(),
            Long("scene") => options.scene = Some(parser.value()?.parse()?),
            Long("fps") => {
                options.frames_per_second = parser.value()?.parse()?;
                if !(1.0..=240.0).contains(&options.frames_per_second) {
                    return Err(lexopt::Error::from("--fps takes a number from 1 to 240").into());
                }
            }
            Value(path) if options.input.is_none() => options.input = Some(path.into()),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Some(options))
}
