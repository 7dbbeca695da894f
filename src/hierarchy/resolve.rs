//! What every entity of a diff has to hang off, as its `Parent` says.

use std::collections::HashSet;

use legion::{Entity, world::EntityHasher};

use super::{
    Hierarchy,
    change::{Candidate, LinkChange, LinkTarget},
    diff::Diff,
};
use crate::{
    components::Parent,
    findings::{Finding, FindingKind},
    forest::{NONE, NOWHERE},
    storage::columns::{Columns, Row},
    storage::mask::Mask,
    storage::tracker::ChangeTracker,
};

impl Hierarchy {
    /// The entities whose link may have changed: those that came or moved to another archetype, those with another `Parent`, the
    /// children of those that are no parents any more, and those that wait for something.
    pub(super) fn candidates(&mut self, columns: &Columns<'_>, tracker: &ChangeTracker, diff: &Diff) -> Vec<Candidate> {
        let list = Vec::with_capacity(diff.entered.len() + diff.reparented.len() + diff.gone.len());
        let mut gathered = Gathered { stamp: self.forest.new_visits(1), list };
        self.add_newcomers(columns, diff, &mut gathered);
        for &(entity, row, slot) in &diff.gone {
            // A row that has a node already belongs to an entity that is there twice, which counts as dead.
            let row = row.filter(|&row| slot == NONE || self.forest.place(slot, row));
            if let Some(row) = row.filter(|_| slot != NONE) {
                self.snapshots.keep_if_outside(columns, row);
            }
            gathered.add(self, Candidate { entity, row: row.unwrap_or(NOWHERE), slot });
        }
        self.add_waiting(columns, tracker, &mut gathered);
        self.add_orphans(columns, tracker, &mut gathered);
        gathered.list
    }

    /// Adds those that came, moved to another archetype or have another `Parent`.
    fn add_newcomers(&mut self, columns: &Columns<'_>, diff: &Diff, gathered: &mut Gathered) {
        diff.index_moved(columns, &mut self.index_by_row);
        for rows in [&diff.entered, &diff.reparented] {
            for rows in rows.chunk_by(|a, b| a.archetype == b.archetype) {
                let entities = columns.entities(rows[0].archetype);
                for &row in rows {
                    if diff.has_only_moved(row, &self.index_by_row) {
                        continue;
                    }
                    let slot = self.forest.slot(row);
                    gathered.add(self, Candidate { entity: entities[row.row as usize], row, slot });
                }
            }
        }
    }

    /// Adds those on cycles, if any of them is there already, and those that are no links yet. What is on a cycle hangs off what is on
    /// it, so it stays there as long as nothing happens to any of them.
    fn add_waiting(&mut self, columns: &Columns<'_>, tracker: &ChangeTracker, gathered: &mut Gathered) {
        if gathered.list.is_empty() && !Self::may_have_lost_worlds(tracker) {
            return;
        }
        let is_cyclic = |known: &Candidate| known.slot != NONE && self.forest.is_cyclic(known.slot);
        let cyclic = match gathered.list.iter().any(is_cyclic) {
            true => std::mem::take(&mut self.cyclic),
            false => Vec::new(),
        };
        let waiting: Vec<Entity> = cyclic.iter().chain(self.pending.keys()).copied().collect();
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
                self.pending.remove(&entity);
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

    /// The candidates that have to hang off something else than they do.
    pub(super) fn resolve(
        &mut self,
        columns: &Columns<'_>,
        tracker: &ChangeTracker,
        candidates: &[Candidate],
    ) -> Vec<LinkChange> {
        let mut changes = Vec::with_capacity(candidates.len());
        for candidates in candidates.chunk_by(|a, b| a.row.archetype == b.row.archetype) {
            let parents = if candidates[0].is_dead() { &[] } else { columns.read::<Parent>(candidates[0].row.archetype) };
            // Siblings often follow one another.
            let mut last = None;
            for candidate in candidates {
                let target = self.target_of(columns, tracker, (candidate, parents), &mut last);
                changes.extend(self.change(candidate, target));
            }
        }
        changes
    }

    /// What changes for a candidate, if anything does.
    fn change(&self, candidate: &Candidate, target: LinkTarget) -> Option<LinkChange> {
        let &Candidate { entity, row, slot } = candidate;
        let (linked, cyclic) = match slot {
            NONE => (false, false),
            _ => (self.forest.is_linked(slot), self.forest.is_cyclic(slot)),
        };
        let new_parent = if let LinkTarget::Link(parent) = target { self.forest.slot(parent) } else { NONE };
        let changed = match target {
            LinkTarget::Link(_) => cyclic || !linked || self.forest.parent(slot) != Some(new_parent),
            LinkTarget::Root => linked || cyclic,
            LinkTarget::Repair => true,
        };
        let parent = if slot == NONE { None } else { self.forest.parent(slot) };
        let old_parent = parent.map_or(NOWHERE, |parent| self.forest.row(parent));
        changed.then_some(LinkChange { entity, row, slot, target, cyclic: false, old_parent })
    }

    /// What `candidate` has to hang off by its components; `parents` are those of its archetype, `last` the one asked for before.
    fn target_of(
        &mut self,
        columns: &Columns<'_>,
        tracker: &ChangeTracker,
        (candidate, parents): (&Candidate, &[Parent]),
        last: &mut Option<(Entity, Row)>,
    ) -> LinkTarget {
        if !self.pending.is_empty() {
            self.pending.remove(&candidate.entity);
        }
        if parents.is_empty() {
            return LinkTarget::Root;
        }
        let parent = parents[candidate.row.row as usize].0;
        let mut repair = |kind| {
            self.repaired.push(Finding { kind, entity: candidate.entity, related: Some(parent) });
            LinkTarget::Repair
        };
        let known = last.filter(|(entity, _)| *entity == parent).map(|(_, row)| row);
        let Some(parent_row) = known.or_else(|| columns.locate(parent)) else { return repair(FindingKind::DeadParent) };
        *last = Some((parent, parent_row));
        if !tracker[parent_row.archetype].mask.has(Mask::LOCAL_TO_WORLD) {
            return repair(FindingKind::ParentWithoutLocalToWorld);
        }
        if tracker[candidate.row.archetype].mask.has(Mask::LINK) {
            LinkTarget::Link(parent_row)
        } else {
            self.pending.insert(candidate.entity, parent);
            LinkTarget::Root
        }
    }
}

/// Candidates, each once.
struct Gathered {
    stamp: u32,
    list: Vec<Candidate>,
}

impl Gathered {
    fn add(&mut self, hierarchy: &mut Hierarchy, candidate: Candidate) {
        if candidate.slot == NONE || hierarchy.forest.visit(candidate.slot, self.stamp) != self.stamp {
            self.list.push(candidate);
        }
    }
}
