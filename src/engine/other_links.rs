//! The links that `Children` may lack, for edits that need all children of an entity.
//!
//! ```text
//!  a state beside the world        the tracker's new links, by parent; for a parent whose list may
//!                                  differ from what the last pass left, the forest's children
//!  ... but events were lost        the same, as if all linked entities had just come
//!  no state                        all links of the world
//! ```
//!
//! P has the children c1 and c2. A user removes its `Children`, pushes c3 below it, and despawns
//! its subtree:
//!
//! ```text
//!  events       P out of 4, P into 2; c3 into 5
//!  arrived      P: it has a node, so its list may be wrong         the forest says c1, c2
//!               c3: its `Parent` is P                              new below P: c3
//! ```

use std::collections::HashSet;

use legion::{
    Entity, World,
    storage::{ArchetypeIndex, ComponentStorage},
    world::EntityHasher,
};

use super::{
    fresh::FreshRows,
    state::WorldState,
    storage::{Archetypes, Mask, NewLinks, WorldCell, captured},
};
use crate::{
    components::{Parent, PreviousParent},
    findings::QueryError,
};

type Entities = HashSet<Entity, EntityHasher>;

/// The links that `Children` may lack. Some of them may be in `Children`, and some may be gone.
#[derive(Default)]
pub(crate) struct OtherLinks<'s> {
    /// None is left to be looked at.
    new: NewLinks,
    state: Option<&'s WorldState>,
}

impl OtherLinks<'_> {
    /// All links of a world, whose access was checked.
    pub fn all(rows: &FreshRows<'_>) -> Self {
        let mut links = Self::default();
        for columns in rows.access.all().filter_map(|at| rows.access.columns(at, Mask::PARENT)) {
            let parents = columns.parent.unwrap_or_default();
            for (child, Parent(parent)) in columns.entities.iter().zip(parents) {
                links.new.by_parent.entry(*parent).or_default().push(*child);
            }
        }
        links.new.calls = WorldCell::calls(&rows.access);
        links
    }

    /// The entities that may be children of this one, beside those in its `Children`. It stands in
    /// this archetype.
    pub fn of(&self, parent: Entity, archetype: ArchetypeIndex) -> impl Iterator<Item = Entity> {
        let is_doubtful = self.new.doubtful.contains(&parent)
            || self.new.is_rewritten(archetype.0, Mask::CHILDREN);
        let new = self.new.by_parent.get(&parent).into_iter().flatten().copied();
        let late =
            self.state.into_iter().flat_map(move |state| state.hierarchy.waiting.children(parent));
        let state = self.state.filter(|_| is_doubtful);
        new.chain(late).chain(state.into_iter().flat_map(move |state| state.children(parent)))
    }

    /// The parents into whose lists edits may have put children. All, for `None`.
    pub fn placed(&self) -> Option<&Entities> {
        self.state.map(|_| &self.new.doubtful)
    }

    /// The entity of the origin in the world's last run, if the bundle has frames.
    pub fn viewer(&self) -> Option<Entity> {
        self.state?.viewer()
    }

    /// The place of a child among others that are new.
    pub fn place_of(&self, child: Entity) -> usize {
        self.new.calls.place(child)
    }

    /// Whether a child is the last one, wherever it stands in the list of `Children`.
    pub fn is_last(&self, child: Entity, parent: Entity) -> bool {
        self.new.calls.is_last(child, parent)
    }

    /// The children that wait for their parents now, in the order of their ids.
    ///
    /// # Errors
    /// If one may wait or not, as a bundle that has not run yet gives it a matrix or not.
    pub fn waiting(&self, world: &World) -> Result<Vec<Entity>, QueryError> {
        let rows = FreshRows::new(world);
        let new = self.new.by_parent.values().flatten().copied();
        let old = self.state.into_iter().flat_map(|state| state.hierarchy.waiting.all());
        let mut all = Vec::new();
        for node in new.chain(old).filter_map(|child| rows.node(child).ok()) {
            all.extend(rows.waits(node)?.then_some(node.entity));
        }
        all.sort_unstable_by_key(captured);
        all.dedup();
        Ok(all)
    }

    /// Runs an edit, and gives it the links that `Children` may lack. The edit adds those that it
    /// makes.
    pub fn with<R>(
        world: &mut World,
        edit: impl FnOnce(&mut World, &mut OtherLinks<'_>) -> R,
    ) -> R {
        WorldCell::with_state(world, |world, state: Option<&mut WorldState>| {
            let Some(state) = state else {
                let mut links = OtherLinks::all(&FreshRows::new(world));
                return edit(world, &mut links);
            };
            // Unknown meanwhile, so also if a panic ends the edit.
            let mut new = std::mem::take(&mut state.new_links);
            if !new.are_known(world, &state.tracker) {
                let all = Archetypes::of(world).list.iter();
                let linked = all.filter(|it| it.layout().has_component::<Parent>());
                // Copied, not cloned: a clone of an entity asks Legion whether a merge renames it.
                new.arrived.extend(linked.flat_map(|it| it.entities().iter().copied()));
            } else if !new.knows_cycles {
                new.arrived.extend(state.hierarchy.cyclic.iter().copied());
            }
            new.knows_cycles = true;
            new.read_calls(world, &state.tracker);
            let mut links = find(world, new, state);
            let result = edit(world, &mut links);
            let mut new = links.new;
            new.keep(world, &state.tracker);
            state.new_links = new;
            result
        })
    }

    /// Runs an edit with [`placed`](Self::placed) and [`viewer`](Self::viewer). It may make a link,
    /// which is one of the new ones then, if they are known.
    pub fn note<R, E>(
        world: &mut World,
        child: Entity,
        parent: Option<Entity>,
        edit: impl FnOnce(&mut World, Option<&Entities>, Option<Entity>) -> Result<R, E>,
    ) -> Result<R, E> {
        WorldCell::with_state(world, |world, state: Option<&mut WorldState>| {
            let Some(state) = state else { return edit(world, None, None) };
            let parent = parent.filter(|_| state.new_links.are_known(world, &state.tracker));
            let made = edit(world, Some(&state.new_links.doubtful), state.viewer())?;
            if let Some(parent) = parent {
                state.new_links.by_parent.entry(parent).or_default().push(child);
                state.new_links.keep(world, &state.tracker);
            }
            Ok(made)
        })
    }

    /// The edit makes this link, and may write the parent's `Children`.
    pub fn add(&mut self, parent: Entity, child: Entity) {
        self.new.by_parent.entry(parent).or_default().push(child);
        // A child of the last run that the list loses may get this parent again.
        self.new.doubtful.insert(parent);
    }

    /// An edit gave an entity another parent, as its last child; or wrote the list of one.
    pub fn note_call(world: &mut World, entity: Entity, is_list: bool) {
        WorldCell::note_call(world, entity, is_list);
    }
}

