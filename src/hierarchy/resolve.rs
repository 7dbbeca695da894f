//! What every entity of a diff has to hang off, as its `Parent` says.

use std::collections::HashSet;

use legion::{Entity, world::EntityHasher};

use super::{
    Hierarchy,
    change::{Candidate, Cut, LinkChange, LinkChanges, LinkTarget},
    diff::Diff,
};
use crate::{
    components::Parent,
    findings::{Finding, FindingKind},
    forest::NONE,
    storage::{ChangeTracker, Columns, Mask, Row},
};

impl Hierarchy {
    /// Finds the entities whose link may have changed, and those of them that get another one.
    pub(super) fn resolve(
        &mut self,
        columns: &Columns<'_>,
        tracker: &ChangeTracker,
        diff: &Diff,
    ) -> LinkChanges {
        let candidates = self.candidates(columns, tracker, diff);
        let mut changes = LinkChanges {
            list: Vec::with_capacity(candidates.len()),
            dead: diff.dead.clone(),
            ..LinkChanges::default()
        };
        for candidates in candidates.chunk_by(|a, b| a.row.archetype == b.row.archetype) {
            let mut resolver = Resolver::new(columns, tracker, candidates[0].row.archetype);
            for candidate in candidates {
                let target = self.target_of(&mut resolver, candidate);
                self.change(columns, *candidate, target, &mut changes);
            }
        }
        for dead in &diff.dead {
            self.pending.remove(&dead.entity);
            self.cut(dead.entity, dead.slot, &mut changes);
        }
        changes.candidates = candidates;
        changes
    }

    /// The entities whose link may have changed: those that came, those with another `Parent`, the
    /// children of those that are no parents any more, and those that wait for something.
    fn candidates(
        &mut self,
        columns: &Columns<'_>,
        tracker: &ChangeTracker,
        diff: &Diff,
    ) -> Vec<Candidate> {
        let stamp = self.forest.new_visits(1);
        let mut gathered = Gathered { stamp, candidates: Vec::new() };
        for range in &diff.entered {
            let has_parents = tracker[range.archetype].mask.has(Mask::PARENT);
            if has_parents {
                gathered.candidates.reserve(range.rows.len());
            }
            for row in range.iter() {
                let slot = self.forest.slot(row);
                if has_parents || slot != NONE {
                    gathered.add(self, Candidate { row, slot });
                }
            }
        }
        let entered = gathered.candidates.len();
        for &row in &diff.reparented {
            let slot = self.forest.slot(row);
            gathered.add(self, Candidate { row, slot });
        }
        self.add_waiting(columns, tracker, diff, &mut gathered);
        self.add_orphans(tracker, diff, &mut gathered);
        // Which way an entity is found depends on which columns count as written, and so on other
        // worlds, which share the counter of versions; the order must not.
        gathered.candidates[entered..].sort_unstable_by_key(|candidate| candidate.row);
        gathered.candidates
    }

    /// Adds those on cycles, if any of them is there already, and those that are no links yet. An
    /// entity on a cycle is the child of another one on it, so it stays there as long as nothing
    /// happens to any of them.
    fn add_waiting(
        &mut self,
        columns: &Columns<'_>,
        tracker: &ChangeTracker,
        diff: &Diff,
        gathered: &mut Gathered,
    ) {
        let (living, dead) = (&gathered.candidates, &diff.dead);
        let is_calm = diff.entered.is_empty() && living.is_empty() && dead.is_empty();
        if is_calm && !Self::may_have_lost_worlds(tracker) {
            return;
        }
        let mut slots =
            living.iter().map(|known| known.slot).chain(dead.iter().map(|dead| dead.slot));
        let cyclic = match slots.any(|slot| slot != NONE && self.forest.is_cyclic(slot)) {
            true => std::mem::take(&mut self.cyclic),
            false => Vec::new(),
        };
        let waiting: Vec<Entity> = cyclic.iter().chain(self.pending.keys()).copied().collect();
        if waiting.is_empty() {
            return;
        }
        // Those without a slot are told apart by themselves.
        let known: HashSet<Entity, EntityHasher> = living
            .iter()
            .map(|known| columns.entity(known.row))
            .chain(dead.iter().map(|dead| dead.entity))
            .collect();
        for entity in waiting.into_iter().filter(|entity| !known.contains(entity)) {
            if let Some(row) = tracker.locate(entity) {
                let slot = self.forest.slot(row);
                gathered.add(self, Candidate { row, slot });
            } else {
                self.pending.remove(&entity);
            }
        }
    }

