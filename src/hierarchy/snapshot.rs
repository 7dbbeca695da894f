//! The snapshot of one archetype.

use legion::Entity;

use super::{
    compare::{Differing, difference, differing_rows},
    diff::{Departure, Diff, RowRange},
    numbers::EntityNumbers,
};
use crate::{
    bits::ones,
    components::{Parent, PreviousParent},
    forest::Forest,
    storage::archetype_snapshot::ArchetypeSnapshot,
    storage::columns::{Columns, Row, captured},
    storage::mask::Mask,
    storage::tracker::ChangeTracker,
};

/// The rows of one archetype as they were last seen.
#[derive(Default)]
pub(super) struct RelationSnapshot {
    entities: EntityNumbers,
    /// Their `Parent`s; empty for an archetype without.
    pub parents: EntityNumbers,
    /// The [epoch](ChangeTracker::epoch), and how many entities had come and gone in it when this
    /// was taken.
    counted: (u64, usize, usize),
}

/// The columns of an archetype that may differ from what was last seen; empty where they cannot.
pub(super) struct Current<'a> {
    /// How many rows there are.
    pub len: usize,
    entities: &'a [Entity],
    parents: &'a [Parent],
    /// With the parents beside them.
    previous: (&'a [PreviousParent], &'a [Parent]),
    /// Whether `PreviousParent` should be the parent, and not nothing.
    linked: bool,
    /// Whether the parents are what was last seen wherever they are the previous ones.
    is_known: bool,
    /// The only rows that can differ, ascending; all if none is named.
    candidates: Option<Vec<u32>>,
}

impl<'a> Current<'a> {
    pub fn new(
        columns: &'a Columns<'_>,
        archetype: &ArchetypeSnapshot,
        index: u32,
        candidates: Option<Vec<u32>>,
    ) -> Self {
        let parents = columns.read::<Parent>(index);
        let is_compared = archetype.mask.has(Mask::PARENT | Mask::PREVIOUS_PARENT)
            && archetype.is_changed(Mask::PARENT | Mask::PREVIOUS_PARENT);
        // As long as `PreviousParent` was not written, it holds what `Parent` was, and rows that
        // differ are looked at anyway.
        let is_known = is_compared
            && archetype.mask.has(Mask::LINK)
            && !archetype.is_changed(Mask::PREVIOUS_PARENT);
        Self {
            len: columns.entities(index).len(),
            entities: if archetype.has_other_members() { columns.entities(index) } else { &[] },
            parents: if archetype.is_changed(Mask::PARENT) { parents } else { &[] },
            previous: if is_compared { (columns.read(index), parents) } else { (&[], &[]) },
            linked: archetype.mask.has(Mask::LINK),
            is_known,
            candidates,
        }
    }

    /// How many ids there are to compare.
    pub fn comparisons(&self) -> usize {
        if self.candidates.is_some() {
            return 0;
        }
        self.entities.len()
            + self.previous.0.len()
            + if self.is_known { 0 } else { self.parents.len() }
    }

    /// Whether `PreviousParent` is compared in all rows.
    pub fn compares_previous(&self) -> bool {
        self.candidates.is_none() && !self.previous.0.is_empty()
    }

    /// Whether only some rows can differ, and `Children` in none of the others.
    pub fn is_partial(&self) -> bool {
        self.candidates.is_some()
    }

    /// Whether the entity at a row has another `PreviousParent` than its components ask for.
    fn is_previous_wrong(&self, row: usize) -> bool {
        let (previous, parents) = self.previous;
        previous.get(row).is_some_and(|previous| previous.0 != self.linked.then(|| parents[row].0))
    }
}

/// As many of the rows as a column has.
fn part<T>(column: &[T], rows: std::ops::Range<usize>) -> &[T] {
    if column.is_empty() { &[] } else { &column[rows] }
}

impl RelationSnapshot {
    /// The rows in which [another entity can stand](ChangeTracker::other_rows) than was last seen;
    /// `None` if it can be any, or if looking at all of them costs less.
    pub fn candidates(
        &mut self,
        columns: &Columns<'_>,
        tracker: &ChangeTracker,
        index: u32,
    ) -> Option<Vec<u32>> {
        let (before, epoch) = (std::mem::take(&mut self.counted), tracker.epoch());
        let (came, went) = tracker[index].known_membership()?;
        self.counted = (epoch, came, went);
        let (came, went) =
            if before.0 == epoch { (came - before.1, went - before.2) } else { (came, went) };
        if tracker[index].is_written(Mask::RELATIONS) {
            return None;
        }
        let old_from = |row| self.entities.iter_from(row);
        tracker.other_rows((columns, index), (self.entities.len(), old_from), (came, went))
    }

