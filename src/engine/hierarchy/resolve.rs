//! Decides for each entity of a diff which parent it gets.
//!
//! First all *candidates* are gathered: entities whose link may have changed. Then the target of
//! each is compared with its parent in the forest:
//!
//! ```text
//!  candidate   why                        Parent  target      in forest  change
//!  mars  1:0   `Parent` was written       venus   Link(2:2)   sun        Link, cut (sun, mars)
//!  moon  2:0   it came to its archetype   mars    Link(1:0)   mars       none
//!  crew  2:3   its parent died            ship    Repair      ship       Repair, no cut
//!  tug   2:5   it came before its parent  port    Wait        -          Wait
//!  rock  0:1   its `Parent` was removed   -       Root        sun        Root, cut (sun, rock)
//! ```
//!
//! # The target of a candidate
//!
//! It is what its `Parent` and its parent's components make of its link.
//!
//! ```text
//!   the entity                        its parent                target
//!   has no `Parent`                                             Root
//!   has all that a child needs        has `LocalToWorld`        Link
//!   lacks a matrix                    has `LocalToWorld`        Root
//!   the record names the parent       is dead, or lacks it      Repair, and a finding
//!   the record does not               is not there, or          Wait; Root, where the entity
//!                                       lacks it                  lacks a matrix
//! ```
//!
//! With `insert_missing`, a parent that lacks `LocalToWorld` counts as if it had it.

use legion::Entity;

use super::{
    Hierarchy,
    change::{Candidate, Cut, LinkChange, LinkChanges, LinkTarget, Read},
    diff::Diff,
};
use crate::{
    components::{Parent, PreviousParent},
    engine::{
        bulk::Migration,
        forest::{Forest, NONE},
        storage::{ChangeTracker, Mask, Row},
    },
    findings::{Finding, FindingKind},
};

impl Hierarchy {
    /// Finds the entities whose link may have changed, and decides which of them get a new one.
    ///
    /// The forest is only read. Cycles are found [afterwards](Self::close_cycles).
    pub(super) fn resolve(&mut self, read: Read<'_, '_>, diff: &Diff) -> LinkChanges {
        let candidates = self.candidates(read, diff);
        let list = Vec::with_capacity(candidates.len());
        let mut changes = LinkChanges { list, ..LinkChanges::default() };
        let mut locate = read.tracker.locator();
        for candidates in candidates.chunk_by(|a, b| a.row.archetype == b.row.archetype) {
            let reader = TargetReader::new(read, candidates[0].row.archetype);
            for candidate in candidates {
                let target = self.target_of(&reader, candidate, &mut locate);
                self.change(&reader, *candidate, target, &mut changes);
            }
        }
        for dead in &diff.dead {
            self.wait(read.tracker, dead.entity, None, LinkTarget::Root, &mut changes);
            self.cut(dead.entity, dead.slot, &mut changes);
        }
        changes.candidates = candidates;
        changes
    }

    /// The entities whose link may have changed, each once:
    ///
    /// - entities that came, in the order of the diff,
    /// - then, sorted by row: entities with another `Parent`, children of entities that cannot be
    ///   parents any more, those whose parents have come at last, and those on cycles.
    ///
    /// An entity that came to an archetype without `Parent` is a candidate if it has a node: it may
    /// have lost its `Parent` on the way.
    fn candidates(&mut self, read: Read<'_, '_>, diff: &Diff) -> Vec<Candidate> {
        let tracker = read.tracker;
        let stamp = self.forest.new_visits(1);
        let mut gathered = Gathered { stamp, candidates: Vec::new() };
        for range in &diff.entered {
            let has_parents = tracker[range.archetype].mask.has(Mask::PARENT);
            if has_parents {
                gathered.candidates.reserve(range.rows.len());
            }
            for row in range.iter() {
                if has_parents || self.forest.slot(row) != NONE {
                    gathered.add(&mut self.forest, row);
                }
            }
        }
        let entered = gathered.candidates.len();
        diff.reparented.iter().for_each(|&row| gathered.add(&mut self.forest, row));
        for row in tracker.calls.last().filter_map(|child| tracker.locate(child)) {
            if self.forest.slot(row) != NONE {
                gathered.add(&mut self.forest, row);
            }
        }
        self.add_cyclic(read, diff, &mut gathered);
        let awaited = self.awaited(read);
        self.add_each(read, awaited, &mut gathered);
        self.add_orphans(read, diff, &mut gathered);
        // One entity may be found in several ways, for example as re-parented and as an orphan.
        // Which way finds it first depends on the columns that count as written, and so on other
        // worlds: all worlds share the counter of versions. Sorted, children have the same order
        // whatever happens in other worlds.
        gathered.candidates[entered..].sort_unstable_by_key(|candidate| candidate.row);
        gathered.candidates
    }

