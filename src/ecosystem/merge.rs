//! Cloning entities from one world into another. For a part of a world, or a copy below a parent,
//! see [`cloning`](crate::cloning).
//!
//! `World::clone_from` gives the clones new entities, so components that name entities must be
//! renamed. Legion does that in `Clone`, for components that are registered: [`register_clones`]
//! registers all of this crate. (`World::move_from` needs nothing.)
//!
//! ```
//! use legion::{world::Duplicate, *};
//! use legion_transform::{ecosystem::merge::register_clones, prelude::*};
//!
//! let mut prefab = World::default();
//! let body = prefab.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0)));
//! let head = prefab.push((
//!     LocalToWorld::identity(),
//!     LocalToParent::identity(),
//!     Parent(body),
//!     Translation::new(0.0, 2.0, 0.0),
//! ));
//!
//! let mut merger = Duplicate::default();
//! register_clones(&mut merger);
//! let mut world = World::default();
//! for _ in 0..3 {
//!     let clones = world.clone_from(&prefab, &any(), &mut merger);
//!     let parent = world.entry(clones[&head]).unwrap().get_component::<Parent>().unwrap().0;
//!     assert_eq!(parent, clones[&body]);
//! }
//! assert_eq!(world.len(), 6);
//! ```
//!
//! A parent that the filter left behind counts as dead in the next run, unless it lives in the
//! target world under the same name, or the child waited for it before. Which values of
//! `ParentScaleInverse` the bundle wrote is not copied: if a parent loses its scale before the
//! first run in the new world, its children go on cancelling it.

use legion::world::Duplicate;

use crate::components::*;

/// Registers all components of this crate: they are cloned, and the entities in them renamed.
#[inline] // So that only crates that clone worlds compile it, for each of 32 components.
pub fn register_clones(merger: &mut Duplicate) {
    macro_rules! register {
        ($($component:ident: $bit:ident,)*) => { $(merger.register_clone::<$component>();)* };
    }
    crate::engine::for_each_component!(register);
    merger.register_clone::<Frame>();
    merger.register_clone::<Visible>();
    merger.register_clone::<RenderLayers>();
    merger.register_clone::<Effective<Visible>>();
    merger.register_clone::<Effective<RenderLayers>>();
}
