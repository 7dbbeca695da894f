//! Makes `examples/scenes/walker.gltf`, the scene that `scene_viewer` plays without an argument: a clockwork walker on its
//! round about an orrery.
//!
//! ```text
//! cargo run --example make_walker                  # writes examples/scenes/walker.gltf
//! cargo run --example make_walker -- other.gltf
//! ```
//!
//! Every kind of key frame is in it: LINEAR (legs, gears, arms), STEP (escapement, second hand, stepping stones) and
//! CUBICSPLINE (pendulum, tail, the body's sway, the sun's pulse).

use std::path::PathBuf;

mod clockwork;
mod creature;
mod figure;
mod legs;
mod motion;
mod orrery;
mod writer;

fn main() -> std::io::Result<()> {
    let path = std::env::args_os()
        .nth(1)
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/scenes/walker.gltf")), PathBuf::from);
    let mut figure = figure::Figure::default();
    orrery::build(&mut figure);
    creature::build(&mut figure);
    assert!(figure.nodes.len() > 250, "the walker has {} nodes", figure.nodes.len());
    std::fs::write(&path, writer::to_gltf(&figure))?;
    println!("{}: {} nodes, {} channels", path.display(), figure.nodes.len(), figure.channels.len());
    Ok(())
}