/// Looks at the rows in which links may be new. An entity that came is noted under its `Parent`,
/// and under the parent of its record, because it may get that one again: the list of either may
/// lack it.
fn find<'s>(world: &World, mut new: NewLinks, state: &'s WorldState) -> OtherLinks<'s> {
    let arrived = std::mem::take(&mut new.arrived);
    if !arrived.is_empty() {
        let rows = FreshRows::new(world);
        for entity in arrived {
            if state.has_node(entity) {
                new.doubtful.insert(entity);
            }
            let Ok(node) = rows.node(entity) else { continue };
            if let Ok(Some(Parent(parent))) = node.parent()
                && node.has(Mask::LINK)
            {
                let previous = rows.get::<PreviousParent>(node).ok().flatten();
                let previous = previous.and_then(|it| it.0).filter(|it| it != parent);
                for parent in previous.into_iter().chain([*parent]) {
                    new.by_parent.entry(parent).or_default().push(entity);
                }
            }
        }
    }
    for archetype in std::mem::take(&mut new.written) {
        let is_recorded = !new.is_rewritten(archetype, Mask::PREVIOUS_PARENT);
        let (index, components) = (ArchetypeIndex(archetype), world.components());
        let parents = components.get_downcast::<Parent>().and_then(|it| it.get(index));
        let previous = components.get_downcast::<PreviousParent>().and_then(|it| it.get(index));
        let previous = previous.map_or(&[][..], |column| column.into_slice());
        let parents = parents.map_or(&[][..], |column| column.into_slice());
        let children = Archetypes::of(world).list[index].entities();
        for (row, (child, Parent(parent))) in children.iter().zip(parents).enumerate() {
            let is_old = previous.get(row).is_some_and(|it| it.0 == Some(*parent));
            if !(is_recorded && is_old) {
                new.by_parent.entry(*parent).or_default().push(*child);
            }
        }
    }
    OtherLinks { new, state: Some(state) }
}
