//! From a glTF file to a web page that plays it.
//!
//! ```text
//!            document   -->   model   -->   command::stage   -->   pack, template
//!  the file  JSON and         nodes,        a world; the           matrices in few
//!            buffers          tracks,       bundle runs            bytes; the page
//!                             meshes        once a frame
//! ```
//!
//! One flaw of a file costs one part. A part that cannot be read has a stand-in (`parts`), numbers
//! that lead nowhere are taken out (`references`), nodes become a forest (`forest`), and each part
//! is checked where it is used (`sound`, `accessors`). Each says what is left out and why.
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
mod extensions;
mod findings;
mod forest;
mod geometry;
mod instances;
mod materials;
pub mod model;
mod morph;
mod names;
mod nodes;
pub mod pack;
mod parts;
pub mod pose;
mod references;
pub mod sample;
pub mod sights;
mod skins;
mod sound;
pub mod template;
mod unknown_targets;
mod uri;
mod version;
mod words;

pub use error::ViewerError;
