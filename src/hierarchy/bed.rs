//! Gathers what has to be planted again, and aims each at its parent.

use std::collections::HashMap;

use legion::{Entity, world::EntityHasher};

use super::{
    cycles::Node,
    forest::{Forest, NONE},
    links::Want,
    parent_system::{Change, ParentSystem},
    planting::{Seedling, Soil},
};
use crate::raw::slices::Row;

/// Which change is about which entity.
#[derive(Default)]
pub(super) struct Index {
    planted: HashMap<u64, u32, EntityHasher>,
    /// By entity, for those that have no position yet.
    pub new: HashMap<Entity, u32, EntityHasher>,
}

impl Index {
    pub fn insert(&mut self, entity: Entity, position: u32, number: u32) {
        if position == NONE {
            self.new.insert(entity, number);
        } else {
            self.planted.insert(u64::from(position), number);
        }
    }

    pub fn node(&self, position: u32, number: u32) -> Node {
        if position == NONE { Node::New(number) } else { Node::Planted(position) }
    }

    /// The change about a node.
    pub fn change(&self, node: Node) -> Option<u32> {
        match node {
            Node::New(number) => Some(number),
            Node::Planted(position) => self.planted.get(&u64::from(position)).copied(),
        }
    }
}

/// Everything that is to be planted together.
#[derive(Default)]
pub(super) struct Bed {
    pub seedlings: Vec<Seedling>,
    /// Old positions, with the number of the seedling.
    pub moved: HashMap<u64, u32, EntityHasher>,
    /// Entities that had no position.
    new: HashMap<Entity, u32, EntityHasher>,
    /// Seedlings with the parent they are to hang off.
    tops: Vec<(u32, Entity, Row)>,
}

impl Bed {
    /// Takes in the entity of a change with all that is below it. Its old positions are holes once they are dug.
    pub fn dig_up(&mut self, forest: &mut Forest, change: &Change) {
        let Some(row) = change.row else { return };
        let number = self.seedlings.len() as u32;
        match change.want {
            _ if change.cyclic => {
                if change.position == NONE {
                    self.new.insert(change.entity, number);
                    self.add(row, Soil::Cycle);
                } else {
                    forest.set_cyclic(change.position);
                }
            }
            Want::Root | Want::Repair(..) => {}
            Want::Link(parent, parent_row) => {
                self.tops.push((number, parent, parent_row));
                if change.position == NONE {
                    self.new.insert(change.entity, number);
                    self.add(row, Soil::Root);
                } else {
                    self.dig_up_subtree(forest, change.position);
                }
            }
        }
    }

    fn dig_up_subtree(&mut self, forest: &Forest, top: u32) {
        forest.for_each_below(top, |position| {
            let parent = forest.parents[position as usize];
            let soil = if position == top { Soil::Root } else { Soil::Seedling(self.moved[&u64::from(parent)]) };
            self.moved.insert(u64::from(position), self.seedlings.len() as u32);
            self.add(forest.rows[position as usize], soil);
        });
    }

    fn add(&mut self, row: Row, soil: Soil) {
        self.seedlings.push(Seedling { row, soil, position: NONE });
    }

    /// Points every subtree at its parent; a parent that stands nowhere yet is planted with the rest.
    pub fn aim(&mut self, system: &ParentSystem) {
        for (number, parent, row) in std::mem::take(&mut self.tops) {
            let soil = match system.rows.position(parent, row) {
                NONE => {
                    let next = self.seedlings.len() as u32;
                    let parent = *self.new.entry(parent).or_insert(next);
                    if parent == next {
                        self.add(row, Soil::Root);
                    }
                    Soil::Seedling(parent)
                }
                position => match self.moved.get(&u64::from(position)) {
                    Some(&parent) => Soil::Seedling(parent),
                    None => Soil::Planted(position),
                },
            };
            self.seedlings[number as usize].soil = soil;
        }
    }
}
