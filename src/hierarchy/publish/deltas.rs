//! The children that each parent loses and gains.

use legion::Entity;

use super::super::{change::LinkChange, diff::Diff, row_index::RowIndex};
use crate::{
    forest::NOWHERE,
    storage::columns::{Columns, Row},
};

/// The children that changes take away from parents and give to parents, parent by parent, in the order of the changes.
#[derive(Default)]
pub(super) struct ChildListDeltas {
    parents: Vec<Delta>,
    lost: Vec<Entity>,
    gained: Vec<Entity>,
}

struct Delta {
    row: Row,
    /// How many, and then one past the last.
    lost: u32,
    gained: u32,
}

impl ChildListDeltas {
    /// Of the parents whose lists are not compared as a whole. `index_by_row` will know them by their rows.
    pub fn of(changes: &[LinkChange], diff: &Diff, columns: &Columns<'_>, index_by_row: &mut RowIndex) -> Self {
        let mut deltas = Self::default();
        let count = |deltas: &mut Self, index_by_row: &mut RowIndex, row| {
            let index = deltas.find(row, index_by_row).unwrap_or_else(|| {
                let index = deltas.parents.len();
                deltas.parents.push(Delta { row, lost: 0, gained: 0 });
                index_by_row.set(columns, row, index);
                index
            });
            index as u32
        };
        let is_listed = |parent: &Row| *parent != NOWHERE && !diff.checks_lists(parent.archetype);
        let mut sides = Vec::new();
        for change in changes {
            let (from, to) = (Some(change.old_parent).filter(is_listed), change.new_parent().filter(is_listed));
            if from.is_none() && to.is_none() {
                continue;
            }
            let from = from.map(|parent| count(&mut deltas, index_by_row, parent));
            let to = to.map(|parent| count(&mut deltas, index_by_row, parent));
            from.inspect(|&from| deltas.parents[from as usize].lost += 1);
            to.inspect(|&to| deltas.parents[to as usize].gained += 1);
            sides.push((change.entity, from, to));
        }
        deltas.sort(&sides);
        deltas
    }

    /// Puts the children next to those of the same parent.
    fn sort(&mut self, sides: &[(Entity, Option<u32>, Option<u32>)]) {
        let (mut lost, mut gained) = (0, 0);
        for parent in &mut self.parents {
            lost += std::mem::replace(&mut parent.lost, lost);
            gained += std::mem::replace(&mut parent.gained, gained);
        }
        let Some(&(any, ..)) = sides.first() else { return };
        // Copied: to clone an entity is to ask Legion whether a merge renames it.
        self.lost.extend(std::iter::repeat_with(|| any).take(lost as usize));
        self.gained.extend(std::iter::repeat_with(|| any).take(gained as usize));
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

    /// The index of a parent that lost or gained children.
    pub fn find(&self, row: Row, index_by_row: &RowIndex) -> Option<usize> {
        let index = index_by_row.get(row);
        self.parents.get(index).is_some_and(|parent| parent.row == row).then_some(index)
    }

    /// A parent, the children that it loses and those that it gains.
    pub fn get(&self, index: usize) -> (Row, &[Entity], &[Entity]) {
        let parent = &self.parents[index];
        let (lost, gained) = index.checked_sub(1).map_or((0, 0), |before| {
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
