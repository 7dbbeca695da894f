//! Plain scene descriptions become entities, for importers, level loaders and tests.
//!
//! A [`Scene`] is a list of [`SceneNode`]s that name their children by index, as glTF and most
//! other formats have it. It is converted whole ([`Scene::spawn`]) or from one of its nodes down
//! ([`Scene::spawn_subtree`]), by these rules:
//!
//! | node | components |
//! | --- | --- |
//! | static, itself or any ancestor | [`LocalToWorld`](crate::components::LocalToWorld) = its world matrix, nothing else |
//! | its parent is converted too | `LocalToWorld`; `Translation` and `Rotation` local, `NonUniformScale` if the scale is not 1; `Parent`, `LocalToParent`, `PreviousParent` |
//! | a root, or its parent is not converted | `LocalToWorld`; `Translation` and `Rotation` of the world, `NonUniformScale` if the lossy scale is not 1 |
//! | given as a matrix | `LocalToParent` (or, without a converted parent, `LocalToWorld`) is that matrix; no `Translation`, `Rotation`, scale |
//! | any that has linked children | `Children` besides |
//!
//! Every matrix and list is what the [bundle](crate::TransformSystemBundle) would compute, bit for
//! bit, so that its first run has nothing to write and no entity to move to another archetype.
//!
//! ```
//! use legion::*;
//! use legion_transform::{
//!     prelude::*,
//!     scene::{NodeTransform, Scene, SceneNode},
//! };
//!
//! let mut scene = Scene::default();
//! let hand = scene.add(SceneNode::new("hand").at(NodeTransform::from_translation(0.0, 0.5, 0.0)));
//! let at = NodeTransform::from_translation(1.0, 0.0, 0.0);
//! let arm = scene.add(SceneNode::new("arm").at(at).with_children([hand]));
//!
//! let mut world = World::default();
//! let spawned = scene.spawn(&mut world)?;
//!
//! let hand = world.entry(spawned.entity(hand).unwrap()).unwrap();
//! assert_eq!(hand.get_component::<LocalToWorld>()?.position(), [1.0, 0.5, 0.0].into());
//! assert_eq!(hand.get_component::<Parent>()?.0, spawned.entity(arm).unwrap());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Lossy scale
//!
//! Below a non-uniformly scaled parent a rotated node is sheared, which translation, rotation and
//! scale cannot express. Where such a node is converted without its parent, its `NonUniformScale`
//! is the *lossy* scale, the diagonal of `R_world^-1 M_3x3`, and the shear that this drops is
//! reported ([`SpawnedScene::dropped_shear`]). Its `LocalToWorld` is the product without that
//! shear, and its descendants build on it.
//!
//! # Bad descriptions
//!
//! A scene whose nodes form a cycle, name children that do not exist, share a child or hold numbers
//! that are not finite is refused with a [`SceneError`], and the world is not touched. Nothing
//! recurses: depth is bounded by memory only.

mod conversion;
mod description;
mod error;
mod forest;
mod lossy;
mod rows;
mod spawn;
mod spawned;

pub use description::{NodeTransform, Scene, SceneNode};
pub use error::SceneError;
pub use spawned::{DroppedShear, SpawnedScene};
