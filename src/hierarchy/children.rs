//! Publishes the hierarchy: `Children` on parents, [`PreviousParent`](super::previous) on children, and nothing anywhere else.

use legion::Entity;

use super::{
    gains::Gains,
    links::{Candidate, Want},
    locate::Locator,
    operations::Operation,
    parent_system::{Change, ParentSystem},
    rows::Differences,
    scan::{TOGETHER, fetch},
};
use crate::{
    components::{Children, PreviousParent},
    forest::NONE,
    storage::columns::{Columns, Row, captured},
    storage::mask::Mask,
    storage::tracker::ChangeTracker,
};

/// One pass' worth of publishing.
pub(super) struct Publication<'a, 'w> {
    pub(super) system: &'a mut ParentSystem,
    pub(super) columns: &'a mut Columns<'w>,
    pub(super) tracker: &'a mut ChangeTracker,
    pub(super) operations: Vec<Operation>,
    /// ChangeTracker in which a component was really changed.
    children_written: Written,
    pub(super) previous_written: Written,
}

/// ChangeTracker, some perhaps several times.
#[derive(Default)]
pub(super) struct Written(Vec<u32>);

impl Written {
    pub fn add(&mut self, archetype: u32) {
        if self.0.last() != Some(&archetype) {
            self.0.push(archetype);
        }
    }

    fn into_each_once(mut self) -> Vec<u32> {
        self.0.sort_unstable();
        self.0.dedup();
        self.0
    }
}

impl<'a, 'w> Publication<'a, 'w> {
    pub fn new(system: &'a mut ParentSystem, columns: &'a mut Columns<'w>, tracker: &'a mut ChangeTracker) -> Self {
        let (operations, children_written, previous_written) = Default::default();
        Self { system, columns, tracker, operations, children_written, previous_written }
    }

    /// Writes what can be written in place and returns the rest.
    pub fn publish(mut self, candidates: &[Candidate], changes: &[Change], found: &Differences) -> Vec<Operation> {
        let repaired = changes.iter().filter(|change| change.want == Want::Repair);
        self.operations.extend(repaired.map(|change| Operation::Unlink(change.entity)));
        self.publish_children(candidates, changes, &found.suspects);
        self.publish_previous(candidates, changes, found);
        for archetype in self.children_written.into_each_once() {
            self.tracker.bump::<Children>(self.columns, archetype);
        }
        for archetype in self.previous_written.into_each_once() {
            self.tracker.bump::<PreviousParent>(self.columns, archetype);
        }
        self.operations
    }

    fn publish_children(&mut self, candidates: &[Candidate], changes: &[Change], suspects: &[Row]) {
        let gains = Gains::of(changes, self.columns, &mut self.system.numbers);
        let mut verified = vec![false; gains.len()];
        let mut locator = Locator::default();
        for &row in suspects {
            let number = gains.find(row, &self.system.numbers);
            if number.is_some_and(|number| self.is_filled_by(row, gains.get(number))) {
                continue;
            }
            self.verify_children(row, &mut locator);
            number.inspect(|&number| verified[number] = true);
        }
        let numbers: Vec<usize> = (0..gains.len()).filter(|&number| !verified[number]).collect();
        for numbers in numbers.chunks(TOGETHER) {
            for &number in numbers {
                let (row, lost, _) = gains.get(number);
                if !lost.is_empty() {
                    self.columns.read::<Children>(row.archetype).get(row.row as usize).inspect(|children| fetch(children));
                }
            }
            for &number in numbers {
                let (row, lost, gained) = gains.get(number);
                self.edit_children(row, lost, gained);
            }
        }
        for candidate in candidates.iter().filter(|candidate| !candidate.is_dead()) {
            if self.lacks_children(candidate.row) && gains.find(candidate.row, &self.system.numbers).is_none() {
                self.give_children(candidate.row);
            }
        }
    }

    /// Whether a list is empty, and becomes right by what it gains.
    fn is_filled_by(&self, row: Row, (_, lost, gained): (Row, &[Entity], &[Entity])) -> bool {
        let is_empty = self.columns.read::<Children>(row.archetype)[row.row as usize].is_empty();
        let slot = self.system.forest.slot(row);
        is_empty && lost.is_empty() && slot != NONE && self.system.forest.child_count(slot) as usize == gained.len()
    }

    /// Checks a list that somebody else may have written against the forest.
    fn verify_children(&mut self, row: Row, locator: &mut Locator) {
        let parent = self.entity(row);
        let slot = self.system.forest.slot(row);
        let stamp = self.system.forest.new_visits(1);
        let old = &self.columns.read::<Children>(row.archetype)[row.row as usize];
        let mut kept = Children::new();
        for &child in old {
            let Some(child_row) = locator.locate(self.columns, child) else { continue };
            let forest = &mut self.system.forest;
            let child_slot = forest.slot(child_row);
            let is_child = slot != NONE && child_slot != NONE && forest.parent(child_slot) == Some(slot);
            if is_child && forest.visit(child_slot, stamp) != stamp {
                kept.push(child);
            }
        }
        let forest = &self.system.forest;
        if slot != NONE && kept.len() < forest.child_count(slot) as usize {
            let missing = forest.children(slot).filter(|&child| forest.last_visit(child) != stamp);
            kept.0.extend(missing.map(|child| self.entity(forest.row(child))));
        }
        if kept.is_empty() {
            self.operations.push(Operation::RemoveChildren(parent));
            return;
        }
        self.system.rows.set_sum(parent, row, &kept);
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
            self.operations.push(Operation::RemoveChildren(parent));
        } else {
            self.system.rows.change_sum(row, children, lost, gained);
        }
        self.children_written.add(row.archetype);
    }

    /// Whether an entity should have the component and has not.
    fn lacks_children(&self, row: Row) -> bool {
        if self.tracker[row.archetype].mask.has(Mask::CHILDREN) {
            return false;
        }
        let slot = self.system.forest.slot(row);
        slot != NONE && self.system.forest.child_count(slot) > 0
    }

    /// Adds the component to a parent that lacks it.
    fn give_children(&mut self, row: Row) {
        if !self.lacks_children(row) {
            return;
        }
        let parent = self.entity(row);
        let forest = &self.system.forest;
        let mut children = Children::new();
        children.0.extend(forest.children(forest.slot(row)).map(|child| self.entity(forest.row(child))));
        self.system.rows.set_sum(parent, row, &children);
        self.operations.push(Operation::AddChildren(parent, children));
    }

    pub(super) fn entity(&self, row: Row) -> Entity {
        self.columns.entities(row.archetype)[row.row as usize]
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
