//! Snapshots of the archetypes that take part in the hierarchy, to see which entities came, went, moved or got another `Parent`.

use std::collections::HashMap;

use legion::{Entity, world::EntityHasher};

use super::{
    compare::{Differing, changed_sum, checksum, checksums, pays},
    diff::{Departed, Departure, Diff},
    snapshot::{Current, RelationSnapshot},
};
use crate::{
    components::Children,
    forest::{Forest, NONE},
    storage::columns::{Columns, Row},
    storage::mask::Mask,
    storage::tracker::ChangeTracker,
};

/// The snapshots of all archetypes with `Parent`, `PreviousParent` or `Children`.
#[derive(Default)]
pub(crate) struct Snapshots {
    snapshots: Vec<Option<Box<RelationSnapshot>>>,
    /// Entities of the forest that live in none of these archetypes, with where: parents whose `Children` are yet to be added.
    outside: Vec<(Entity, Row)>,
    /// Checksums of the `Children` that are about to be added to entities, which moves them to another archetype.
    awaited_sums: HashMap<Entity, u64, EntityHasher>,
}

impl Snapshots {
    /// Remembers that the `Children` of this entity are right as they are.
    pub fn set_sum(&mut self, entity: Entity, row: Row, children: &Children) {
        let sum = checksum(children);
        match self.snapshot_mut(row.archetype) {
            Some(snapshot) if !snapshot.sums.is_empty() => snapshot.sums[row.row as usize] = sum,
            _ => {
                self.awaited_sums.insert(entity, sum);
            }
        }
    }

    /// Remembers that these `Children` are right, now that they have lost and gained some.
    pub fn change_sum(&mut self, row: Row, children: &Children, lost: &[Entity], gained: &[Entity]) {
        let sum = self.snapshot_mut(row.archetype).and_then(|snapshot| snapshot.sums.get_mut(row.row as usize));
        if let Some(sum) = sum {
            *sum = if *sum == 0 { checksum(children) } else { changed_sum(*sum, lost, gained) };
        }
    }

    fn snapshot(&self, archetype: u32) -> Option<&RelationSnapshot> {
        self.snapshots.get(archetype as usize)?.as_deref()
    }

    fn snapshot_mut(&mut self, archetype: u32) -> Option<&mut RelationSnapshot> {
        self.snapshots.get_mut(archetype as usize)?.as_deref_mut()
    }

    /// Brings the snapshots up to date, and entities that only moved with it.
    pub(super) fn diff(&mut self, columns: &Columns<'_>, tracker: &ChangeTracker, forest: &mut Forest) -> Diff {
        let changed = |mask| move |index: &u32| tracker[*index].is_changed(mask);
        let indices: Vec<u32> = tracker.having(Mask::RELATIONS).filter(changed(Mask::RELATIONS)).collect();
        for &index in &indices {
            if self.snapshots.len() <= index as usize {
                self.snapshots.resize_with(index as usize + 1, || None);
            }
            self.snapshots[index as usize].get_or_insert_default();
        }
        let now = indices.iter().map(|&index| {
            let candidates = self.snapshot_mut(index).expect("made above").candidates(columns, tracker, index);
            Current::new(columns, &tracker[index], index, candidates)
        });
        let now: Vec<Current<'_>> = now.collect();
        let lists = indices.iter().zip(&now).filter(|&(index, now)| !now.is_partial() && changed(Mask::CHILDREN)(index));
        let lists: Vec<(u32, &[Children])> = lists.map(|(&index, _)| (index, columns.read(index))).collect();
        let (differing, sums) = self.look(&indices, &now, &lists);

        let outside = self.take_outside(forest);
        let (mut diff, mut departures) = (Diff::default(), Vec::new());
        for ((&index, now), differing) in indices.iter().zip(&now).zip(differing) {
            if now.compares_previous() {
                diff.compared_previous.push(index);
            }
            let snapshot = self.snapshot_mut(index).expect("made above");
            snapshot.compare((now, index), forest, differing, (&mut diff, &mut departures));
        }
        self.place_moved(columns, forest, departures, &mut diff);
        self.place_outside(columns, forest, outside, &mut diff);
        self.take_over_sums(columns, &diff.entered);
        for (&(index, _), sums) in lists.iter().zip(&sums) {
            let snapshot = self.snapshot(index).expect("made above");
            snapshot.compare_children(index, sums, &mut diff.suspects);
        }
        for (&index, _) in indices.iter().zip(&now).filter(|(_, now)| now.is_partial()) {
            self.compare_new_children(columns, index, &mut diff);
        }
        diff
    }

