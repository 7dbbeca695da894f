//! Why there is no page.

use std::{fmt, io, path::PathBuf};

use legion_transform::scene::SceneError;

#[derive(Debug)]
pub enum ViewerError {
    /// The command line.
    Usage(lexopt::Error),
    /// The file cannot be read.
    Read { path: PathBuf, error: io::Error },
    /// The file is not what glTF says it should be.
    Malformed { title: String, what: String },
    /// The file has no such scene.
    NoSuchScene { title: String, scene: usize, scenes: usize },
    /// The nodes contradict themselves.
    Scene { title: String, error: SceneError },
    /// The page cannot be written.
    Write { path: PathBuf, error: io::Error },
}

impl From<lexopt::Error> for ViewerError {
    fn from(error: lexopt::Error) -> Self {
        Self::Usage(error)
    }
}

impl fmt::Display for ViewerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(error) => write!(f, "{error}; --help lists the options"),
            Self::Read { path, error } => write!(f, "cannot read {}: {error}", path.display()),
            Self::Malformed { title, what } => {
                write!(f, "{title} is not a usable glTF 2.0 file: {what}")
            }
            Self::NoSuchScene { title, scene, scenes } => {
                write!(f, "{title} has no scene {scene}, only {scenes} of them, counted from 0")
            }
            Self::Scene { title, error } => {
                write!(f, "the nodes of {title} cannot be shown: {error}")
            }
            Self::Write { path, error } => write!(f, "cannot write {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for ViewerError {}
