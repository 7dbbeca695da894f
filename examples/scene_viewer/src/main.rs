//! Plays a glTF file's animations through the transform systems and writes a web page that draws
//! them.
//!
//! The page stands alone. It draws meshes with the matrices of the crate's own run: a node's
//! `LocalToWorld`, and for skins a joint's `LocalToWorld` times its inverse bind matrix. Instances
//! (`EXT_mesh_gpu_instancing`) are entities below their node. What is wrong with a file is told.
//!
//! ```text
//! cargo run -p scene_viewer                    # the walker that ships with it
//! cargo run -p scene_viewer -- model.glb --output model.html
//! ```

use std::{io::Write as _, process::ExitCode};

use scene_viewer::command;

fn main() -> ExitCode {
    match command::run(std::env::args_os().skip(1)) {
        Ok(report) => {
            // Who closes the pipe does not want to know.
            let _ = write!(std::io::stdout(), "{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("scene_viewer: {error}");
            ExitCode::FAILURE
        }
    }
}
