//! Makes `scenes/walker.gltf`, the scene that the viewer plays without an argument: a
//! clockwork walker on its round about an orrery.
//!
//! ```text
//! cargo run --example make_walker                  # writes scenes/walker.gltf of this package
//! cargo run --example make_walker -- other.gltf
//! ```

use std::path::PathBuf;

mod walker;

fn main() -> std::io::Result<()> {
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/walker.gltf");
    let path = std::env::args_os().nth(1).map_or_else(|| shipped.into(), PathBuf::from);
    let figure = walker::figure();
    std::fs::write(&path, walker::to_gltf(&figure))?;
    println!(
        "{}: {} nodes, {} channels",
        path.display(),
        figure.nodes.len(),
        figure.channels.len()
    );
    Ok(())
}