    /// Likewise in an archetype in which nothing but what entered can differ.
    fn compare_new_children(&self, columns: &Columns<'_>, index: u32, diff: &mut Diff) {
        let (snapshot, lists) = (self.snapshot(index).expect("made above"), columns.read::<Children>(index));
        if lists.is_empty() {
            return;
        }
        let entered = diff.entered.iter().filter(|row| row.archetype == index);
        let differs = |row: &&Row| checksum(&lists[row.row as usize]) != snapshot.sums[row.row as usize];
        diff.suspects.extend(entered.filter(differs));
    }

    /// Reads everything that may differ: for each archetype the rows that do, and the sums of its lists.
    fn look(&self, indices: &[u32], now: &[Current<'_>], lists: &[(u32, &[Children])]) -> (Vec<Differing>, Vec<Vec<u64>>) {
        let comparisons = now.iter().map(Current::comparisons).sum();
        let pays = pays(comparisons, lists.iter().map(|(_, lists)| lists.len()).sum());
        let differing = |(&index, now)| self.snapshot(index).expect("made above").differing_rows(now, pays);
        let differing = indices.iter().zip(now).map(differing).collect();
        (differing, lists.iter().map(|(_, lists)| checksums(lists, pays)).collect())
    }

    /// Gives entities that moved between rows their slots back.
    fn place_moved(&mut self, columns: &Columns<'_>, forest: &mut Forest, departures: Vec<Departure>, diff: &mut Diff) {
        for Departure { entity, archetype, parent, departed } in departures {
            let row = columns.locate(entity);
            // Where the entity is now it was not before, so that archetype was compared if it has a snapshot at all.
            let Some((row, snapshot)) = row.and_then(|row| Some((row, self.snapshot_mut(row.archetype)?))) else {
                diff.gone.push((entity, row, departed));
                continue;
            };
            // A row is given out once: of an entity that stands in several, the first to come here has it.
            let has_row = if departed.slot == NONE { forest.slot(row) == NONE } else { forest.place(departed.slot, row) };
            if !has_row {
                diff.gone.push((entity, None, departed));
                continue;
            }
            if let Some(sum) = snapshot.sums.get_mut(row.row as usize) {
                *sum = departed.sum;
            }
            if row.archetype == archetype && snapshot.parents.get(row.row as usize).copied() == parent {
                diff.moved.push(row);
            }
        }
    }

    /// Takes the entities outside off their rows, as these may be others' by now.
    fn take_outside(&mut self, forest: &mut Forest) -> Vec<(Entity, u32)> {
        let outside = std::mem::take(&mut self.outside);
        let slots: Vec<(Entity, u32)> = outside.iter().map(|&(entity, row)| (entity, forest.take_row(row))).collect();
        outside.chunk_by(|a, b| a.1.archetype == b.1.archetype).for_each(|rows| forest.forget_rows(rows[0].1.archetype));
        slots.into_iter().filter(|&(_, slot)| slot != NONE).collect()
    }

    /// Gives them the rows where they are now.
    fn place_outside(&mut self, columns: &Columns<'_>, forest: &mut Forest, outside: Vec<(Entity, u32)>, diff: &mut Diff) {
        for (entity, slot) in outside {
            match columns.locate(entity).filter(|&row| forest.place(slot, row)) {
                Some(row) => self.keep_if_outside(columns, row),
                None => diff.gone.push((entity, None, Departed { slot, sum: 0 })),
            }
        }
    }

    /// Knows the sums of entities that got the `Children` that they were to get.
    fn take_over_sums(&mut self, columns: &Columns<'_>, entered: &[Row]) {
        if self.awaited_sums.is_empty() {
            return;
        }
        for &row in entered {
            let awaited = self.awaited_sums.remove(&columns.entities(row.archetype)[row.row as usize]);
            let snapshot = self.snapshot_mut(row.archetype).expect("the row was compared");
            if let (Some(sum), Some(of_row)) = (awaited, snapshot.sums.get_mut(row.row as usize)) {
                *of_row = sum;
            }
        }
    }

    /// Remembers an entity of the forest if it lives in none of the archetypes with snapshots.
    pub(super) fn keep_if_outside(&mut self, columns: &Columns<'_>, row: Row) {
        if self.snapshot(row.archetype).is_none() {
            self.outside.push((columns.entities(row.archetype)[row.row as usize], row));
        }
    }
}
