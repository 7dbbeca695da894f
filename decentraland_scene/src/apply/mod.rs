//! A Legion world that follows the merged state (feature `legion`).
//!
//! A [`Mirror`] keeps one Legion entity for every scene entity whose `Transform` is known, or that
//! others name as their parent. After [`apply`](Mirror::apply), one run of the
//! [bundle](legion_transform::TransformSystemBundle) makes all matrices right:
//!
//! - A `Transform` becomes `Translation`, `Rotation` and `NonUniformScale`; below a parent also
//!   `Parent` and `LocalToParent`.
//! - A parent that is unknown, dead or without `Transform` becomes an entity with the identity.
//!   When its `Transform` comes, its children follow.
//! - If a `Transform` is deleted, the entity stays, at the root with the identity. So do its
//!   children, below it.
//! - If an entity is deleted, its Legion entity is despawned. While it has children it stays,
//!   without its other components.
//! - The root means no `Parent`. [`MirrorOptions::root`] puts the scene below your own entity.
//! - A `NetworkParent` decides the parent of an entity of a network. An entity of a network and
//!   the plain one that stands for it are one Legion entity, that of the plain one. If there were
//!   two, the other goes, with the components that you gave it.
//! - The player, the camera and other players (1 to 511) follow the host's `Transform`s. Without
//!   them they have the identity, for you to [`place`](Mirror::place).
//! - The entities on a cycle are at the root while it lasts.
//!
//! The component [`SceneNode`] says which scene entity a Legion entity stands for. It is there from
//! [`apply`](Mirror::apply) on.
//!
//! ```
//! use decentraland_scene::{apply::Mirror, merge::Replica, wire::*};
//! use legion::*;
//! use legion_transform::prelude::*;
//!
//! let (mut world, mut resources) = (World::default(), Resources::default());
//! let mut schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
//! let (mut replica, mut mirror) = (Replica::default(), Mirror::default());
//!
//! let [table, cup] = [512, 513].map(|number| SceneEntity::local(EntityId(number)));
//! // The child comes first: until its parent comes, that one has the identity.
//! let on_table = SceneTransform {
//!     position: [0.0, 1.0, 0.0],
//!     parent: table.entity,
//!     ..SceneTransform::IDENTITY
//! };
//! replica.put_transform(cup, &on_table)?;
//! replica.put_transform(
//!     table,
//!     &SceneTransform { position: [8.0, 0.0, 8.0], ..SceneTransform::IDENTITY },
//! )?;
//! mirror.apply(&mut replica, &mut world);
//! schedule.execute(&mut world, &mut resources);
//!
//! let cup = mirror.entity(cup).unwrap();
//! let matrix = world.entry(cup).unwrap().into_component::<LocalToWorld>()?;
//! assert_eq!(matrix.position(), [8.0, 1.0, 8.0].into());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # One tick
//!
//! Messages come in, edits go out, the state goes into the world, the matrices follow:
//!
//! ```
//! # use decentraland_scene::{apply::Mirror, merge::*, wire::*};
//! # use legion::*;
//! # use legion_transform::prelude::*;
//! # struct Scene { replica: Replica, mirror: Mirror, host: Connection, report: MergeReport }
//! # fn tick(
//! #     scene: &mut Scene,
//! #     world: &mut World,
//! #     resources: &mut Resources,
//! #     schedule: &mut Schedule,
//! #     (received, door): (&[u8], SceneEntity),
//! # ) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
//! # let Scene { replica, mirror, host, report } = scene;
//! // 1. The others' messages.
//! replica.receive_packet(host, received, report);
//! // 2. The entities that you edited in the world, before the next step overwrites them.
//! replica.put_transform(door, &mirror.transform_of(world, door)?)?;
//! // 3. All changes, into the components.
//! mirror.apply(replica, world);
//! // 4. The bundle: all matrices.
//! schedule.execute(world, resources);
//!
//! // To each other end: what it got wrong, and what it does not know, edits among it.
//! let mut outgoing = std::mem::take(&mut report.corrections);
//! outgoing.extend(replica.delta(host));
//! # Ok(outgoing)
//! # }
//! ```
//!
//! [`Mirror::transform_of`] reads the components of one entity: call it for each that you edited.
//! To delete, use [`Replica::delete_transform`](crate::merge::Replica::delete_transform) and
//! [`delete_entity`](crate::merge::Replica::delete_entity). An edit that is not read is seen in
//! this world alone, until the scene has another value there.
//!
//! # Entities that you move yourself
//!
//! A tween and an attachment to an avatar are computed in each frame, by each program for itself.
//! Give such an entity a [`LocalOverride`]: the world shows what you write, and when you take the
//! component off, the entity is back where the scene has it.
//!
//! ```
//! # use decentraland_scene::{apply::{LocalOverride, Mirror}, merge::Replica, wire::*};
//! # use legion::*;
//! # use legion_transform::prelude::*;
//! # let (mut world, mut replica, mut mirror) =
//! #     (World::default(), Replica::default(), Mirror::default());
//! # let door = SceneEntity::local(EntityId(512));
//! # replica.put_transform(door, &SceneTransform::IDENTITY)?;
//! mirror.apply(&mut replica, &mut world);
//! let entity = mirror.entity(door).unwrap();
//! let mut entry = world.entry(entity).unwrap();
//! entry.add_component(LocalOverride);
//! entry.add_component(Translation::new(0.0, 0.5, 0.0));
//! mirror.apply(&mut replica, &mut world);
//!
//! world.entry(entity).unwrap().remove_component::<LocalOverride>();
//! mirror.apply(&mut replica, &mut world);
//! let place = *world.entry(entity).unwrap().get_component::<Translation>()?;
//! assert_eq!(place, Translation::identity());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Stop and start
//!
//! [`Mirror::clear`] unloads a scene. A mirror can go on with another world, or with another
//! replica: a snapshot (a clone), or one that was filled from a
//! [dump](crate::merge::Replica::dump) after a restart.
//!
//! # When your own code panics
//!
//! A subscriber of the world's events that panics inside of a call leaves the mirror between two
//! states. [`clear`](Mirror::clear) it, and it begins anew.
//!
//! # What it costs
//!
//! A message costs the same in a small scene and in a large one: a call looks only at changes, and
//! writes only components whose value changed. It inserts its new entities together.
//!
//! # Values
//!
//! The merged bytes stay as they came. The components get [cleaned](SceneFindingKind) values; each
//! cleaning is a [finding](Mirror::findings). An option gives them the other
//! [handedness](Handedness).

mod batch;
mod carry_out;
mod clean;
mod cycles;
mod findings;
mod follow;
mod handedness;
mod local_override;
mod mirror;
mod nodes;
mod spawn;
mod transform_of;
mod update;

pub use findings::{SceneFinding, SceneFindingKind};
pub use handedness::Handedness;
pub use local_override::LocalOverride;
pub use mirror::{ApplyReport, Mirror, MirrorOptions};
pub use nodes::SceneNode;
pub use transform_of::TransformError;
