//! What the `Parent`s say: who should hang off whom.

use std::collections::{HashMap, HashSet};

use legion::{Entity, world::EntityHasher};

use super::{locate::Locator, parent_system::ParentSystem, rows::Differences};
use crate::{
    components::Parent,
    findings::{Finding, FindingKind},
    forest::{NONE, NOWHERE},
    raw::kernel::prefetch,
    storage::columns::{Columns, Row},
    storage::mask::Mask,
    storage::tracker::ChangeTracker,
};

/// How many entities ahead memory is asked for.
const AHEAD: usize = 8;

/// An entity whose place in the hierarchy has to be looked at again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub entity: Entity,
    /// [`NOWHERE`] for a dead one.
    pub row: Row,
    /// In the forest, or [`NONE`].
    pub slot: u32,
}

impl Candidate {
    pub fn is_dead(&self) -> bool {
        self.row == NOWHERE
    }
}

/// What an entity should hang off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// Nothing.
    Root,
    /// The entity at this row.
    Link(Row),
    /// Nothing, and its `Parent` is to be removed, as it names an entity that cannot be one.
    Repair,
}

impl ParentSystem {
    /// Everybody whose link may have changed: those that came or moved to another archetype, those with another `Parent`, the
    /// children of those that are no parents any more, and those that wait for something.
    pub(super) fn candidates(
        &mut self,
        columns: &Columns<'_>,
        tracker: &ChangeTracker,
        found: &Differences,
    ) -> Vec<Candidate> {
        let list = Vec::with_capacity(found.entered.len() + found.reparented.len() + found.gone.len());
        let mut gathered = Gathered { stamp: self.forest.new_visits(1), list };
        for candidate in self.newcomers(columns, found) {
            gathered.add(self, candidate);
        }
        for &(entity, row, lost) in &found.gone {
            // A row that has a node already belongs to an entity that is there twice, which counts as dead.
            let row = row.filter(|&row| lost.slot == NONE || self.forest.place(lost.slot, row));
            if let Some(row) = row.filter(|_| lost.slot != NONE) {
                self.rows.keep_if_homeless(columns, row);
            }
            gathered.add(self, Candidate { entity, row: row.unwrap_or(NOWHERE), slot: lost.slot });
        }
        self.add_waiting(columns, tracker, &mut gathered);
        self.add_orphans(columns, tracker, &mut gathered);
        gathered.list
    }

    /// Those that came, moved to another archetype or have another `Parent`: all before any is gathered, so that what is asked for
    /// here has come by then.
    fn newcomers(&mut self, columns: &Columns<'_>, found: &Differences) -> Vec<Candidate> {
        let mut newcomers = Vec::with_capacity(found.entered.len() + found.reparented.len());
        found.number_moved(columns, &mut self.numbers);
        for rows in [&found.entered, &found.reparented] {
            for rows in rows.chunk_by(|a, b| a.archetype == b.archetype) {
                let entities = columns.entities(rows[0].archetype);
                for (number, &row) in rows.iter().enumerate() {
                    if let Some(ahead) = rows.get(number + AHEAD) {
                        prefetch(&entities[ahead.row as usize]);
                    }
                    if found.has_only_moved(row, &self.numbers) {
                        continue;
                    }
                    let slot = self.forest.slot(row);
                    self.forest.prefetch(slot);
                    self.numbers.expect(row);
                    newcomers.push(Candidate { entity: entities[row.row as usize], row, slot });
                }
            }
        }
        newcomers
    }

    /// Adds those on cycles, and those that are no links yet.
    fn add_waiting(&mut self, columns: &Columns<'_>, tracker: &ChangeTracker, gathered: &mut Gathered) {
        if gathered.list.is_empty() && !Self::may_have_lost_worlds(tracker) {
            return;
        }
        let waiting: Vec<Entity> = self.cyclic.iter().chain(self.unlinked.keys()).copied().collect();
        if waiting.is_empty() {
            return;
        }
        // Those without a slot are told apart by themselves.
        let known: HashSet<Entity, EntityHasher> = gathered.list.iter().map(|known| known.entity).collect();
        for entity in waiting.into_iter().filter(|entity| !known.contains(entity)) {
            if let Some(row) = columns.locate(entity) {
                let slot = self.forest.slot(row);
                gathered.add(self, Candidate { entity, row, slot });
            } else {
                self.unlinked.remove(&entity);
            }
        }
    }

    /// Adds the children of candidates that cannot be parents (any more).
    fn add_orphans(&mut self, columns: &Columns<'_>, tracker: &ChangeTracker, gathered: &mut Gathered) {
        let mut orphans = Vec::new();
        for candidate in gathered.list.iter().filter(|candidate| candidate.slot != NONE) {
            let is_parent = !candidate.is_dead() && tracker[candidate.row.archetype].mask.has(Mask::LOCAL_TO_WORLD);
            if !is_parent {
                orphans.extend(self.forest.children(candidate.slot));
            }
        }
        for slot in orphans {
            let row = self.forest.row(slot);
            if row != NOWHERE {
                let entity = columns.entities(row.archetype)[row.row as usize];
                gathered.add(self, Candidate { entity, row, slot });
            }
        }
    }

    /// Whether an entity with `LocalToWorld` may have gone: such a one may be the parent of an entity that is no link yet.
    fn may_have_lost_worlds(tracker: &ChangeTracker) -> bool {
        tracker.having(Mask::LOCAL_TO_WORLD).any(|index| tracker[index].is_changed(Mask::LOCAL_TO_WORLD))
    }

    /// What `candidate` should hang off by its components; `parents` are those of its archetype.
    pub(super) fn want(
        &mut self,
        columns: &Columns<'_>,
        tracker: &ChangeTracker,
        locator: &mut Locator,
        (candidate, parents): (&Candidate, &[Parent]),
    ) -> Want {
        if !self.unlinked.is_empty() {
            self.unlinked.remove(&candidate.entity);
        }
        if parents.is_empty() {
            return Want::Root;
        }
        let parent = parents[candidate.row.row as usize].0;
        let mut repair = |kind| {
            self.repaired.push(Finding { kind, entity: candidate.entity, related: Some(parent) });
            Want::Repair
        };
        let Some(parent_row) = locator.locate(columns, parent) else { return repair(FindingKind::DeadParent) };
        if !tracker[parent_row.archetype].mask.has(Mask::LOCAL_TO_WORLD) {
            return repair(FindingKind::ParentWithoutLocalToWorld);
        }
        if tracker[candidate.row.archetype].mask.has(Mask::LINK) {
            Want::Link(parent_row)
        } else {
            self.unlinked.insert(candidate.entity, parent);
            Want::Root
        }
    }
}

/// Candidates, each once.
struct Gathered {
    stamp: u32,
    list: Vec<Candidate>,
}

impl Gathered {
    fn add(&mut self, system: &mut ParentSystem, candidate: Candidate) {
        if candidate.slot == NONE || system.forest.visit(candidate.slot, self.stamp) != self.stamp {
            self.list.push(candidate);
        }
    }
}

/// Entities with a `Parent` that cannot take effect yet, with it.
pub(super) type Unlinked = HashMap<Entity, Entity, EntityHasher>;
