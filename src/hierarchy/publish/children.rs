//! Publishes `Children`.

use legion::Entity;

use super::{
    super::{
        change::{Candidate, LinkChange},
        compare::{TOGETHER, fetch},
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
    pub(super) fn publish_children(&mut self, candidates: &[Candidate], changes: &[LinkChange], suspects: &[Row]) {
        let deltas = ChildListDeltas::of(changes, self.columns, &mut self.hierarchy.index_by_row);
        let mut verified = vec![false; deltas.len()];
        for &row in suspects {
            let index = deltas.find(row, &self.hierarchy.index_by_row);
            if index.is_some_and(|index| self.is_filled_by(row, deltas.get(index))) {
                continue;
            }
            self.verify_children(row);
            index.inspect(|&index| verified[index] = true);
        }
        let indices: Vec<usize> = (0..deltas.len()).filter(|&index| !verified[index]).collect();
        for indices in indices.chunks(TOGETHER) {
            for &index in indices {
                let (row, lost, _) = deltas.get(index);
                if !lost.is_empty() {
                    self.columns.read::<Children>(row.archetype).get(row.row as usize).inspect(|children| fetch(children));
                }
            }
            for &index in indices {
                let (row, lost, gained) = deltas.get(index);
                self.edit_children(row, lost, gained);
            }
        }
        for candidate in candidates.iter().filter(|candidate| !candidate.is_dead()) {
            if self.lacks_children(candidate.row) && deltas.find(candidate.row, &self.hierarchy.index_by_row).is_none() {
                self.give_children(candidate.row);
            }
        }
    }

    /// Whether a list is empty, and becomes right by what it deltas.
    fn is_filled_by(&self, row: Row, (_, lost, gained): (Row, &[Entity], &[Entity])) -> bool {
        let is_empty = self.columns.read::<Children>(row.archetype)[row.row as usize].is_empty();
        let slot = self.hierarchy.forest.slot(row);
        is_empty && lost.is_empty() && slot != NONE && self.hierarchy.forest.child_count(slot) as usize == gained.len()
    }

    /// Checks a list that may have been overwritten against the forest.
    fn verify_children(&mut self, row: Row) {
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
        self.hierarchy.snapshots.set_sum(parent, row, &kept);
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
        } else {
            self.hierarchy.snapshots.change_sum(row, children, lost, gained);
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
        self.hierarchy.snapshots.set_sum(parent, row, &children);
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
