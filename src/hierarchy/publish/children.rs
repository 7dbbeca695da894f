//! Publishes `Children`.

use legion::Entity;

use super::{
    super::{
        change::{Candidate, LinkChange},
        diff::Diff,
    },
    Publisher, commands,
    deltas::ChildListDeltas,
};
use crate::{
    components::Children,
    forest::NONE,
    storage::columns::{Row, captured},
    storage::mask::Mask,
};

impl Publisher<'_, '_> {
    /// Brings `Children` in line with the forest.
    pub(super) fn publish_children(&mut self, candidates: &[Candidate], changes: &[LinkChange], diff: &Diff) {
        let deltas = ChildListDeltas::of(changes, self.columns, &mut self.hierarchy.index_by_row);
        let mut checked = vec![false; deltas.len()];
        for &archetype in &diff.lists {
            for row in 0..self.columns.entities(archetype).len() as u32 {
                self.check_children(Row { archetype, row }, &deltas, &mut checked);
            }
        }
        let has_list = |row: &&Row| self.tracker[row.archetype].mask.has(Mask::CHILDREN);
        for &row in diff.entered.iter().filter(has_list) {
            if diff.lists.binary_search(&row.archetype).is_err() {
                self.check_children(row, &deltas, &mut checked);
            }
        }
        for index in (0..deltas.len()).filter(|&index| !checked[index]) {
            let (row, lost, gained) = deltas.get(index);
            self.edit_children(row, lost, gained);
        }
        for candidate in candidates.iter().filter(|candidate| !candidate.is_dead()) {
            if self.lacks_children(candidate.row) && deltas.find(candidate.row, &self.hierarchy.index_by_row).is_none() {
                self.give_children(candidate.row);
            }
        }
    }

    /// Compares a list that may have been overwritten with the forest, which knows its losses and gains already.
    fn check_children(&mut self, row: Row, deltas: &ChildListDeltas, checked: &mut [bool]) {
        let index = deltas.find(row, &self.hierarchy.index_by_row);
        if index.is_some_and(|index| self.is_filled_by(row, deltas.get(index))) {
            return;
        }
        if !self.is_in_line(row) {
            self.mend_children(row);
        }
        index.inspect(|&index| checked[index] = true);
    }

    /// Whether a list holds what the forest does, in the same order. A list in a row that Legion does not find by its entity is not looked at.
    fn is_in_line(&self, row: Row) -> bool {
        let forest = &self.hierarchy.forest;
        let list = &self.columns.read::<Children>(row.archetype)[row.row as usize];
        let slot = forest.slot(row);
        if slot == NONE || list.is_empty() || forest.child_count(slot) as usize != list.len() {
            return !self.hierarchy.duplicates.is_empty() && self.columns.locate(self.entity(row)) != Some(row);
        }
        let same = |(&child, slot): (&Entity, u32)| {
            let Row { archetype, row } = forest.row(slot);
            self.columns.entities(archetype).get(row as usize) == Some(&child)
        };
        list.iter().zip(forest.children(slot)).all(same)
    }

    /// Whether a list is empty, and becomes right by what it deltas.
    fn is_filled_by(&self, row: Row, (_, lost, gained): (Row, &[Entity], &[Entity])) -> bool {
        let is_empty = self.columns.read::<Children>(row.archetype)[row.row as usize].is_empty();
        let slot = self.hierarchy.forest.slot(row);
        is_empty && lost.is_empty() && slot != NONE && self.hierarchy.forest.child_count(slot) as usize == gained.len()
    }

    /// Takes out of a list what is no child, and adds the children that it lacks. The others keep their order, which may be a user's.
    fn mend_children(&mut self, row: Row) {
        let parent = self.entity(row);
        let slot = self.hierarchy.forest.slot(row);
        let stamp = self.hierarchy.forest.new_visits(1);
        let old = &self.columns.read::<Children>(row.archetype)[row.row as usize];
        let mut kept = Children::new();
        for &child in old {
            let Some(child_row) = self.columns.locate(child) else { continue };
            let forest = &mut self.hierarchy.forest;
            let child_slot = forest.slot(child_row);
            let is_child = slot != NONE && child_slot != NONE && forest.parent(child_slot) == Some(slot);
            if is_child && forest.visit(child_slot, stamp) != stamp {
                kept.push(child);
            }
        }
        let forest = &self.hierarchy.forest;
        if slot != NONE && kept.len() < forest.child_count(slot) as usize {
            let missing = forest.children(slot).filter(|&child| forest.last_visit(child) != stamp);
            kept.0.extend(missing.map(|child| self.entity(forest.row(child))));
        }
        if kept.is_empty() {
            commands::remove::<Children>(self.commands, parent);
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
            commands::remove::<Children>(self.commands, parent);
        }
        self.children_written.add(row.archetype);
    }

    /// Whether an entity should have the component and has not.
    fn lacks_children(&self, row: Row) -> bool {
        if self.tracker[row.archetype].mask.has(Mask::CHILDREN) {
            return false;
        }
        let slot = self.hierarchy.forest.slot(row);
        slot != NONE && self.hierarchy.forest.child_count(slot) > 0
    }

    /// Adds the component to a parent that lacks it.
    fn give_children(&mut self, row: Row) {
        if !self.lacks_children(row) {
            return;
        }
        let parent = self.entity(row);
        let forest = &self.hierarchy.forest;
        let mut children = Children::new();
        children.0.extend(forest.children(forest.slot(row)).map(|child| self.entity(forest.row(child))));
        self.commands.add_component(parent, children);
    }
}

/// Takes children out of a list; the others keep their order.
fn lose(children: &mut Children, lost: &[Entity]) {
    if lost.len() <= 8 {
        for child in lost {
            if let Some(place) = children.iter().position(|other| other == child) {
                children.remove(place);
            }
        }
    } else {
        let mut lost = lost.to_vec();
        lost.sort_unstable_by_key(captured);
        children.retain(|child| lost.binary_search_by_key(&captured(child), captured).is_err());
    }
}
