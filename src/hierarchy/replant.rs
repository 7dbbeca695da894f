//! Brings the forest in line with the links.

use super::{
    bed::Bed,
    forest::{CYCLE, NONE, NOWHERE},
    links::Candidate,
    parent_system::{Change, ParentSystem},
    planting::{Seedling, Soil},
};
use crate::raw::slices::{Columns, Row};

impl ParentSystem {
    /// Cuts what changed off, takes out the dead and plants what has a new place.
    pub(super) fn replant(&mut self, columns: &Columns<'_>, candidates: &[Candidate], changes: &[Change]) {
        for change in changes.iter().filter(|change| change.position != NONE) {
            self.forest.cut(change.position);
        }
        for candidate in candidates.iter().filter(|candidate| candidate.is_dead() && candidate.position != NONE) {
            self.forest.remove(candidate.position);
        }
        let mut bed = Bed::new(columns, &mut self.numbers, changes.len());
        for change in changes {
            bed.dig_up(&mut self.forest, change);
        }
        bed.aim(&self.rows);
        for &position in &bed.left {
            self.forest.dig(position);
        }
        self.forest.plant(&mut bed.seedlings);
        for seedling in &bed.seedlings {
            self.rows.set_position(columns, seedling.row, seedling.position);
        }
    }

    /// Plants everything afresh, in the order in which it is stored.
    pub(super) fn replant_all(&mut self, columns: &Columns<'_>) {
        let order = self.rows.all_positions(&self.forest);
        let mut numbers = vec![NONE; self.forest.len()];
        for (number, &position) in order.iter().enumerate() {
            numbers[position as usize] = number as u32;
        }
        let old = std::mem::take(&mut self.forest);
        let soil = |position: u32| match old[position].parent {
            NONE => Soil::Root,
            CYCLE => Soil::Cycle,
            parent => Soil::Seedling(numbers[parent as usize]),
        };
        let seedling = |&position: &u32| Seedling { row: old[position].row, soil: soil(position), position: NONE };
        let mut seedlings: Vec<Seedling> = order.iter().map(seedling).collect();
        self.forest.plant(&mut seedlings);
        self.forest.dirty.clear_all();
        for (seedling, &position) in seedlings.iter().zip(&order) {
            self.rows.set_position(columns, seedling.row, seedling.position);
            self.forest.inherit(seedling.position, &old, position);
        }
    }

    /// Takes out what has neither a parent nor children any more.
    pub(super) fn drop_unneeded(&mut self, columns: &Columns<'_>, candidates: &[Candidate], changes: &[Change]) {
        // Whoever had no position got one because something holds it there.
        let stood = candidates.iter().filter(|candidate| candidate.position != NONE && !candidate.is_dead());
        for candidate in stood {
            self.drop_if_unneeded(columns, candidate.row);
        }
        for change in changes.iter().filter(|change| change.old_parent != NOWHERE) {
            self.drop_if_unneeded(columns, change.old_parent);
        }
        self.forest.clear_if_empty();
    }

    fn drop_if_unneeded(&mut self, columns: &Columns<'_>, row: Row) {
        let position = self.rows.position(columns, row);
        if position != NONE && !self.forest.is_needed(position) {
            self.forest.remove(position);
            self.rows.set_position(columns, row, NONE);
        }
    }
}