    /// Adds the children of candidates that cannot be parents (any more).
    fn add_orphans(&mut self, tracker: &ChangeTracker, diff: &Diff, gathered: &mut Gathered) {
        let (living, dead) = (&gathered.candidates, &diff.dead);
        let is_parent =
            |known: &Candidate| tracker[known.row.archetype].mask.has(Mask::LOCAL_TO_WORLD);
        let lost = living.iter().filter(|known| !is_parent(known)).map(|known| known.slot);
        let lost = lost.chain(dead.iter().map(|dead| dead.slot)).filter(|&slot| slot != NONE);
        let orphans: Vec<u32> = lost.flat_map(|slot| self.forest.children(slot)).collect();
        for slot in orphans {
            let row = self.forest.row(slot);
            if row != Row::NOWHERE {
                gathered.add(self, Candidate { row, slot });
            }
        }
    }

    /// Whether an entity with `LocalToWorld` may have gone: such a one may be the parent of an
    /// entity that is no link yet.
    fn may_have_lost_worlds(tracker: &ChangeTracker) -> bool {
        tracker
            .having(Mask::LOCAL_TO_WORLD)
            .any(|index| tracker[index].is_changed(Mask::LOCAL_TO_WORLD))
    }

    /// Adds what changes for a candidate, if anything does.
    fn change(
        &self,
        columns: &Columns<'_>,
        candidate: Candidate,
        target: LinkTarget,
        changes: &mut LinkChanges,
    ) {
        let Candidate { row, slot } = candidate;
        let (linked, cyclic) = match slot {
            NONE => (false, false),
            _ => (self.forest.is_linked(slot), self.forest.is_cyclic(slot)),
        };
        let changed = match target {
            LinkTarget::Link(parent) => {
                cyclic || !linked || self.forest.parent(slot) != Some(self.forest.slot(parent))
            }
            LinkTarget::Root => linked || cyclic,
            LinkTarget::Repair | LinkTarget::Cycle => true,
        };
        if changed {
            changes.list.push(LinkChange { row, slot, target });
            if linked {
                self.cut(columns.entity(row), slot, changes);
            }
        }
    }

    /// Adds the link of an entity to those that go, if it has one to a parent that is alive.
    pub(super) fn cut(&self, child: Entity, slot: u32, changes: &mut LinkChanges) {
        let parent = if slot == NONE { None } else { self.forest.parent(slot) };
        let parent =
            parent.map(|parent| self.forest.row(parent)).filter(|&parent| parent != Row::NOWHERE);
        changes.cut.extend(parent.map(|parent| Cut { parent, child }));
    }

    /// What a candidate has to hang off by its components.
    fn target_of(&mut self, resolver: &mut Resolver<'_, '_>, candidate: &Candidate) -> LinkTarget {
        let Resolver { columns, tracker, parents, is_link, last } = resolver;
        if !self.pending.is_empty() {
            self.pending.remove(&columns.entity(candidate.row));
        }
        let Some(&Parent(parent)) = parents.get(candidate.row.row as usize) else {
            return LinkTarget::Root;
        };
        let mut repair = |kind| {
            self.repaired.push(Finding {
                kind,
                entity: columns.entity(candidate.row),
                related: Some(parent),
            });
            LinkTarget::Repair
        };
        let known = last.filter(|(entity, _)| *entity == parent).map(|(_, row)| row);
        let Some(parent_row) = known.or_else(|| tracker.locate(parent)) else {
            // It may be alive, without any transform component.
            return repair(match columns.locate(parent) {
                Some(_) => FindingKind::ParentWithoutLocalToWorld,
                None => FindingKind::DeadParent,
            });
        };
        *last = Some((parent, parent_row));
        if !tracker[parent_row.archetype].mask.has(Mask::LOCAL_TO_WORLD) {
            return repair(FindingKind::ParentWithoutLocalToWorld);
        }
        if *is_link {
            LinkTarget::Link(parent_row)
        } else {
            self.pending.insert(columns.entity(candidate.row), parent);
            LinkTarget::Root
        }
    }
}

/// What tells the targets in an archetype.
struct Resolver<'a, 'w> {
    columns: &'a Columns<'w>,
    tracker: &'a ChangeTracker,
    parents: &'a [Parent],
    /// Whether entities that have a parent hang off it.
    is_link: bool,
    /// The parent that was asked for last, as siblings often follow one another.
    last: Option<(Entity, Row)>,
}

impl<'a, 'w> Resolver<'a, 'w> {
    fn new(columns: &'a Columns<'w>, tracker: &'a ChangeTracker, archetype: u32) -> Self {
        let is_link = tracker[archetype].mask.has(Mask::LINK);
        Self { columns, tracker, parents: columns.read(archetype), is_link, last: None }
    }
}

/// Candidates, each once.
struct Gathered {
    stamp: u32,
    candidates: Vec<Candidate>,
}

impl Gathered {
    fn add(&mut self, hierarchy: &mut Hierarchy, candidate: Candidate) {
        if candidate.slot == NONE
            || hierarchy.forest.visit(candidate.slot, self.stamp) != self.stamp
        {
            self.candidates.push(candidate);
        }
    }
}