    /// Adds all entities on cycles, if any of them is a candidate or dead.
    ///
    /// A cycle ends only if one of its entities changes: with a, b and c on a cycle, a new `Parent`
    /// of b makes candidates of a and c.
    fn add_cyclic(&mut self, read: Read<'_, '_>, diff: &Diff, gathered: &mut Gathered) {
        if self.cyclic.is_empty() {
            return;
        }
        let living = gathered.candidates.iter().map(|it| (read.columns.entity(it.row), it.slot));
        let mut known = living.chain(diff.dead.iter().map(|dead| (dead.entity, dead.slot)));
        let is_cyclic = |(entity, slot): (Entity, u32)| {
            slot != NONE && self.forest.is_held(slot) && self.waiting.parent(entity).is_none()
        };
        if known.any(is_cyclic) {
            let cyclic = std::mem::take(&mut self.cyclic);
            self.add_each(read, cyclic, gathered);
        }
    }

    /// Adds entities that have nodes, as far as they are alive.
    fn add_each(&mut self, read: Read<'_, '_>, entities: Vec<Entity>, gathered: &mut Gathered) {
        let rows = entities.into_iter().filter_map(|entity| read.tracker.locate(entity));
        rows.for_each(|row| gathered.add(&mut self.forest, row));
    }

    /// Adds the children of dead nodes and of candidates without `LocalToWorld`, which cannot be
    /// parents any more. Costs O(children).
    fn add_orphans(&mut self, read: Read<'_, '_>, diff: &Diff, gathered: &mut Gathered) {
        let (living, dead) = (&gathered.candidates, &diff.dead);
        let lost = living.iter().filter(|known| !self.can_be_parent(read, known.row));
        let lost = lost.map(|known| known.slot);
        let lost = lost.chain(dead.iter().map(|dead| dead.slot)).filter(|&slot| slot != NONE);
        let orphans = lost.flat_map(|slot| self.forest.children(slot));
        let orphans: Vec<Row> = orphans.map(|slot| self.forest.row(slot)).collect();
        let orphans = orphans.into_iter().filter(|&row| row != Row::NOWHERE);
        orphans.for_each(|row| gathered.add(&mut self.forest, row));
    }

    /// Adds the change of a candidate, if its target is not what the forest has.
    ///
    /// ```text
    ///  forest               target        change
    ///  child of slot 1      Link to it    none, unless it left and came back by calls
    ///  child of slot 1      another Link  yes, and the old link is cut
    ///  child of slot 1      Root, Repair  yes, and the old link is cut
    ///  on a cycle           any           yes: `close_cycles` marks it again, if it still is
    ///  waits                Wait          none
    ///  waits                another       yes
    ///  root or no node      Link, Wait    yes
    ///  root or no node      Root          none
    ///  root or no node      Repair        yes: `Parent` is removed
    /// ```
    fn change(
        &mut self,
        reader: &TargetReader<'_, '_>,
        candidate: Candidate,
        target: LinkTarget,
        changes: &mut LinkChanges,
    ) {
        let Candidate { row, slot } = candidate;
        let entity = reader.read.columns.entity(row);
        let parent = (target == LinkTarget::Wait).then(|| reader.parents[row.row as usize].0);
        let waited = self.wait(reader.read.tracker, entity, parent, target, changes);
        let (linked, held) = match slot {
            NONE => (false, false),
            _ => (self.forest.is_linked(slot), self.forest.is_held(slot)),
        };
        let changed = match target {
            LinkTarget::Link(parent) => {
                held || !linked
                    || self.forest.parent(slot) != Some(self.forest.slot(parent))
                    || reader.read.tracker.calls.is_last(entity, reader.read.columns.entity(parent))
            }
            LinkTarget::Root => linked || held,
            LinkTarget::Wait => !waited,
            LinkTarget::Repair | LinkTarget::Cycle => true,
        };
        if changed {
            changes.list.push(LinkChange { row, slot, target });
            if linked {
                self.cut(entity, slot, changes);
            }
        }
    }

