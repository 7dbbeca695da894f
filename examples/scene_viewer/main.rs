//! Plays a glTF file's animations through the transform systems and writes a web page that draws
//! them.
//!
//! The page stands alone. It draws meshes with the matrices of the crate's own run: a node's
//! `LocalToWorld`, and for skins a joint's `LocalToWorld` times its inverse bind matrix. Instances
//! (`EXT_mesh_gpu_instancing`) are entities below their node. What is wrong with a file is told.
//!
//! ```text
//! cargo run --example scene_viewer                    # the walker that ships with the crate
//! cargo run --example scene_viewer -- model.glb --output model.html
//! ```

use std::{io::Write as _, process::ExitCode};

mod viewer;

fn main() -> ExitCode {
    match viewer::run(std::env::args_os().skip(1)) {
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
