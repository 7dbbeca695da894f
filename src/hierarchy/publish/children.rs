//! Publishes `Children`.

use std::sync::atomic::{AtomicBool, Ordering};

use legion::Entity;

use super::{
    super::{change::LinkChanges, diff::Diff},
    Publisher,
    commands::Command,
    deltas::ChildListDeltas,
    lists::{Check, ForestLists},
    lose::lose,
};
use crate::{
    bits::{marked, set},
    components::Children,
    forest::NONE,
    parallel::for_each_block,
    storage::{Mask, Row},
};

impl Publisher<'_, '_> {
    /// Brings `Children` in line with the forest.
    pub(super) fn publish_children(&mut self, changes: &LinkChanges, diff: &Diff) {
        for &archetype in &diff.lists {
            self.check_all_children(archetype);
        }
        let deltas =
            ChildListDeltas::of(changes, diff, self.columns, &mut self.hierarchy.index_by_row);
        let mut checked = vec![false; deltas.len()];
        for range in &diff.entered {
            if self.tracker[range.archetype].mask.has(Mask::CHILDREN)
                && !diff.checks_lists(range.archetype)
            {
                for row in range.iter() {
                    deltas
                        .find(row, &self.hierarchy.index_by_row)
                        .inspect(|&index| checked[index] = true);
                    self.check_children(row);
                }
            }
        }
        for index in (0..deltas.len()).filter(|&index| !checked[index]) {
            let (row, lost, gained) = deltas.get(index);
            self.edit_children(row, lost, gained);
        }
        // What was not in the forest had no children, so those that it has it gained.
        for candidate in changes.known() {
            if self.lacks_children(candidate.row)
                && deltas.find(candidate.row, &self.hierarchy.index_by_row).is_none()
            {
                self.give_children(candidate.row);
            }
        }
    }

    /// Compares all lists of an archetype, which may have been overwritten, with the forest, fills
    /// those that are empty and mends those that are wrong.
    fn check_all_children(&mut self, archetype: u32) {
        let (forest, archetypes) = (&self.hierarchy.forest, self.columns.archetypes());
        let (right, slots) = (ForestLists { forest, archetypes }, forest.slots(archetype));
        let lists = self.columns.write::<Children>(archetype);
        let mut wrong = vec![0_u64; lists.len().div_ceil(64)];
        let any_filled = AtomicBool::new(false);
        for_each_block(lists, &mut wrong, |first, lists, wrong| {
            let mut any = false;
            for (row, list) in lists.iter_mut().enumerate() {
                match right.check(list, slots.get(first + row).copied().unwrap_or(NONE)) {
                    Check::Right => {}
                    Check::Filled => any = true,
                    Check::Wrong => set(wrong, row),
                }
            }
            if any {
                any_filled.store(true, Ordering::Relaxed);
            }
        });
        if any_filled.into_inner() {
            self.children_written.add(archetype);
        }
        marked(&wrong).for_each(|row| self.mend_children(Row { archetype, row: row as u32 }));
    }

    /// Likewise a list in a row that another entity has than before.
    fn check_children(&mut self, row: Row) {
        let (forest, archetypes) = (&self.hierarchy.forest, self.columns.archetypes());
        let list = &mut self.columns.write::<Children>(row.archetype)[row.row as usize];
        match (ForestLists { forest, archetypes }).check(list, forest.slot(row)) {
            Check::Right => {}
            Check::Filled => self.children_written.add(row.archetype),
            Check::Wrong => self.mend_children(row),
        }
    }

    /// Takes out of a list what is no child, and adds the children that it lacks. The others keep
    /// their order, which may be a user's.
    fn mend_children(&mut self, row: Row) {
        let parent = self.entity(row);
        let slot = self.hierarchy.forest.slot(row);
        let stamp = self.hierarchy.forest.new_visits(1);
        let old = &self.columns.read::<Children>(row.archetype)[row.row as usize];
        let mut kept = Children::new();
        for &child in old {
            let Some(child_row) = self.tracker.locate(child) else { continue };
            let forest = &mut self.hierarchy.forest;
            let child_slot = forest.slot(child_row);
            let is_child =
                slot != NONE && child_slot != NONE && forest.parent(child_slot) == Some(slot);
            if is_child && forest.visit(child_slot, stamp) != stamp {
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
            return;
        }
        if kept != *old {
            self.columns.write::<Children>(row.archetype)[row.row as usize] = kept;
            self.children_written.add(row.archetype);
        }
    }

    /// Applies losses and gains to a list that is right but for them.
    fn edit_children(&mut self, row: Row, lost: &[Entity], gained: &[Entity]) {
        if !self.tracker[row.archetype].mask.has(Mask::CHILDREN) {
            self.give_children(row);
            return;
        }
        let parent = self.entity(row);
        let children = &mut self.columns.write::<Children>(row.archetype)[row.row as usize];
        lose(children, lost);
        children.0.reserve(gained.len());
        children.0.extend_from_slice(gained);
        if children.is_empty() {
            self.commands.record(row, parent, Command::TakeChildren);
        }
        self.children_written.add(row.archetype);
    }

    /// Whether an entity should have the component and has not.
    fn lacks_children(&self, row: Row) -> bool {
        if self.tracker[row.archetype].mask.has(Mask::CHILDREN) {
            return false;
        }
        let slot = self.hierarchy.forest.slot(row);
        slot != NONE && self.hierarchy.forest.has_children(slot)
    }

    /// Adds the component to a parent that lacks it.
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
