//! Who lost and who gained which children.

use legion::Entity;

use super::{links::Want, numbers::Numbers, parent_system::Change};
use crate::{
    forest::NOWHERE,
    storage::columns::{Columns, Row},
};

/// The children that changes take away from parents and give to parents, parent by parent, in the order of the changes.
#[derive(Default)]
pub(super) struct Gains {
    parents: Vec<Balance>,
    lost: Vec<Entity>,
    gained: Vec<Entity>,
}

struct Balance {
    row: Row,
    /// How many, and then one past the last.
    lost: u32,
    gained: u32,
}

impl Gains {
    /// `numbers` will know the parents by their rows.
    pub fn of(changes: &[Change], columns: &Columns<'_>, numbers: &mut Numbers) -> Self {
        let mut gains = Self::default();
        let count = |gains: &mut Self, numbers: &mut Numbers, row| {
            let number = gains.find(row, numbers).unwrap_or_else(|| {
                let number = gains.parents.len();
                gains.parents.push(Balance { row, lost: 0, gained: 0 });
                numbers.set(columns, row, number);
                number
            });
            number as u32
        };
        let mut sides = Vec::with_capacity(changes.len());
        for change in changes {
            let from = (change.old_parent != NOWHERE).then(|| count(&mut gains, numbers, change.old_parent));
            let to = new_parent(change).map(|parent| count(&mut gains, numbers, parent));
            from.inspect(|&from| gains.parents[from as usize].lost += 1);
            to.inspect(|&to| gains.parents[to as usize].gained += 1);
            sides.push((change.entity, from, to));
        }
        gains.sort(&sides);
        gains
    }

    /// Puts the children next to those of the same parent.
    fn sort(&mut self, sides: &[(Entity, Option<u32>, Option<u32>)]) {
        let (mut lost, mut gained) = (0, 0);
        for parent in &mut self.parents {
            lost += std::mem::replace(&mut parent.lost, lost);
            gained += std::mem::replace(&mut parent.gained, gained);
        }
        let Some(&(anybody, ..)) = sides.first() else { return };
        self.lost.resize(lost as usize, anybody);
        self.gained.resize(gained as usize, anybody);
        for &(child, from, to) in sides {
            if let Some(from) = from {
                put(&mut self.lost, &mut self.parents[from as usize].lost, child);
            }
            if let Some(to) = to {
                put(&mut self.gained, &mut self.parents[to as usize].gained, child);
            }
        }
    }

    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// The number of a parent that lost or gained children.
    pub fn find(&self, row: Row, numbers: &Numbers) -> Option<usize> {
        let number = numbers.get(row);
        self.parents.get(number).is_some_and(|parent| parent.row == row).then_some(number)
    }

    /// A parent, whom it lost and whom it gained.
    pub fn get(&self, number: usize) -> (Row, &[Entity], &[Entity]) {
        let parent = &self.parents[number];
        let (lost, gained) = number.checked_sub(1).map_or((0, 0), |before| {
            let before = &self.parents[before];
            (before.lost, before.gained)
        });
        (parent.row, &self.lost[lost as usize..parent.lost as usize], &self.gained[gained as usize..parent.gained as usize])
    }
}

fn put(list: &mut [Entity], next: &mut u32, child: Entity) {
    list[*next as usize] = child;
    *next += 1;
}

fn new_parent(change: &Change) -> Option<Row> {
    match change.want {
        Want::Link(parent) if !change.cyclic => Some(parent),
        _ => None,
    }
}
