//! Every edit that a game makes between two runs, by name: the crate's own, and Legion's.
//!
//! [`EDITS`] is the one list of them. Tests pick entities in their own way ([`Picks`]), and judge
//! in their own way what came of an edit. What a call promises by itself is checked where it is
//! made: that `detach_children` finds all children of now, for example.
//!
//! ```
//! use legion::{Entity, Resources, World};
//! use legion_transform::prelude::*;
//! use legion_transform_testing::{Cast, catalogue::{EDITS, Picks, Place}};
//!
//! /// The first entity that will do, and the first number.
//! struct First;
//!
//! impl Picks for First {
//!     fn below(&mut self, _: usize) -> usize {
//!         0
//!     }
//!     fn pick(&mut self, all: &[Entity]) -> Option<Entity> {
//!         all.first().copied()
//!     }
//! }
//!
//! let (mut world, mut resources) = (World::default(), Resources::default());
//! let at = Translation::identity();
//! let parent = world.push_transform((at, Children::new()));
//! let child = world.push_child(parent, (at,));
//! let place = Place {
//!     world: &mut world,
//!     resources: &mut resources,
//!     cast: &mut Cast::default(),
//!     picks: &mut First,
//! };
//! let edit = EDITS.iter().find(|edit| edit.name == "remove_parent").unwrap();
//! edit.make(place);
//! assert!(world.entry(child).unwrap().get_component::<Parent>().is_err());
//! ```

mod list;
mod place;
mod rows;

pub use list::EDITS;
pub use place::{Edit, Picks, Place, Rows, Sort};
