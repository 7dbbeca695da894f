//! A session of the bundle for a web page.
//!
//! ```text
//! page/*.js  --C interface-->  abi.rs  -->  Session  -->  Orbits, or a Player of a glTF file
//! the picture  <--pointers into wasm's memory: LocalToWorld as Legion stores it
//! ```
//!
//! `src/bin/session.rs` runs the same session natively, to compare its bits with the browser's.

pub mod abi;
mod orbits;
mod player;
mod session;

pub use scene_viewer::document::folder;
pub use session::{NONE, Session};
