//! Saving and loading with serde (feature `serde`).
//!
//! All components implement `Serialize` and `Deserialize`: they are saved as the plain value
//! inside. [`register_components`] registers them with Legion's registry. Components that name
//! entities need Legion's entity serializer around them, which `as_serializable` and [`load()`] set
//! up.
//!
//! ```
//! use legion::{serialize::Canon, *};
//! use legion_transform::{
//!     ecosystem::serde::{load, register_components},
//!     prelude::*,
//! };
//!
//! let mut world = World::default();
//! let sun = world.push((LocalToWorld::identity(), Translation::new(100.0, 0.0, 0.0)));
//! world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(sun), Scale(2.0)));
//!
//! let mut registry = Registry::<String>::default();
//! register_components(&mut registry);
//! let names = Canon::default();
//! let json = serde_json::to_string(&world.as_serializable(any(), &registry, &names))?;
//!
//! // Into a new world, under new names:
//! let mut json = serde_json::Deserializer::from_str(&json);
//! let mut loaded = load(&registry, &Canon::default(), &mut json)?;
//! assert_eq!(loaded.len(), 2);
//! world.move_from(&mut loaded, &any()); // into a world that is lived in
//! assert_eq!(world.len(), 4);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! - The key of a component is its type's name (`"LocalToWorld"`), which stays the same from
//!   version to version.
//! - Derived components are saved as well, so a loaded world is right at once. They can be [left
//!   out](#inputs-only).
//! - A partial save can leave a `Parent` behind. Loaded by [`load()`], the child
//!   [waits](crate::findings::FindingKind::WaitsForParent) for it: a save that has it may be loaded
//!   later, under the same names. By Legion's own `as_deserialize` it counts as dead, and the next
//!   run makes the child a root.
//! - JSON has no word for numbers that are not finite. Components write them as `"NaN"`, `"inf"`
//!   and `"-inf"` in readable formats, and read `null` as NaN: such a save loads like any other,
//!   and [`NotFinite`](crate::findings::FindingKind::NotFinite) names the entity.
//!
//! # Entities that you refer to yourself
//!
//! Your own component that holds an `Entity` derives `Serialize` and `Deserialize` and is
//! registered like any other: inside of a world that is saved, Legion gives entities names, and ids
//! again when it is loaded. (For clones, [derive `Clone` and not `Copy`](super::merge).) An
//! `Entity` outside of the world, in a resource, say, is kept by its name, which the `Canon` of the
//! save knows:
//!
//! ```
//! # use legion::{serialize::{Canon, EntityName}, *};
//! # use legion_transform::{ecosystem::serde::{load, register_components}, prelude::*};
//! #[derive(serde::Serialize, serde::Deserialize)]
//! struct Target(Entity);
//!
//! /// A resource.
//! struct Player(Entity);
//!
//! let mut world = World::default();
//! let sun = world.push_transform((Translation::new(100.0, 0.0, 0.0),));
//! let player = Player(world.push_transform((Target(sun), Scale(2.0))));
//!
//! let mut registry = Registry::<String>::default();
//! register_components(&mut registry);
//! registry.register::<Target>("Target".to_owned());
//! let names = Canon::default();
//! let saved_world = serde_json::to_string(&world.as_serializable(any(), &registry, &names))?;
//! let saved_player: EntityName = names.get_name(player.0).expect("it has been saved");
//!
//! let names = Canon::default();
//! let mut json = serde_json::Deserializer::from_str(&saved_world);
//! let loaded = load(&registry, &names, &mut json)?;
//! let player = Player(names.get_id(&saved_player).expect("it has been loaded"));
//! let target = loaded.entry_ref(player.0).unwrap().get_component::<Target>().unwrap().0;
//! assert_eq!(loaded.entry_ref(target).unwrap().get_component::<Translation>().unwrap().x, 100.0);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! # Inputs only
//!
//! More than half of the bytes of a plain transform are two matrices that the next run computes
//! anyway (a thousand children with translation, rotation and scale take 229 kB in postcard, 83 kB
//! without them). To leave them out, save the entities whose matrices are derived with
//! [`register_inputs`], and the others whole (static ones have nothing but their matrix); load both
//! under the same names, and move one to the other; a bundle with
//! [`insert_missing`](crate::TransformSystemBundle::insert_missing) adds the matrices:
//!
//! ```
//! # use legion::{serialize::Canon, *};
//! use legion_transform::{WriteGroups, ecosystem::serde::*};
//! # use legion_transform::prelude::*;
//! # let mut world = World::default();
//! # let sun = world.push_transform((Translation::new(100.0, 0.0, 0.0),));
//! # world.push_child(sun, (Scale(2.0),));
//! # let rock = world.push_transform((LocalToWorld::from(nalgebra::Matrix4::new_scaling(3.0)),));
//! # world.push_child(rock, (Scale(2.0),));
//! # let bundle = TransformSystemBundle::default().insert_missing();
//! # let mut schedule = Schedule::builder().add_transforms(bundle).build();
//! # let mut resources = Resources::default();
//!
//! let (mut inputs, mut whole) = (Registry::<String>::default(), Registry::<String>::default());
//! register_inputs(&mut inputs);
//! register_components(&mut whole); // and your own components with both
//! let groups = WriteGroups::default(); // or those of your bundle
//!
//! let names = Canon::default();
//! let save = [
//!     serde_json::to_string(&world.as_serializable(derived_matrices(&groups), &inputs, &names))?,
//!     serde_json::to_string(&world.as_serializable(own_matrices(&groups), &whole, &names))?,
//! ];
//!
//! let (mut loaded, names) = (World::default(), Canon::default());
//! for (part, registry) in save.iter().zip([&inputs, &whole]) {
//!     let mut json = serde_json::Deserializer::from_str(part);
//!     loaded.move_from(&mut load(registry, &names, &mut json)?, &any());
//! }
//! schedule.execute(&mut loaded, &mut resources);
//! # assert_eq!((loaded.len(), <&Parent>::query().iter(&loaded).count()), (4, 2));
//! # let mut scales: Vec<f32> =
//! #     <&LocalToWorld>::query().iter(&loaded).map(|matrix| matrix.m11).collect();
//! # scales.sort_by(f32::total_cmp);
//! # assert_eq!(scales, [1.0, 2.0, 3.0, 6.0]);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! # Damaged saves
//!
//! A save that was cut off, or whose bytes were changed, is an error of [`load()`], or loads as a
//! world that the bundle keeps right: for example, a `Parent` that names no entity of the save is a
//! finding, like in every world. A refused save loads nothing. A changed number is not noticed,
//! because a user could have saved every number. Against that, keep a checksum with the save.
//!
//! Legion's own `Registry::as_deserialize` and `as_deserialize_into_world` are for saves that you
//! know to be whole. With damaged ones in a binary format:
//!
//! - Most panic: the save ends too early, a value cannot be read, an archetype has a column too few
//!   or a component twice, or two archetypes share two entities.
//! - Some end the process, and no `catch_unwind` helps. One cause is a column that its archetype
//!   does not have, or has had, while another one is still to come. The other is a changed length:
//!   Legion reserves memory for that number of rows before it reads one. In release builds this can
//!   also overwrite foreign memory: 2^58 rows of 64 bytes are 2^64 bytes, which count as 0.
//! - Some load as worlds in which columns differ in length. The bundle refuses these with
//!   [`DamagedColumn`](crate::findings::FindingKind::DamagedColumn).
//!
//! In JSON, where an entity has a component twice, Legion panics; all other damage is an error.

mod archetype;
mod columns;
mod inputs;
mod load;
mod registered_once;

pub use inputs::{MatrixFilter, derived_matrices, own_matrices, register_inputs};
pub use load::load;

use legion::{Registry, serialize::TypeKey};

use crate::components::*;

/// Registers all components of this crate under their types' names.
///
/// The key may be any type that can be made from a string: `String` for most.
pub fn register_components<K: TypeKey + From<&'static str>>(registry: &mut Registry<K>) {
    macro_rules! register {
        ($($component:ident: $bit:ident,)*) => {
            $(registry.register::<$component>(K::from(stringify!($component)));)*
        };
    }
    crate::engine::for_each_component!(register);
    registry.register::<Frame>(K::from("Frame"));
    registry.register::<Visible>(K::from("Visible"));
    registry.register::<RenderLayers>(K::from("RenderLayers"));
    registry.register::<Effective<Visible>>(K::from("Effective<Visible>"));
    registry.register::<Effective<RenderLayers>>(K::from("Effective<RenderLayers>"));
}
