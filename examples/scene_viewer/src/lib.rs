//! From a glTF file to a web page that plays it.
//!
//! ```text
//!            document   -->   model   -->   command::stage   -->   pack, template
//!  the file  JSON and         nodes,        a world; the           matrices in few
//!            buffers          tracks,       bundle runs            bytes; the page
//!                             meshes        once a frame
//! ```
//!
//! What the examples of this package and other pages of this repository draw with is public:
//! `blob`, `pack`, `template`; and for `tools/playground` what reads a file.

mod accessors;
pub mod blob;
mod channels;
#[cfg(not(target_family = "wasm"))]
pub mod command;
pub mod describe;
pub mod document;
mod error;
mod findings;
mod geometry;
mod instances;
mod materials;
pub mod model;
mod morph;
mod names;
mod nodes;
pub mod pack;
pub mod pose;
pub mod sample;
mod skins;
pub mod template;
mod unknown_targets;
mod version;
mod words;

pub use error::ViewerError;
