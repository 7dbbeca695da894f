//! Publishes `Children`.
//!
//! There are two ways to a right list. A list that only the bundle wrote is *edited*: it loses and
//! gains the children of this pass. A list that a user may have written, or that came with its
//! entity, is *checked*: it is compared with the forest and mended.
//!
//! ```text
//!  archetype   `Children` written   row    this pass               way
//!  0           no                   0      loses mars              edited
//!  1           yes, or in doubt     all    row 3 gains moon        all rows checked, none edited
//!  4           no                   9      came, gains io          row 9 checked, not edited
//!  2           (has no `Children`)  2      gains mars              command: GiveChildren
//! ```
//!
//! An edit that only adds costs O(1); one that takes children out searches the list for them. A
//! check looks up each child.

use std::sync::atomic::{AtomicBool, Ordering};

use legion::Entity;
use smallvec::SmallVec;

use super::{
    super::{
        change::LinkChanges,
        diff::Diff,
        lists::{Check, ForestLists},
    },
    Publisher,
    commands::Command,
    edits::{ListEdit, list_edits},
    lose::lose,
};
use crate::{
    components::Children,
    engine::{
        bits,
        forest::NONE,
        machine::Accelerator,
        parallel,
        storage::{Mask, Row},
    },
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
        let edits = list_edits(changes, diff, self.columns);
        for edits in edits.chunk_by(|a, b| a.parent == b.parent) {
            let Row { archetype, row } = edits[0].parent;
            let has_come = self.tracker[archetype].has_just_arrived(row);
            if !(has_come && self.is_checked_alone(archetype, diff)) {
                self.edit_children(edits);
            }
        }
        // A parent whose `Children` a user removed migrated to this archetype and gained no child:
        // it gets the component back. A candidate that had no node had no children: if it has any
        // now, it gained them, and the edits above gave it the component.
        for candidate in changes.known() {
            let is_edited =
                || edits.binary_search_by_key(&candidate.row, |edit| edit.parent).is_ok();
            if self.lacks_children(candidate.row) && !is_edited() {
                self.give_children(candidate.row);
            }
        }
    }

    /// Whether lists of entities that come to an archetype are checked one by one: it has lists,
    /// and they are not all checked anyway.
    fn is_checked_alone(&self, archetype: u32, diff: &Diff) -> bool {
        self.tracker[archetype].mask.has(Mask::CHILDREN) && !diff.checks_lists(archetype)
    }

    /// Checks all lists of an archetype, any of which a user may have written. Threads compare them
    /// with the forest and fill the empty ones; this thread mends the wrong ones.
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
        let (mut kept, mut others) = (Children::new(), Vec::new());
        for &child in old {
            let forest = &mut self.hierarchy.forest;
            let child_slot = self.tracker.locate(child).map_or(NONE, |row| forest.slot(row));
            // One that waits keeps its place in a list that came with its parent.
            let is_child = child_slot != NONE
                && (slot != NONE && forest.parent(child_slot) == Some(slot)
                    || self.hierarchy.waiting.parent(child) == Some(parent));
            if !is_child {
                others.push(child);
            } else if forest.visit(child_slot, stamp) != stamp {
                kept.push(child);
            }
        }
        let forest = &self.hierarchy.forest;
        if slot != NONE {
            let missing = forest.children(slot).filter(|&child| forest.last_visit(child) != stamp);
            kept.0.extend(missing.map(|child| self.entity(forest.row(child))));
        }
        if kept.is_empty() {
            self.commands.record(row, parent, Command::TakeChildren);
        } else if kept != *old {
            self.columns.write::<Children>(row.archetype)[row.row as usize] = kept;
            self.children_written.insert(row.archetype);
        }
        others.into_iter().for_each(|entity| self.note_stray(row, entity));
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
        if !self.tracker[row.archetype].mask.has(Mask::CHILDREN) {
            self.give_children(row);
            return;
        }
        let (lost, gained) = edits.split_at(edits.partition_point(|edit| !edit.is_gain));
        let lost: SmallVec<[Entity; 8]> = lost.iter().map(|edit| edit.child).collect();
        let parent = self.entity(row);
        let children = &mut self.columns.write::<Children>(row.archetype)[row.row as usize];
        let old = children.len();
        match self.machine.uses(Accelerator::Lose) {
            true => lose(children, &lost),
            false => children.0.retain(|child| !lost.contains(child)),
        }
        let is_shorter = children.len() < old;
        children.0.extend(gained.iter().map(|edit| edit.child));
        if children.is_empty() {
            self.commands.record(row, parent, Command::TakeChildren);
        }
        if is_shorter || !gained.is_empty() {
            self.children_written.insert(row.archetype);
        }
    }

    /// Whether an entity has children and no `Children`.
    fn lacks_children(&self, row: Row) -> bool {
        if self.tracker[row.archetype].mask.has(Mask::CHILDREN) {
            return false;
        }
        let slot = self.hierarchy.forest.slot(row);
        slot != NONE && self.hierarchy.forest.has_children(slot)
    }

    /// Records a command that gives `Children`, all of them, to a parent that lacks the component.
    fn give_children(&mut self, row: Row) {
        if !self.lacks_children(row) {
            return;
        }
        let parent = self.entity(row);
        let (forest, archetypes) = (&self.hierarchy.forest, self.columns.archetypes());
        let children: Children =
            ForestLists { forest, archetypes }.children(forest.slot(row)).collect();
        self.commands.record(row, parent, Command::GiveChildren(children));
    }
}