    /// An entity waits for this parent, or for none. Returns whether it waited before.
    ///
    /// A parent without `LocalToWorld` may have a list that names it, from a save: the list loses a
    /// child that does not wait for this parent any more and is not linked to it.
    fn wait(
        &mut self,
        tracker: &ChangeTracker,
        child: Entity,
        parent: Option<Entity>,
        target: LinkTarget,
        changes: &mut LinkChanges,
    ) -> bool {
        let old = self.waiting.set(child, parent);
        let left = old.filter(|_| old != parent).and_then(|old| tracker.locate(old));
        let left = left.filter(|&left| target != LinkTarget::Link(left));
        changes.cut.extend(left.map(|parent| Cut { parent, child }));
        old.is_some()
    }

    /// Notes that the link of an entity goes, if it has a parent that is alive: a dead one has no
    /// row any more, and no list that could lose a child.
    pub(super) fn cut(&self, child: Entity, slot: u32, changes: &mut LinkChanges) {
        let parent = if slot == NONE { None } else { self.forest.parent(slot) };
        let parent =
            parent.map(|parent| self.forest.row(parent)).filter(|&parent| parent != Row::NOWHERE);
        changes.cut.extend(parent.map(|parent| Cut { parent, child }));
    }
}

/// Candidates, each once.
struct Gathered {
    /// The forest's stamp on nodes that are candidates already.
    stamp: u32,
    candidates: Vec<Candidate>,
}

impl Gathered {
    /// Adds the entity at a row, unless its node is a candidate already.
    fn add(&mut self, forest: &mut Forest, row: Row) {
        let slot = forest.slot(row);
        if slot == NONE || forest.visit(slot, self.stamp) != self.stamp {
            self.candidates.push(Candidate { row, slot });
        }
    }
}

impl Hierarchy {
    /// Whether the entity at a row has `LocalToWorld`, or gets it behind the pass as a parent.
    fn can_be_parent(&self, read: Read<'_, '_>, row: Row) -> bool {
        let sheet = &read.tracker[row.archetype];
        let gets = || sheet.meaning.can_be_parent() && self.can_get(read, row);
        sheet.mask.has(Mask::LOCAL_TO_WORLD) || gets()
    }

    /// Whether the entity at a row can get matrices: Legion finds it by its id, or it migrates with
    /// its whole archetype.
    fn can_get(&self, Read { columns, tracker }: Read<'_, '_>, row: Row) -> bool {
        let (at, effective) = (row.archetype, self.options.effective.len());
        let all_lack = tracker[at].meaning.missing != Mask::NONE;
        columns.is_placed(row) || all_lack && Migration::is_possible(columns, at, effective)
    }

    /// The target of a candidate, from its components and its parent's. A `Parent` that has died or
    /// lost its `LocalToWorld` becomes a finding.
    pub(super) fn target_of(
        &mut self,
        &TargetReader { read, parents, record, has_link, gets_link }: &TargetReader<'_, '_>,
        candidate: &Candidate,
        mut locate: impl FnMut(Entity) -> Option<Row>,
    ) -> LinkTarget {
        let row = candidate.row.row as usize;
        let Some(&Parent(parent)) = parents.get(row) else { return LinkTarget::Root };
        // The tracker knows only entities with transform components. Legion knows all.
        let at = locate(parent).or_else(|| read.columns.locate(parent));
        let is_link = has_link || gets_link && self.can_get(read, candidate.row);
        if let Some(at) = at.filter(|at| self.can_be_parent(read, *at)) {
            return if is_link { LinkTarget::Link(at) } else { LinkTarget::Root };
        }
        if record.get(row).is_some_and(|record| record.0 == Some(parent)) {
            let kind = match at {
                Some(_) => FindingKind::ParentWithoutLocalToWorld,
                None => FindingKind::DeadParent,
            };
            let entity = read.columns.entity(candidate.row);
            self.repaired.push(Finding { kind, entity, related: Some(parent) });
            return LinkTarget::Repair;
        }
        if is_link { LinkTarget::Wait } else { LinkTarget::Root }
    }
}

/// Reads the targets in one archetype.
pub(super) struct TargetReader<'a, 'w> {
    read: Read<'a, 'w>,
    pub parents: &'a [Parent],
    record: &'a [PreviousParent],
    /// Whether `Parent` takes effect: no matrix is missing now, or none will be.
    has_link: bool,
    gets_link: bool,
}

impl<'a, 'w> TargetReader<'a, 'w> {
    fn new(read: Read<'a, 'w>, archetype: u32) -> Self {
        let (sheet, link) = (&read.tracker[archetype], Mask::LINK);
        let (has_link, gets_link) = (sheet.mask.has(link), sheet.meaning.mask.has(link));
        let (parents, record) = (read.columns.read(archetype), read.columns.read(archetype));
        Self { read, parents, record, has_link, gets_link }
    }
}