    /// Takes over the entities, and their `Parent`s, as they are now, from the rows in which
    /// something differs. Parents of entities that have just entered are no news.
    pub fn compare(
        &mut self,
        (now, index): (&Current<'_>, u32),
        forest: &mut Forest,
        differing: Differing,
        (diff, departures): (&mut Diff, &mut Vec<Departure>),
    ) {
        let common = now.len.min(self.entities.len());
        for (first, bits) in differing {
            let row = |row| Row { archetype: index, row: (first + row) as u32 };
            ones(bits).for_each(|bit| self.take_over(now, row(bit), forest, (diff, departures)));
        }
        departures.extend(
            (common..self.entities.len())
                .map(|row| self.departure(forest, Row { archetype: index, row: row as u32 })),
        );
        forest.set_row_count(index, now.len);
        self.resize(now, common);
        if now.len > common {
            diff.entered.push(RowRange { archetype: index, rows: common as u32..now.len as u32 });
        }
    }

    /// The rows in which anything differs, as bits behind the first of 64.
    pub fn differing_rows(&self, now: &Current<'_>, pays: bool) -> Differing {
        if let Some(rows) = &now.candidates {
            let common = now.len.min(self.entities.len());
            let blocks = rows[..rows.partition_point(|&row| (row as usize) < common)]
                .chunk_by(|a, b| a / 64 == b / 64);
            let bits = |rows: &[u32]| rows.iter().fold(0, |bits, row| bits | 1 << (row % 64));
            return blocks.map(|rows| (rows[0] as usize / 64 * 64, bits(rows))).collect();
        }
        differing_rows(now.len.min(self.entities.len()), pays, |rows| {
            let (previous, parents) =
                (part(now.previous.0, rows.clone()), part(now.previous.1, rows.clone()));
            let wrong = if now.linked {
                difference(previous, parents, index, |parent| captured(&parent.0))
            } else {
                difference(previous, previous, index, |_| 0)
            };
            let parents = if now.is_known { &[] } else { part(now.parents, rows.clone()) };
            let reparented = if parents.is_empty() {
                0
            } else {
                self.parents.difference(rows.clone(), parents, |now| &now.0)
            };
            let entities = part(now.entities, rows.clone());
            let entered = if entities.is_empty() {
                0
            } else {
                self.entities.difference(rows, entities, |now| now)
            };
            wrong | reparented | entered
        })
    }

    /// Takes over a row in which something differs.
    fn take_over(
        &mut self,
        now: &Current<'_>,
        at: Row,
        forest: &mut Forest,
        (diff, departures): (&mut Diff, &mut Vec<Departure>),
    ) {
        let row = at.row as usize;
        if now.entities.get(row).is_some_and(|now| Some(*now) != self.entities.get(row)) {
            departures.push(self.departure(forest, at));
            diff.enter(at);
            self.enter(now, row);
        } else if now.parents.get(row).is_some_and(|now| Some(now.0) != self.parents.get(row)) {
            diff.reparented.push(at);
            self.parents.set(row, now.parents[row].0);
        } else if now.is_previous_wrong(row) {
            diff.previous.push(at);
        }
    }

    /// The entity of a row that it is not at any more.
    fn departure(&self, forest: &mut Forest, at: Row) -> Departure {
        let row = at.row as usize;
        let slot = forest.take_row(at);
        let entity = self.entities.get(row).expect("a row that was seen");
        Departure { entity, archetype: at.archetype, parent: self.parents.get(row), slot }
    }

    /// Takes over another entity in a row.
    fn enter(&mut self, now: &Current<'_>, row: usize) {
        self.entities.set(row, now.entities[row]);
        if let Some(parent) = now.parents.get(row) {
            self.parents.set(row, parent.0);
        }
    }

    /// Forgets the rows behind the last, and takes over those that are new.
    fn resize(&mut self, now: &Current<'_>, common: usize) {
        self.entities.truncate(common);
        self.parents.truncate(common);
        if now.len > common {
            self.entities.extend(now.entities[common..].iter().copied());
            self.parents.extend(
                now.parents.get(common..).unwrap_or_default().iter().map(|parent| parent.0),
            );
        }
    }
}

/// 0 for nothing.
fn index(previous: &PreviousParent) -> u64 {
    previous.0.as_ref().map_or(0, captured)
}
