//! The links that `Children` may lack, for edits that need all children of an entity.
//!
//! ```text
//!  a state beside the world        the tracker's new links, by parent; for a parent whose list may
//!                                  be another than the last pass left it, the forest's children
//!  no state, or events were lost   all links of the world, less those in `Children`
//! ```
//!
//! P has the children c1 and c2. A user removes its `Children`, pushes c3 below it, and despawns it:
//!
//! ```text
//!  events       P out of 4, P into 2; c3 into 5
//!  arrived      P: it has a node, so its list is doubtful          the forest says c1, c2
//!               c3: its `Parent` is P                              new below P: c3
//! ```

use legion::{
    Entity, World,
    storage::{Archetype, ArchetypeIndex, ComponentStorage, PackedStorage},
};

use super::{
    fresh::{FreshRow, FreshRows},
    overrides::Overrides,
    state::WorldState,
    storage::{Archetypes, ByParent, Doubtful, Mask, NewLinks, with_state},
};
use crate::components::{Parent, PreviousParent};

/// The links that `Children` may lack. Some of them may be in `Children`, and some may be gone.
#[derive(Default)]
pub(crate) struct OtherLinks<'s> {
    pub by_parent: ByParent,
    doubtful: Doubtful,
    state: Option<&'s WorldState>,
}

impl std::fmt::Debug for OtherLinks<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.by_parent.fmt(f)
    }
}

impl OtherLinks<'_> {
    /// The entities that may be children of this one, beside those in its `Children`.
    pub fn of(&self, parent: FreshRow<'_, '_>) -> impl Iterator<Item = Entity> + '_ {
        let is_doubtful = self.doubtful.parents.contains(&parent.entity)
            || self.doubtful.is_written(parent.archetype.index.0, Mask::CHILDREN);
        let state = self.state.filter(|_| is_doubtful);
        let new = self.by_parent.get(&parent.entity).into_iter().flatten().copied();
        new.chain(state.into_iter().flat_map(move |state| state.children(parent.entity)))
    }

    /// The edit makes this link, and may write the parent's `Children`.
    pub fn add(&mut self, parent: Entity, child: Entity) {
        self.by_parent.entry(parent).or_default().push(child);
        // A child of the last run that the list loses may get this parent again.
        self.doubtful.parents.insert(parent);
    }
}

/// Runs an edit, and gives it the links that `Children` may lack. The edit adds those that it makes.
pub(crate) fn with_other_links<R>(
    world: &mut World,
    edit: impl FnOnce(&mut World, &mut OtherLinks<'_>) -> R,
) -> R {
    with_state(world, |world, state: Option<&mut WorldState>| {
        let Some(state) = state else { return edit(world, &mut find_all(world)) };
        let new = state.tracker_mut().take_links(world);
        let mut links = match new {
            Some(new) => find(world, new, state),
            None => find_all(world),
        };
        let result = edit(world, &mut links);
        let OtherLinks { by_parent, doubtful, .. } = links;
        let new = NewLinks { by_parent, doubtful, ..NewLinks::default() };
        state.tracker_mut().keep_links(world, new);
        result
    })
}

/// Runs an edit that makes a link, and adds the link to the new ones if they are known.
pub(crate) fn note_link<R, E>(
    world: &mut World,
    child: Entity,
    parent: Entity,
    edit: impl FnOnce(&mut World) -> Result<R, E>,
) -> Result<R, E> {
    with_state(world, |world, state: Option<&mut WorldState>| {
        let tracker = state.map(WorldState::tracker_mut);
        let knowing = tracker.and_then(|tracker| tracker.knows_links(world).then_some(tracker));
        let made = edit(world)?;
        if let Some(tracker) = knowing {
            tracker.note_link(world, child, parent);
        }
        Ok(made)
    })
}

/// Looks at the rows in which links may be new. An entity that came is noted under its `Parent`,
/// and under the parent of its record, because it may get that one again: the list of either may
/// lack it.
fn find<'s>(world: &World, new: NewLinks, state: &'s WorldState) -> OtherLinks<'s> {
    let NewLinks { mut by_parent, arrived, mut written, mut doubtful } = new;
    if !arrived.is_empty() {
        let rows = FreshRows::new(world, Overrides::default());
        for entity in arrived {
            if state.has_node(entity) {
                doubtful.parents.insert(entity);
            }
            let Ok(node) = rows.node(entity) else { continue };
            if let Ok(Some(Parent(parent))) = node.parent()
                && node.has(Mask::LINK)
            {
                let previous = rows.get::<PreviousParent>(node).ok().flatten();
                let previous = previous.and_then(|previous| previous.0);
                for parent in each_once(Some(*parent), previous) {
                    by_parent.entry(parent).or_default().push(entity);
                }
            }
        }
    }
    let links = ParentColumns::of(world);
    written.sort_unstable();
    written.dedup();
    for archetype in written {
        let is_recorded = !doubtful.is_written(archetype, Mask::PREVIOUS_PARENT);
        for (child, parent, previous) in links.rows(ArchetypeIndex(archetype)) {
            if let Some(parent) = parent.filter(|_| !is_recorded || parent != previous) {
                by_parent.entry(parent).or_default().push(child);
            }
        }
    }
    OtherLinks { by_parent, doubtful, state: Some(state) }
}

/// Looks at all links of the world and their records, and keeps each one that no `Children` has.
fn find_all(world: &World) -> OtherLinks<'static> {
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
    OtherLinks { by_parent, ..OtherLinks::default() }
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
