//! Publishes `Children`.
//!
//! A list that only the bundle wrote is *edited*: it loses and gains the children of this pass. An
//! addition costs O(1); a removal searches the list. A list that a user may have written, or that
//! came with its entity, is *checked*: each child is compared with the forest.
//!
//! ```text
//!   archetype   `Children` written   row    this pass               way
//!   0           no                   0      loses mars              edited
//!   1           yes, or perhaps      all    row 3 gains moon        all rows checked, none edited
//!   4           no                   9      came, gains io          row 9 checked, not edited
//!   2           (has no `Children`)  2      gains mars              command: gives Children
//! ```
//!
//! # Strays
//!
//! Entities in `Children` that have no `Parent`: a user has made the link at the wrong end.
//!
//! ```text
//!  Children of mars   Parent       this pass                    stray
//!  moon               mars                                      no: a child
//!  io                 venus                                     no: the child of another
//!  rock               (none)       its `Parent` was removed     no: this pass takes it out
//!  crew               (none)       has `PreviousParent(mars)`   no: removed before this state
//!  ship               (none)                                    yes: a finding
//! ```

use std::{
    collections::HashSet,
    sync::atomic::{AtomicBool, Ordering},
};

use legion::Entity;
use smallvec::SmallVec;

use super::{
    super::{
        change::LinkChanges,
        diff::{Check, Diff, ForestLists},
    },
    Publisher,
    lose::lose,
};
use crate::{
    components::{Children, PreviousParent},
    engine::{
        bits,
        forest::NONE,
        machine::Accelerator,
        parallel,
        storage::{ChangeTracker, Columns, Mask, Row},
    },
    findings::{Finding, FindingKind},
};

impl Publisher<'_, '_> {
    /// Brings `Children` in line with the forest. Each list is written in one of the ways above: a
    /// list that was checked has all children of this pass, and an edit would add them once more.
    pub(super) fn publish_children(&mut self, changes: &LinkChanges, diff: &Diff) {
        for &archetype in &diff.lists {
            self.check_all_children(archetype);
        }
        for range in &diff.entered {
            if self.is_checked_alone(range.archetype, diff) {
                range.iter().for_each(|row| self.check_children(row));
            }
        }
        let edits = list_edits(changes, diff, self.columns, self.tracker);
        for edits in edits.chunk_by(|a, b| a.parent == b.parent) {
            let Row { archetype, row } = edits[0].parent;
            let has_come = self.tracker[archetype].has_just_arrived(row);
            if !(has_come && self.is_checked_alone(archetype, diff)) {
                self.edit_children(edits);
            }
        }
    }

    /// Whether lists of entities that come to an archetype are checked one by one: it has lists,
    /// and they are not all checked anyway.
    fn is_checked_alone(&self, archetype: u32, diff: &Diff) -> bool {
        self.tracker[archetype].mask.has(Mask::CHILDREN) && !diff.checks_lists(archetype)
    }

    /// Checks all lists of an archetype, any of which a user may have written. Threads compare them
    /// with the forest and fill the empty ones; this thread repairs the wrong ones.
    fn check_all_children(&mut self, archetype: u32) {
        let (forest, archetypes) = (&self.hierarchy.forest, self.columns.archetypes());
        let (right, slots) = (ForestLists { forest, archetypes }, forest.slots(archetype));
        let lists = self.columns.write::<Children>(archetype);
        let any_filled = AtomicBool::new(false);
        let wrong =
            parallel::mark_each_block(&self.machine.threads, lists, &|first, lists, wrong| {
                let mut any = false;
                for (row, list) in lists.iter_mut().enumerate() {
                    match right.check(list, slots.get(first + row).copied().unwrap_or(NONE)) {
                        Check::Right => {}
                        Check::Filled => any = true,
                        Check::Wrong => bits::set(wrong, row),
                    }
                }
                if any {
                    any_filled.store(true, Ordering::Relaxed);
                }
            });
        if any_filled.into_inner() {
            self.children_written.insert(archetype);
        }
        wrong.iter().for_each(|row| self.mend_children(Row { archetype, row: row as u32 }));
    }

