//! Plays a glTF file's animations through the transform systems and writes a web page that shows the skeleton moving.
//!
//! ```text
//! cargo run --release --example scene_viewer                    # the walker that ships with the crate
//! cargo run --release --example scene_viewer -- model.glb --output model.html
//! ```

use std::process::ExitCode;

mod viewer;

fn main() -> ExitCode {
    match viewer::run(std::env::args_os().skip(1)) {
        Ok(report) => {
            print!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("scene_viewer: {error}");
            ExitCode::FAILURE
        }
    }
}
