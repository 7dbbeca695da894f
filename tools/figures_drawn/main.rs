//! Draws figures for the documentation out of worlds that run: coordinate systems, and what happens
//! in one tick.
//!
//! ```text
//! cargo run --example figures -- docs/figures
//! ```
//!
//! `hierarchy`, `pivots`, `scale_compensation` and `custom_transforms` draw theirs with `--svg
//! PATH`; `tools/figures` makes all of them.

use std::path::PathBuf;

mod coordinates;
#[expect(dead_code, reason = "the folder is an argument here")]
#[path = "../../examples/figures/svg.rs"]
mod svg;
mod tick;

fn main() -> std::io::Result<()> {
    let folder = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    coordinates::draw().write(folder.join("coordinate_systems.svg"))?;
    tick::draw().write(folder.join("one_tick.svg"))?;
    println!("coordinate_systems.svg and one_tick.svg are in {}", folder.display());
    Ok(())
}
