//! Gathers what has to be planted again, and aims each at its parent.

use super::{
    forest::{Forest, NONE},
    links::Want,
    numbers::Numbers,
    parent_system::Change,
    planting::{Seedling, Soil},
    rows::Rows,
};
use crate::raw::slices::{Columns, Row};

/// Everything that is to be planted together.
pub(super) struct Bed<'a> {
    columns: &'a Columns<'a>,
    /// The seedlings by row.
    numbers: &'a mut Numbers,
    pub seedlings: Vec<Seedling>,
    /// Positions that are left.
    pub left: Vec<u32>,
    /// Seedlings with the row of the parent they are to hang off.
    tops: Vec<(u32, Row)>,
}

impl<'a> Bed<'a> {
    pub fn new(columns: &'a Columns<'a>, numbers: &'a mut Numbers, size: usize) -> Self {
        let (seedlings, tops) = (Vec::with_capacity(size), Vec::with_capacity(size));
        Self { columns, numbers, seedlings, left: Vec::new(), tops }
    }

    /// Takes in the entity of a change with all that is below it. Its old positions are holes once they are dug.
    pub fn dig_up(&mut self, forest: &mut Forest, change: &Change) {
        if change.is_dead() {
            return;
        }
        match change.want {
            _ if change.cyclic => {
                if change.position == NONE {
                    self.add(change.row, Soil::Cycle);
                } else {
                    forest.set_cyclic(change.position);
                }
            }
            Want::Root | Want::Repair => forest.strays |= change.position != NONE,
            Want::Link(parent) => {
                self.tops.push((self.seedlings.len() as u32, parent));
                if change.position == NONE {
                    self.add(change.row, Soil::Root);
                } else {
                    self.dig_up_subtree(forest, change.position);
                }
            }
        }
    }

    fn dig_up_subtree(&mut self, forest: &Forest, top: u32) {
        forest.for_each_below(top, |position| {
            let parent = forest[position].parent;
            // The subtree's parents come before their children, so that their numbers are known.
            let soil = if position == top {
                Soil::Root
            } else {
                Soil::Seedling(self.seedling(forest[parent].row).expect("parents are dug up first"))
            };
            self.left.push(position);
            self.add(forest[position].row, soil);
        });
    }

    fn add(&mut self, row: Row, soil: Soil) {
        self.numbers.set(self.columns, row, self.seedlings.len());
        self.seedlings.push(Seedling { row, soil, position: NONE });
    }

    /// The seedling of the entity at a row.
    fn seedling(&self, row: Row) -> Option<u32> {
        let number = self.numbers.get(row);
        self.seedlings.get(number).is_some_and(|seedling| seedling.row == row).then_some(number as u32)
    }

    /// Points every subtree at its parent; a parent that stands nowhere yet is planted with the rest.
    pub fn aim(&mut self, rows: &Rows) {
        for (number, row) in std::mem::take(&mut self.tops) {
            self.seedlings[number as usize].soil = match self.seedling(row) {
                Some(parent) => Soil::Seedling(parent),
                None => match rows.position(self.columns, row) {
                    NONE => {
                        let parent = self.seedlings.len() as u32;
                        self.add(row, Soil::Root);
                        Soil::Seedling(parent)
                    }
                    position => Soil::Planted(position),
                },
            };
        }
    }
}
