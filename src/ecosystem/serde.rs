//! Saving and loading with serde (feature `serde`).
//!
//! All components implement `Serialize` and `Deserialize`, as the plain value inside them; [`register_components`] makes them
//! known to Legion's registry. Those that name entities need Legion's entity serializer around them, which `as_serializable`
//! and `as_deserialize` set up.
//!
//! ```
//! use legion::{serialize::Canon, *};
//! use legion_transform::{ecosystem::serde::register_components, prelude::*};
//! use serde::de::DeserializeSeed;
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
//! let loaded: World = registry.as_deserialize(&Canon::default()).deserialize(&mut serde_json::Deserializer::from_str(&json))?;
//! assert_eq!(loaded.len(), 2);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! - The key of a component is its type's name (`"LocalToWorld"`), which stays the same from version to version.
//! - Derived components are saved as well, so a loaded world is right at once. They may be left out with a registry of your
//!   own and [`UnknownType::Ignore`](legion::serialize::UnknownType); entities must keep `LocalToWorld` and members `LocalToParent`, whose
//!   values the next run makes right.
//! - A partial save can leave a `Parent` behind; loaded, it counts as dead, and the next run makes the child a root.
//! - Numbers that are not finite do not survive JSON, which has no word for them.

use legion::{Registry, serialize::TypeKey};

use crate::components::*;

/// Registers all components of this crate under their types' names.
///
/// The key may be any type that can be made from a string: `String` for most.
pub fn register_components<K: TypeKey + From<&'static str>>(registry: &mut Registry<K>) {
    macro_rules! register {
        ($($component:ident: $bit:ident,)*) => { $(registry.register::<$component>(K::from(stringify!($component)));)* };
    }
    crate::storage::mask::for_each_component!(register);
}
