//! Parents and children.

use std::ops::{Deref, DerefMut};

use legion::Entity;
use smallvec::SmallVec;

use super::wraps;

/// The parent of this entity: the source of truth of the hierarchy, and yours to write.
///
/// It takes effect if the entity also has [`LocalToParent`](super::LocalToParent) and
/// [`LocalToWorld`](super::LocalToWorld). While the parent does not exist yet, or has no
/// `LocalToWorld` yet, the entity waits: it is a root, and a
/// [finding](crate::findings::FindingKind::WaitsForParent) says so, until a run finds the parent.
/// If the parent dies or loses its `LocalToWorld` after it was linked, the next run removes the
/// `Parent`.
///
/// `Clone` but not `Copy`: Legion renames entities in cloned worlds only through `Clone`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct Parent(pub Entity);
wraps!(Parent, Entity);

/// The parent whose [`Children`] list the entity; `None` if no list does. The bundle writes it; so
/// do [`spawn`](crate::spawn) and [`scene`](crate::scene) for the entities that they make.
///
/// It distinguishes a parent that has died, which is named here and by [`Parent`], from one that
/// has not come yet, which `Parent` alone names.
///
/// In your own tuple for Legion's `push` or `extend`, give linked entities
/// `PreviousParent::default()`. Then the first run need not move them to another archetype to add
/// it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct PreviousParent(pub(crate) Option<Entity>);

impl PreviousParent {
    /// That parent.
    #[must_use]
    pub fn parent(&self) -> Option<Entity> {
        self.0
    }
}

/// The record of this parent. Programs write it only to repair a world, or to test what comes of a
/// wrong one.
impl From<Option<Entity>> for PreviousParent {
    fn from(parent: Option<Entity>) -> Self {
        Self(parent)
    }
}

/// The children of this entity. The bundle keeps the list right, and never empty after a run.
///
/// Children keep their order from run to run. You may change it: an order that you write here, by
/// hand or with [`insert_child`](crate::edit::EditTransforms::insert_child), is kept; entities that
/// are not children are taken out, and children that are missing are added at the end.
///
/// New children follow in the order in which they came: by edits, by spawns, by `push`, `extend`
/// and `add_component`, by commands at their flush; whatever their archetypes. One that an edit
/// takes away and an edit brings back is new.
///
/// Children whose `Parent` you write in place come behind these, archetype by archetype, in each by
/// row. So do all new ones in the first run on a world, be it new, loaded or cloned; where more
/// entities came and went between two runs than the world has, and 4,096 more; and those that leave
/// a cycle.
///
/// It is a slice of entities: `children[0]`, `children.iter()`, `children.contains(&child)`;
/// `children.swap(0, 1)` and `children.sort_by_key(..)` write another order, and so does a new
/// list:
///
/// ```
/// # use legion::*;
/// # use legion_transform::prelude::*;
/// # let (mut world, mut resources) = (World::default(), Resources::default());
/// # let bundle = TransformSystemBundle::default();
/// # let mut schedule = Schedule::builder().add_transforms(bundle).build();
/// let deck = world.push_transform((Translation::identity(),));
/// let places = [1.0, 2.0, 3.0].map(|x| (Translation::new(x, 0.0, 0.0),));
/// let cards = world.extend_children(deck, places);
/// schedule.execute(&mut world, &mut resources);
///
/// let mut entry = world.entry(deck).unwrap();
/// let children = entry.get_component_mut::<Children>()?;
/// children.reverse();
/// assert_eq!(children.as_slice(), [cards[2], cards[1], cards[0]]);
/// *children = Children::from_iter([cards[1], cards[0], cards[2]]);
/// # schedule.execute(&mut world, &mut resources);
/// # assert_eq!(world.entry(deck).unwrap().get_component::<Children>()?[0], cards[1]);
/// # Ok::<(), legion::world::ComponentError>(())
/// ```
///
/// Edits, and the order of new children:
///
/// ```
/// # use legion::*;
/// # use legion_transform::{edit::EditError, prelude::*};
/// # let (mut world, mut resources) = (World::default(), Resources::default());
/// # let bundle = TransformSystemBundle::default();
/// # let mut schedule = Schedule::builder().add_transforms(bundle).build();
/// let menu = world.push_transform((Translation::new(0.0, 10.0, 0.0),));
/// let below = |i: i32| (Translation::new(0.0, -i as f32, 0.0),);
/// let items = world.extend_children(menu, (0..3).map(below));
/// let quit = world.push_transform((Translation::new(0.0, 7.0, 0.0),));
///
/// // `quit` stays where it is, and is the second item.
/// world.insert_child(menu, 1, quit)?;
/// world.insert_child(menu, 0, items[2])?;
/// schedule.execute(&mut world, &mut resources);
/// let children = world.entry(menu).unwrap().get_component::<Children>().unwrap().clone();
/// assert_eq!(children.as_slice(), [items[2], items[0], quit, items[1]]);
///
/// // New ones follow in the order in which they came: `help` was spawned first, and came last.
/// let help = world.push_transform((Translation::new(0.0, 6.0, 0.0),));
/// let about = world.push_child(menu, below(5));
/// world.set_parent(help, menu)?;
/// let children: Vec<_> = Walk::fresh(&world).unwrap().children(menu).skip(4).collect();
/// assert_eq!(children, [about, help]);
/// # Ok::<(), EditError>(())
/// ```
///
/// Takes 24 bytes at most: up to two children stand in the component itself, more in an allocation
/// of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct Children(pub(crate) SmallVec<[Entity; 2]>);
const _: () = assert!(size_of::<Children>() <= 24);

impl Children {
    /// No children.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The children in their order.
    #[must_use]
    pub fn as_slice(&self) -> &[Entity] {
        &self.0
    }
}

impl Deref for Children {
    type Target = [Entity];
    fn deref(&self) -> &[Entity] {
        &self.0
    }
}

impl DerefMut for Children {
    fn deref_mut(&mut self) -> &mut [Entity] {
        &mut self.0
    }
}

impl FromIterator<Entity> for Children {
    fn from_iter<I: IntoIterator<Item = Entity>>(entities: I) -> Self {
        Self(entities.into_iter().collect())
    }
}

impl<'a> IntoIterator for &'a Children {
    type Item = &'a Entity;
    type IntoIter = std::slice::Iter<'a, Entity>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
