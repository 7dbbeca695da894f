//! The children that each parent loses and gains.

use legion::Entity;

use super::super::{change::LinkChanges, diff::Diff, row_index::RowIndex};
use crate::storage::{Columns, Row};

/// The children that changes take away from parents and give to parents, parent by parent, in the
/// order of the changes.
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
    /// Of the parents whose lists are not compared as a whole. `index_by_row` will know them by
    /// their rows.
    pub fn of(
        changes: &LinkChanges,
        diff: &Diff,
        columns: &Columns<'_>,
        index_by_row: &mut RowIndex,
    ) -> Self {
        let mut deltas = Self::default();
        let index_of = |deltas: &mut Self, index_by_row: &mut RowIndex, row| {
            let index = deltas.find(row, index_by_row).unwrap_or_else(|| {
                let index = deltas.parents.len();
                deltas.parents.push(Delta { row, lost: 0, gained: 0 });
                index_by_row.set(columns, row, index);
                index
            });
            index as u32
        };
        let is_edited = |parent: Row| !diff.checks_lists(parent.archetype);
        let (mut lost, mut gained) = (Vec::new(), Vec::new());
        for cut in changes.cut.iter().filter(|cut| is_edited(cut.parent)) {
            let parent = index_of(&mut deltas, index_by_row, cut.parent);
            deltas.parents[parent as usize].lost += 1;
            lost.push((cut.child, parent));
        }
        for change in &changes.list {
            if let Some(parent) = change.new_parent().filter(|&parent| is_edited(parent)) {
                let parent = index_of(&mut deltas, index_by_row, parent);
                deltas.parents[parent as usize].gained += 1;
                gained.push((columns.entity(change.row), parent));
            }
        }
        deltas.sort(&lost, &gained);
        deltas
    }

    /// Puts the children next to those of the same parent.
    fn sort(&mut self, lost: &[(Entity, u32)], gained: &[(Entity, u32)]) {
        let mut starts = (0, 0);
        for parent in &mut self.parents {
            starts.0 += std::mem::replace(&mut parent.lost, starts.0);
            starts.1 += std::mem::replace(&mut parent.gained, starts.1);
        }
        // Copied: to clone an entity is to ask Legion whether a merge renames it.
        self.lost.extend(lost.iter().map(|&(child, _)| child));
        self.gained.extend(gained.iter().map(|&(child, _)| child));
        for &(child, parent) in lost {
            put(&mut self.lost, &mut self.parents[parent as usize].lost, child);
        }
        for &(child, parent) in gained {
            put(&mut self.gained, &mut self.parents[parent as usize].gained, child);
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
        (
            parent.row,
            &self.lost[lost as usize..parent.lost as usize],
            &self.gained[gained as usize..parent.gained as usize],
        )
    }
}

fn put(list: &mut [Entity], next: &mut u32, child: Entity) {
    list[*next as usize] = child;
    *next += 1;
}