    /// Checks the list of an entity that came.
    fn check_children(&mut self, row: Row) {
        let (forest, archetypes) = (&self.hierarchy.forest, self.columns.archetypes());
        let list = &mut self.columns.write::<Children>(row.archetype)[row.row as usize];
        match (ForestLists { forest, archetypes }).check(list, forest.slot(row)) {
            Check::Right => {}
            Check::Filled => _ = self.children_written.insert(row.archetype),
            Check::Wrong => self.mend_children(row),
        }
    }

    /// Takes out of a list entities that are no children, and adds children that it lacks. The
    /// others keep their order, which may be a user's. An entity that has no `Parent` becomes a
    /// finding. The forest has moon, io and ship below mars:
    ///
    /// ```text
    ///  old       ship   moon   moon        rock
    ///            keep   keep   once only   no child       and io is missing
    ///  kept      ship   moon   io
    /// ```
    ///
    /// A stamp on each kept child shows which entry is a repetition, and which child is missing.
    /// If no child is left, a command takes `Children` away.
    fn mend_children(&mut self, row: Row) {
        let parent = self.entity(row);
        let slot = self.hierarchy.forest.slot(row);
        let stamp = self.hierarchy.forest.new_visits(1);
        let old = &self.columns.read::<Children>(row.archetype)[row.row as usize];
        // One that waits keeps its place in a list that came with its parent: in one of which
        // nothing has been linked.
        let has_come = !self.hierarchy.waiting.is_empty()
            && !old.iter().any(|&child| self.previous(child) == Some(parent));
        let (mut kept, mut others) = (Children::new(), Vec::new());
        for &child in old {
            let forest = &mut self.hierarchy.forest;
            let child_slot = self.tracker.locate(child).map_or(NONE, |row| forest.slot(row));
            let is_child = child_slot != NONE
                && (slot != NONE && forest.parent(child_slot) == Some(slot)
                    || has_come && self.hierarchy.waiting.parent(child) == Some(parent));
            if !is_child {
                others.push(child);
            } else if !self.tracker.calls.is_last(child, parent)
                && forest.visit(child_slot, stamp) != stamp
            {
                kept.0.push(child);
            }
        }
        let forest = &self.hierarchy.forest;
        if slot != NONE {
            let missing = forest.children(slot).filter(|&child| forest.last_visit(child) != stamp);
            kept.0.extend(missing.map(|child| self.entity(forest.row(child))));
        }
        if kept.is_empty() {
            self.commands.take(row, Mask::CHILDREN);
        } else if kept != *old {
            self.columns.write::<Children>(row.archetype)[row.row as usize] = kept;
            self.children_written.insert(row.archetype);
        }
        others.into_iter().for_each(|entity| self.note_stray(row, entity));
    }

    /// The parent that the last run recorded for an entity.
    fn previous(&self, entity: Entity) -> Option<Entity> {
        let Row { archetype, row } = self.tracker.locate(entity)?;
        self.columns.read::<PreviousParent>(archetype).get(row as usize)?.0
    }

    /// Applies the edits of one list, which is right but for them. With edits `- io`, `+ ship`:
    ///
    /// ```text
    ///  moon  io        the last pass
    ///  moon            io is lost
    ///  moon  ship      ship is gained, behind the others
    /// ```
    fn edit_children(&mut self, edits: &[ListEdit]) {
        let row = edits[0].parent;
        let (lost, gained) = edits.split_at(edits.partition_point(|edit| !edit.is_gain));
        let lost: SmallVec<[Entity; 8]> = lost.iter().map(|edit| edit.child).collect();
        let gained: SmallVec<[Entity; 8]> = gained.iter().map(|edit| edit.child).collect();
        let children = &mut self.columns.write::<Children>(row.archetype)[row.row as usize];
        let old = children.len();
        if lost.len() == gained.len() && children.ends_with(&gained) {
            return; // they have left and come back
        }
        match self.machine.uses(Accelerator::Lose) {
            true => lose(children, &lost),
            false => children.0.retain(|child| !lost.contains(child)),
        }
        let is_shorter = children.len() < old;
        children.0.extend_from_slice(&gained);
        if children.is_empty() {
            self.commands.take(row, Mask::CHILDREN);
        }
        if is_shorter || !gained.is_empty() {
            self.children_written.insert(row.archetype);
        }
    }
}

