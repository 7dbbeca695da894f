//! Snapshots of the archetypes that take part in the hierarchy, to see which entities came, went,
//! moved or got another `Parent`.

use legion::Entity;

use super::{
    compare::{Differing, pays},
    diff::{Departure, Diff},
    snapshot::{Current, RelationSnapshot},
};
use crate::{
    forest::{Forest, NONE},
    storage::columns::{Columns, Row},
    storage::mask::Mask,
    storage::tracker::ChangeTracker,
};

/// The snapshots of all archetypes with `Parent`, `PreviousParent` or `Children`.
#[derive(Default)]
pub(crate) struct Snapshots {
    snapshots: Vec<Option<Box<RelationSnapshot>>>,
    /// Entities of the forest that live in none of these archetypes, with where: parents whose
    /// `Children` are yet to be added.
    outside: Vec<(Entity, Row)>,
}

impl Snapshots {
    fn snapshot(&self, archetype: u32) -> Option<&RelationSnapshot> {
        self.snapshots.get(archetype as usize)?.as_deref()
    }

    fn snapshot_mut(&mut self, archetype: u32) -> Option<&mut RelationSnapshot> {
        self.snapshots.get_mut(archetype as usize)?.as_deref_mut()
    }

    /// Brings the snapshots up to date, and entities that only moved with it.
    pub(super) fn diff(
        &mut self,
        columns: &Columns<'_>,
        tracker: &ChangeTracker,
        forest: &mut Forest,
    ) -> Diff {
        let changed = |mask| move |index: &u32| tracker[*index].is_changed(mask);
        let indices: Vec<u32> =
            tracker.having(Mask::RELATIONS).filter(changed(Mask::RELATIONS)).collect();
        for &index in &indices {
            if self.snapshots.len() <= index as usize {
                self.snapshots.resize_with(index as usize + 1, || None);
            }
            self.snapshots[index as usize].get_or_insert_default();
        }
        let now = indices.iter().map(|&index| {
            let candidates =
                self.snapshot_mut(index).expect("made above").candidates(columns, tracker, index);
            Current::new(columns, &tracker[index], index, candidates)
        });
        let now: Vec<Current<'_>> = now.collect();
        let pays = pays(now.iter().map(Current::comparisons).sum());
        let differing =
            |(&index, now)| self.snapshot(index).expect("made above").differing_rows(now, pays);
        let differing: Vec<Differing> = indices.iter().zip(&now).map(differing).collect();

        let outside = self.take_outside(forest);
        let (mut diff, mut departures) = (Diff::default(), Vec::new());
        for ((&index, now), differing) in indices.iter().zip(&now).zip(differing) {
            diff.compared_previous |= now.compares_previous();
            if !now.is_partial()
                && tracker[index].mask.has(Mask::CHILDREN)
                && changed(Mask::CHILDREN)(&index)
            {
                diff.lists.push(index);
            }
            let snapshot = self.snapshot_mut(index).expect("made above");
            snapshot.compare((now, index), forest, differing, (&mut diff, &mut departures));
        }
        self.place_moved(columns, forest, departures, &mut diff);
        self.place_outside(columns, forest, outside, &mut diff);
        diff
    }

    /// Gives entities that moved between rows their slots back.
    fn place_moved(
        &mut self,
        columns: &Columns<'_>,
        forest: &mut Forest,
        departures: Vec<Departure>,
        diff: &mut Diff,
    ) {
        for Departure { entity, archetype, parent, slot } in departures {
            let row = columns.locate(entity);
            // Where the entity is now it was not before, so that archetype was compared if it has a
            // snapshot at all.
            let Some((row, snapshot)) =
                row.and_then(|row| Some((row, self.snapshot_mut(row.archetype)?)))
            else {
                diff.gone.push((entity, row, slot));
                continue;
            };
            // A row is given out once: of an entity that stands in several, the first to come here
            // has it.
            let has_row =
                if slot == NONE { forest.slot(row) == NONE } else { forest.place(slot, row) };
            if !has_row {
                diff.gone.push((entity, None, slot));
                continue;
            }
            if row.archetype == archetype && snapshot.parents.get(row.row as usize) == parent {
                diff.moved.push(row);
            }
        }
    }

    /// Takes the entities outside off their rows, as these may be others' by now.
    fn take_outside(&mut self, forest: &mut Forest) -> Vec<(Entity, u32)> {
        let outside = std::mem::take(&mut self.outside);
        let slots: Vec<(Entity, u32)> =
            outside.iter().map(|&(entity, row)| (entity, forest.take_row(row))).collect();
        outside
            .chunk_by(|a, b| a.1.archetype == b.1.archetype)
            .for_each(|rows| forest.forget_rows(rows[0].1.archetype));
        slots.into_iter().filter(|&(_, slot)| slot != NONE).collect()
    }

    /// Gives them the rows where they are now.
    fn place_outside(
        &mut self,
        columns: &Columns<'_>,
        forest: &mut Forest,
        outside: Vec<(Entity, u32)>,
        diff: &mut Diff,
    ) {
        for (entity, slot) in outside {
            match columns.locate(entity).filter(|&row| forest.place(slot, row)) {
                Some(row) => self.keep_if_outside(columns, row),
                None => diff.gone.push((entity, None, slot)),
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
