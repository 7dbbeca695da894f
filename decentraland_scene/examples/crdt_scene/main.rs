//! Merges the messages of Decentraland scenes, says what they make, and writes a web page that
//! shows it.
//!
//! ```text
//! cargo run --release --example crdt_scene -- [FILE.crdt...]
//! ```
//!
//! Several files are merged into one scene; their order does not matter. Without a file it merges a
//! playground that ships with it. `--output scene.html` names the page.

use std::{
    error::Error,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

#[path = "../../../examples/scene_viewer/src/pack.rs"]
mod pack;
mod page;
mod session;
mod summary;
#[path = "../../../examples/scene_viewer/src/template.rs"]
mod template;
#[path = "../../../examples/scene_viewer/src/words.rs"]
mod words;

use session::Session;
use summary::Summary;

/// What is merged without an argument.
const PLAYGROUND: &[u8] = include_bytes!("../scenes/playground.crdt");

const HELP: &str = "\
Merges the CRDT messages of Decentraland scenes, says what they make, and writes a web page that
shows it.

Usage: crdt_scene [OPTIONS] [FILE.crdt...]

Without a file it merges a playground that ships with it.

Options:
  -o, --output PATH   the page to write [default: scene.html]
  -h, --help          this text
";

struct Options {
    inputs: Vec<PathBuf>,
    output: PathBuf,
}

fn main() -> ExitCode {
    match run(std::env::args_os().skip(1)) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("crdt_scene: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: impl Iterator<Item = OsString>) -> Result<String, Box<dyn Error>> {
    let Some(options) = parse(arguments)? else { return Ok(HELP.into()) };
    let (mut inputs, mut files) = (options.inputs, Vec::new());
    for path in &inputs {
        files.push(fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?);
    }
    if inputs.is_empty() {
        inputs.push("playground.crdt".into());
        files.push(PLAYGROUND.to_vec());
    }
    let mut session = Session::default();
    let mut text = String::new();
    for (path, bytes) in inputs.iter().zip(&files) {
        let (report, ended) = session.merge(bytes);
        text += &summary::file(path, bytes.len(), &report, ended.as_ref());
    }
    session.show();
    let summary = Summary::of(&session);
    let title = inputs.iter().map(|path| name(path)).collect::<Vec<_>>().join(", ");
    let page = page::render(&title, &session, &files, &summary.findings);
    fs::write(&options.output, &page)
        .map_err(|error| format!("{}: {error}", options.output.display()))?;
    let kilobytes = page.len().div_ceil(1000);
    Ok(format!(
        "{text}{summary}{} ({kilobytes} kB): open it in a browser\n",
        options.output.display()
    ))
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// `None` if the help text was asked for.
fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Option<Options>, lexopt::Error> {
    use lexopt::prelude::*;
    let mut options = Options { inputs: Vec::new(), output: PathBuf::from("scene.html") };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(None),
            Short('o') | Long("output") => options.output = parser.value()?.into(),
            Value(path) => options.inputs.push(path.into()),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(options))
}
