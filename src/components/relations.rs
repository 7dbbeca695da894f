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
/// The order is stable: children keep theirs from run to run, and new ones follow (see
/// [`edit`](crate::edit)). You may change it: an order that you write here, by hand or with
/// [`insert_child`](crate::edit::EditTransforms::insert_child), is kept; entities that are not
/// children are taken out, and children that are missing are added at the end.
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
