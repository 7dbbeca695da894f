//! Parents and children.

use legion::Entity;
use smallvec::SmallVec;

use super::wraps;

/// The parent of this entity: the source of truth of the hierarchy, and yours to write.
///
/// It takes effect if the entity also has [`LocalToParent`](super::LocalToParent) and
/// [`LocalToWorld`](super::LocalToWorld). While the parent does not exist yet, or has no
/// `LocalToWorld` yet, the entity waits: it is a root, and a
/// [finding](crate::findings::FindingKind::WaitsForParent) says so, until a run finds the parent. If
/// the parent dies or loses its `LocalToWorld` after it was linked, the next run removes the
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
/// It tells a parent that has died, which is named here and by [`Parent`], from one that has not
/// come yet, which `Parent` alone names.
///
/// In a tuple of yours for Legion's own `push` or `extend`, give linked entities
/// `PreviousParent::default()`. Then the first run need not move them to another archetype to add
/// it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct PreviousParent(pub Option<Entity>);
wraps!(PreviousParent, Option<Entity>);

/// The children of this entity. The bundle keeps the list right, and never empty after a run.
///
/// The order is stable: children keep theirs from run to run, and new ones follow (see
/// [`edit`](crate::edit)). You may change it: an order that you write here, by hand
/// or with [`insert_child`](crate::edit::EditTransforms::insert_child), is kept; entities that are not
/// children are taken out, and children that are missing are added at the end.
///
/// Takes 24 bytes at most: up to two children stand in the component itself, more in an allocation
/// of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct Children(pub SmallVec<[Entity; 2]>);
wraps!(Children, SmallVec<[Entity; 2]>);
const _: () = assert!(size_of::<Children>() <= 24);

impl Children {
    /// No children.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
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
