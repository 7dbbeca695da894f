//! What the `Parent`s say: who should hang off whom.

use std::collections::{HashMap, HashSet};

use legion::{Entity, world::EntityHasher};

use super::{
    forest::{NONE, NOWHERE},
    parent_system::ParentSystem,
    rows::Differences,
};
use crate::{
    archetypes::Archetypes,
    components::Parent,
    findings::FindingKind,
    layout::Mask,
    raw::slices::{Columns, Row},
};

/// An entity whose place in the hierarchy has to be looked at again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub entity: Entity,
    /// `None` for a dead one.
    pub row: Option<Row>,
    /// In the forest, or [`NONE`].
    pub position: u32,
}

/// What an entity should hang off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// Nothing.
    Root,
    /// This entity, which is there.
    Link(Entity, Row),
    /// Nothing, and its `Parent` is to be removed, as it names an entity that cannot be one.
    Repair(FindingKind, Entity),
}

impl ParentSystem {
    /// Everybody whose link may have changed: those that came or moved, those with another `Parent`, the children of those
    /// that are no parents any more, and those that wait for something.
    pub(super) fn candidates(
        &mut self,
        columns: &Columns<'_>,
        archetypes: &Archetypes,
        found: &Differences,
    ) -> Vec<Candidate> {
        let mut gathered = Gathered { mark: self.forest.new_marks(1), list: Vec::new() };
        for &row in found.entered.iter().chain(&found.reparented) {
            let entity = columns.entities(row.archetype)[row.row as usize];
            let position = self.rows.position(entity, row);
            gathered.add(self, Candidate { entity, row: Some(row), position });
        }
        for &(entity, lost) in &found.gone {
            let row = columns.locate(entity);
            if lost.position != NONE {
                self.forest.rows[lost.position as usize] = row.unwrap_or(NOWHERE);
                if row.is_some() {
                    self.rows.keep_homeless(entity, lost);
                }
            }
            gathered.add(self, Candidate { entity, row, position: lost.position });
        }
        let waiting: Vec<_> = if gathered.list.is_empty() && !Self::may_have_lost_worlds(archetypes) {
            Vec::new()
        } else {
            self.cyclic.iter().chain(self.unlinked.keys()).copied().collect()
        };
        // Those without position are told apart by themselves.
        let known: HashSet<Entity, EntityHasher> =
            if waiting.is_empty() { HashSet::default() } else { gathered.list.iter().map(|known| known.entity).collect() };
        for entity in waiting.into_iter().filter(|entity| !known.contains(entity)) {
            if let Some(row) = columns.locate(entity) {
                let position = self.rows.position(entity, row);
                gathered.add(self, Candidate { entity, row: Some(row), position });
            } else {
                self.unlinked.remove(&entity);
            }
        }
        self.add_orphans(columns, archetypes, &mut gathered);
        gathered.list
    }

    /// Adds the children of candidates that cannot be parents (any more).
    fn add_orphans(&mut self, columns: &Columns<'_>, archetypes: &Archetypes, gathered: &mut Gathered) {
        let mut orphans = Vec::new();
        for candidate in &gathered.list {
            let is_parent = candidate.row.is_some_and(|row| archetypes[row.archetype].mask.has(Mask::LOCAL_TO_WORLD));
            if !is_parent && candidate.position != NONE {
                self.forest.for_each_child(candidate.position, |child| orphans.push(child));
            }
        }
        for position in orphans {
            let row = self.forest.rows[position as usize];
            if row != NOWHERE {
                let entity = columns.entities(row.archetype)[row.row as usize];
                gathered.add(self, Candidate { entity, row: Some(row), position });
            }
        }
    }

    /// Whether an entity with `LocalToWorld` may have gone: such a one may be the parent of an entity that is no link yet.
    fn may_have_lost_worlds(archetypes: &Archetypes) -> bool {
        archetypes.having(Mask::LOCAL_TO_WORLD).any(|index| archetypes[index].is_changed(Mask::LOCAL_TO_WORLD))
    }

    /// What `candidate` should hang off by its components.
    pub(super) fn want(&mut self, columns: &Columns<'_>, archetypes: &Archetypes, candidate: &Candidate) -> Want {
        self.unlinked.remove(&candidate.entity);
        let Some(row) = candidate.row else { return Want::Root };
        let mask = archetypes[row.archetype].mask;
        if !mask.has(Mask::PARENT) {
            return Want::Root;
        }
        let parent = columns.read::<Parent>(row.archetype)[row.row as usize].0;
        let Some(parent_row) = columns.locate(parent) else { return Want::Repair(FindingKind::DeadParent, parent) };
        if !archetypes[parent_row.archetype].mask.has(Mask::LOCAL_TO_WORLD) {
            return Want::Repair(FindingKind::ParentWithoutLocalToWorld, parent);
        }
        if mask.has(Mask::LINK) {
            Want::Link(parent, parent_row)
        } else {
            self.unlinked.insert(candidate.entity, parent);
            Want::Root
        }
    }
}

/// Candidates, each once.
struct Gathered {
    mark: u32,
    list: Vec<Candidate>,
}

impl Gathered {
    fn add(&mut self, system: &mut ParentSystem, candidate: Candidate) {
        if candidate.position == NONE || !system.forest.mark(candidate.position, self.mark) {
            self.list.push(candidate);
        }
    }
}

/// Entities with a `Parent` that cannot take effect yet, with it.
pub(super) type Unlinked = HashMap<Entity, Entity, EntityHasher>;
