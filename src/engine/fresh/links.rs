//! The links that no `Children` has yet, for edits that need all children of an entity.

use legion::{
    Entity, World,
    storage::{Archetype, ArchetypeIndex, ComponentStorage, PackedStorage},
};

use super::FreshRows;
use crate::{
    components::{Parent, PreviousParent},
    engine::{
        overrides::Overrides,
        storage::{Archetypes, ByParent, Mask, NewLinks, keep_links, take_links},
    },
};

/// Runs an edit, and gives it the links that no `Children` has yet. The edit adds the links that it
/// makes without writing `Children`.
///
/// Such links are looked for in rows that came or were written since the last run. All of the world
/// is searched if a user may have written a list of `Children`, or if no bundle has run on it.
pub(crate) fn with_new_links<R>(
    world: &mut World,
    edit: impl FnOnce(&mut World, &mut ByParent) -> R,
) -> R {
    let mut links = match take_links(world) {
        Some(new) => find(world, new),
        None => find_all(world),
    };
    let result = edit(world, &mut links);
    keep_links(world, links);
    result
}

/// Looks at the rows in which links may be new. An entity that came is noted under its `Parent`,
/// and under the parent of its record, because it may get that one again: the list of either may
/// lack it.
fn find(world: &World, new: NewLinks) -> ByParent {
    let NewLinks { mut by_parent, arrived, mut written } = new;
    if !arrived.is_empty() {
        let rows = FreshRows::new(world, Overrides::default());
        for child in arrived {
            let Ok(node) = rows.node(child) else { continue };
            if let Ok(Some(Parent(parent))) = node.parent()
                && node.has(Mask::LINK)
            {
                let previous = rows.get::<PreviousParent>(node).ok().flatten();
                let previous = previous.and_then(|previous| previous.0);
                for parent in each_once(Some(*parent), previous) {
                    by_parent.entry(parent).or_default().push(child);
                }
            }
        }
    }
    let links = ParentColumns::of(world);
    written.sort_unstable();
    written.dedup();
    for archetype in written {
        for (child, parent, previous) in links.rows(ArchetypeIndex(archetype)) {
            if let Some(parent) = parent.filter(|_| parent != previous) {
                by_parent.entry(parent).or_default().push(child);
            }
        }
    }
    by_parent
}

/// Looks at all links of the world and their records, and keeps each one that no `Children` has.
fn find_all(world: &World) -> ByParent {
    let (links, rows) = (ParentColumns::of(world), FreshRows::new(world, Overrides::default()));
    let mut by_parent = ByParent::default();
    let mut last = LastList::default();
    for archetype in links.archetypes {
        if !Mask::of(archetype.layout()).has_any(Mask::PARENT | Mask::PREVIOUS_PARENT) {
            continue;
        }
        for (child, parent, previous) in links.rows(archetype.index()) {
            for parent in each_once(parent, previous) {
                if !last.has(&rows, parent, child) {
                    by_parent.entry(parent).or_default().push(child);
                }
            }
        }
    }
    by_parent
}

/// A child's parent and the one of its record, if that is another.
fn each_once(parent: Option<Entity>, previous: Option<Entity>) -> impl Iterator<Item = Entity> {
    parent.into_iter().chain(previous.filter(|_| previous != parent))
}

/// The `Children` of the parent that was asked for last. Siblings often follow one another, in the
/// order of the list.
#[derive(Default)]
struct LastList<'w> {
    parent: Option<Entity>,
    list: &'w [Entity],
    /// The place behind the child that was found last.
    next: usize,
}

impl<'w> LastList<'w> {
    /// Whether the list has this child. It may be overlooked in a long list of another order.
    fn has(&mut self, rows: &FreshRows<'w, World>, parent: Entity, child: Entity) -> bool {
        const SHORT: usize = 16;
        if self.parent != Some(parent) {
            let node = rows.node(parent);
            let children = node.ok().and_then(|node| node.children().ok().flatten());
            let list = children.map_or(&[][..], |children| children.0.as_slice());
            *self = Self { parent: Some(parent), list, next: 0 };
        }
        if self.list.get(self.next) == Some(&child) {
            self.next += 1;
            return true;
        }
        self.list.len() <= SHORT && self.list.contains(&child)
    }
}

/// The links of a world, and their records.
struct ParentColumns<'w> {
    archetypes: &'w [Archetype],
    parents: Option<&'w PackedStorage<Parent>>,
    previous: Option<&'w PackedStorage<PreviousParent>>,
}

impl<'w> ParentColumns<'w> {
    fn of(world: &'w World) -> Self {
        Self {
            archetypes: Archetypes::of(world).list,
            parents: world.components().get_downcast::<Parent>(),
            previous: world.components().get_downcast::<PreviousParent>(),
        }
    }

    /// The entities of an archetype, with their parents and the record of these.
    fn rows(
        &self,
        archetype: ArchetypeIndex,
    ) -> impl Iterator<Item = (Entity, Option<Entity>, Option<Entity>)> + use<'w> {
        let parents = self.parents.and_then(|parents| parents.get(archetype));
        let previous = self.previous.and_then(|previous| previous.get(archetype));
        let parents = parents.map_or(&[][..], |column| column.into_slice());
        let previous = previous.map_or(&[][..], |column| column.into_slice());
        let entities = self.archetypes[archetype].entities().iter().enumerate();
        entities.map(|(row, child)| {
            let parent = parents.get(row).map(|parent| parent.0);
            (*child, parent, previous.get(row).and_then(|previous| previous.0))
        })
    }
}
