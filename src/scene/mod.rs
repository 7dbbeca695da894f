//! Plain scene descriptions become entities, for importers, level loaders and tests.
//!
//! A [`Scene`] is a list of [`SceneNode`]s that name their children by index, as in glTF. It is
//! converted whole ([`Scene::spawn`]) or from one of its nodes down ([`Scene::spawn_subtree`]).
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
//! All matrices and lists have the bits that the [bundle](crate::TransformSystemBundle) would
//! compute: its first run writes nothing and moves no entity. Add your own components to the entity
//! of a node after the conversion.
//!
//! A scene that contradicts itself is a [`SceneError`]. Nothing recurses, so only memory bounds the
//! depth. A mirror, an axis of length 0 and names that repeat are placed as they are.

mod ancestry;
mod conversion;
mod description;
mod error;
mod insert;
mod lossy;
mod spawn;
mod spawned;

pub use description::{NodeTransform, Scene, SceneNode};
pub use error::SceneError;
pub use spawned::{DroppedShear, SpawnedScene};
