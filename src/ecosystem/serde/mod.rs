//! Saving and loading with serde (feature `serde`).
//!
//! All components implement `Serialize` and `Deserialize`, as the plain value inside.
//! [`register_components`] registers them with Legion's registry by the names of their types
//! (`"LocalToWorld"`), which stay the same from version to version. [`load()`] reads a save, and
//! returns an error if it is damaged. [`register_inputs`] saves without the derived matrices.
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
//! [Saving and loading](crate::guide::saving) has the rest.

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
