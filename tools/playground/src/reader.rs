//! The viewer's reader, from a glTF file to nodes, animations and geometry. Its files stand with
//! the example; what plays and packs whole clips there, and its command line, is left out.
#![allow(dead_code)]

#[path = "../../../examples/scene_viewer/viewer/accessors.rs"]
mod accessors;
#[path = "../../../examples/scene_viewer/viewer/blob.rs"]
mod blob;
#[path = "../../../examples/scene_viewer/viewer/channels.rs"]
mod channels;
#[path = "../../../examples/scene_viewer/viewer/describe.rs"]
pub mod describe;
#[path = "../../../examples/scene_viewer/viewer/document.rs"]
pub mod document;
#[path = "../../../examples/scene_viewer/viewer/error.rs"]
mod error;
#[path = "../../../examples/scene_viewer/viewer/findings.rs"]
mod findings;
#[path = "../../../examples/scene_viewer/viewer/geometry.rs"]
mod geometry;
#[path = "../../../examples/scene_viewer/viewer/instances.rs"]
mod instances;
#[path = "../../../examples/scene_viewer/viewer/materials.rs"]
mod materials;
#[path = "../../../examples/scene_viewer/viewer/model.rs"]
pub mod model;
#[path = "../../../examples/scene_viewer/viewer/morph.rs"]
mod morph;
#[path = "../../../examples/scene_viewer/viewer/names.rs"]
mod names;
#[path = "../../../examples/scene_viewer/viewer/nodes.rs"]
mod nodes;
#[path = "../../../examples/scene_viewer/viewer/pack.rs"]
mod pack;
#[path = "../../../examples/scene_viewer/viewer/pose.rs"]
pub mod pose;
#[path = "../../../examples/scene_viewer/viewer/sample.rs"]
pub mod sample;
#[path = "../../../examples/scene_viewer/viewer/skins.rs"]
mod skins;
#[path = "../../../examples/scene_viewer/viewer/unknown_targets.rs"]
mod unknown_targets;
#[path = "../../../examples/scene_viewer/viewer/version.rs"]
mod version;
#[path = "../../../examples/scene_viewer/viewer/words.rs"]
mod words;

pub use error::ViewerError;
