//! Decentraland scenes: their messages on the wire, and their conflict-free merge. No ECS, no
//! mathematics library.
//!
//! - [`wire`] reads and writes messages and the 44-byte `Transform`. No state but the unfinished
//!   end of a stream; packets leave none.
//! - [`merge`] keeps the merged state of a scene: the last writer wins, and every order,
//!   duplication and batching of the same messages ends in the same bytes.
//! - `apply` (feature `legion`) keeps a world of the ECS Legion equal to the merged state, and
//!   reads its components as `Transform`s. The crate
//!   [legion_transform](https://docs.rs/legion_transform) computes the matrices.
//!
//! ```
//! use decentraland_scene::{
//!     merge::{Connection, MergeReport, Replica, Role},
//!     wire::{EntityId, SceneEntity, SceneTransform},
//! };
//!
//! let door = SceneEntity::local(EntityId::new(512, 0));
//! let (mut ours, mut theirs) = (Replica::default(), Replica::default());
//! ours.put_transform(
//!     door,
//!     &SceneTransform { position: [1.0, 0.0, 2.0], ..SceneTransform::IDENTITY },
//! )?;
//! theirs.put_transform(
//!     door,
//!     &SceneTransform { position: [3.0, 0.0, 4.0], ..SceneTransform::IDENTITY },
//! )?;
//!
//! // Each sends what the other does not know, and both end in the same state.
//! let (mut to_them, mut to_us) = (Connection::new(Role::Peer), Connection::new(Role::Peer));
//! let (from_us, from_them) = (ours.delta(&mut to_them), theirs.delta(&mut to_us));
//! ours.receive(&mut to_them, &from_them, &mut MergeReport::default())?;
//! theirs.receive(&mut to_us, &from_us, &mut MergeReport::default())?;
//! assert_eq!(ours.dump(), theirs.dump());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Conventions
//!
//! Numbers on the wire are little-endian. The scene is left-handed, y up, z forward; positions are
//! metres. Nothing is converted or cleaned.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "legion")]
#[cfg_attr(docsrs, doc(cfg(feature = "legion")))]
pub mod apply;
pub mod merge;
pub mod wire;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