/// A child that the list of a parent loses or gains.
#[derive(Clone, Copy)]
struct ListEdit {
    pub parent: Row,
    pub child: Entity,
    pub is_gain: bool,
}

/// The edits of lists that are there and are not checked as a whole, parent by parent: first the
/// children that are lost, then those gained, both in the order of the changes.
///
/// ```text
///  cut      (sun, moon)  (mars, io)       gained   (mars, moon)  (mars, ship)
///  sorted   mars: - io  + moon  + ship    sun: - moon
/// ```
fn list_edits(
    changes: &LinkChanges,
    diff: &Diff,
    columns: &Columns<'_>,
    tracker: &ChangeTracker,
) -> Vec<ListEdit> {
    let lost = changes.cut.iter();
    let lost = lost.map(|cut| ListEdit { parent: cut.parent, child: cut.child, is_gain: false });
    let gained = changes.list.iter().filter_map(|change| {
        let (parent, child) = (change.new_parent()?, columns.entity(change.row));
        Some(ListEdit { parent, child, is_gain: true })
    });
    // Most lists of a first run are checked: then no memory is taken for their edits.
    let mut edits = Vec::new();
    edits.extend(lost.chain(gained).filter(|edit| {
        let archetype = edit.parent.archetype;
        tracker[archetype].mask.has(Mask::CHILDREN) && !diff.checks_lists(archetype)
    }));
    // Whole numbers are sorted several times as fast as the edits themselves. Edit 5, of the parent
    // at row 7 of archetype 2, has the key 2 << 64 | 7 << 32 | 5. Losses come first of each parent,
    // because their numbers are lower.
    let mut order: Vec<u128> = Vec::with_capacity(edits.len());
    for (number, edit) in edits.iter().enumerate() {
        let Row { archetype, row } = edit.parent;
        order.push(u128::from(archetype) << 64 | u128::from(row) << 32 | number as u128);
    }
    order.sort_unstable();
    order.into_iter().map(|key| edits[key as u32 as usize]).collect()
}

impl Publisher<'_, '_> {
    /// Notes an entity that is taken out of the list at `parent`, if it lives without `Parent` and
    /// without the record of a link to this parent. (Without a state of the world, as in the first
    /// run with other `Resources`, a link that is gone is in no list of cut ones.)
    pub(super) fn note_stray(&mut self, parent: Row, entity: Entity) {
        let parent = self.entity(parent);
        let is_stray = match self.tracker.locate(entity) {
            Some(row) => {
                let has_parent = self.tracker[row.archetype].mask.has(Mask::PARENT);
                !has_parent && self.previous(entity) != Some(parent)
            }
            // The tracker knows only entities with transform components. Legion knows all.
            None => self.columns.locate(entity).is_some(),
        };
        if is_stray {
            self.strays.push((parent, entity));
        }
    }

    /// Whether any run has linked anything in this world.
    fn has_records(&self) -> bool {
        let records =
            |index| self.columns.read::<PreviousParent>(index).iter().any(|it| it.0.is_some());
        self.tracker.having(Mask::PREVIOUS_PARENT).any(records)
    }

    /// Reports the strays, but for those whose link was cut in this pass. In the first pass of a
    /// state, other runs may have made the lists, and an id of a child may have come again: then
    /// nothing is known of cut links, and nothing is reported.
    pub(super) fn report_strays(&mut self, changes: &LinkChanges) {
        if self.strays.is_empty() || self.hierarchy.is_new && self.has_records() {
            return;
        }
        let cut = changes.cut.iter().map(|cut| (self.entity(cut.parent), cut.child));
        let mut known: HashSet<(Entity, Entity)> = cut.collect();
        for (parent, entity) in std::mem::take(&mut self.strays) {
            if known.insert((parent, entity)) {
                let kind = FindingKind::ChildWithoutParent;
                self.hierarchy.repaired.push(Finding::new(kind, entity, Some(parent)));
            }
        }
    }
}
