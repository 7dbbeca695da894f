//! Plain scene descriptions become entities, for importers, level loaders and tests.
//!
//! A [`Scene`] is a list of [`SceneNode`]s that name their children by index, like in glTF and most
//! other formats. It is converted whole ([`Scene::spawn`]) or from one of its nodes down
//! ([`Scene::spawn_subtree`]), by these rules:
//!
//! - A static node, or a node with a static ancestor, gets its world matrix as
//!   [`LocalToWorld`](crate::components::LocalToWorld), and nothing else.
//! - A node whose parent is converted, too, gets its local `Translation` and `Rotation`,
//!   `NonUniformScale` if the scale is not 1, and `LocalToWorld`, `Parent`, `LocalToParent` and
//!   `PreviousParent`.
//! - A root, or a node whose parent is not converted, gets `Translation` and `Rotation` of the
//!   world, `NonUniformScale` if the lossy scale is not 1, and `LocalToWorld`.
//! - A node given as a matrix gets that matrix as `LocalToParent` (without a converted parent, as
//!   `LocalToWorld`), and no `Translation`, `Rotation` or scale.
//! - A node with linked children gets `Children`, too.
//!
//! All matrices and lists have the bits that the [bundle](crate::TransformSystemBundle) would
//! compute: its first run writes nothing and moves no entity to another archetype.
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
//! What else a node has in its format, a camera or a light, is a component of your own: add it to
//! the node's entity after the conversion, as `examples/scene_viewer` does. A camera's view is then
//! [`LocalToWorld::inverse`](crate::components::LocalToWorld::inverse).
//!
//! # Lossy scale
//!
//! Below a non-uniformly scaled parent a rotated node is sheared, which translation, rotation and
//! scale cannot express. If such a node is converted without its parent, its `NonUniformScale` is
//! the *lossy* scale, the diagonal of `R_world^-1 M_3x3`. This drops the shear, and
//! [`SpawnedScene::dropped_shear`] reports it. The node's `LocalToWorld` is the product without the
//! shear, and its descendants build on that.
//!
//! # Bad descriptions
//!
//! A scene is refused with a [`SceneError`] if its nodes form a cycle, name children that do not
//! exist, share a child or hold numbers that are not finite. Then the world is not touched. Nothing
//! recurses, so only memory bounds the depth. A mirror, an axis of length 0 and names that repeat
//! are no mistakes: all of it is placed as it is.

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
