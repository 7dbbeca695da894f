//! What differs between the forest and the world.
//!
//! Who came and who left, the [tracker](ChangeTracker) tells by row. Which links were written is
//! told by `PreviousParent`, the record of what the hierarchy last saw:
//!
//! ```text
//!              row 0    row 1    row 2
//!  Parent      sun      mars     sun
//!  Previous    sun      sun      sun       row 1 got another parent
//! ```
//!
//! Where a user may have written `PreviousParent` as well, the forest is asked instead.

use std::ops::Range;

use legion::Entity;

use super::{Hierarchy, compare::for_each_differing};
use crate::{
    accelerators::Accelerator,
    components::{Parent, PreviousParent},
    forest::{Forest, NONE},
    storage::{ArchetypeSheet, ChangeTracker, Columns, Mask, Row},
};

/// What a pass has to look at.
#[derive(Debug, Default)]
pub(super) struct Diff {
    /// Rows whose entity has come, those that follow one another together.
    pub entered: Vec<RowRange>,
    /// Rows whose entity was there and has another `Parent` than the forest has.
    pub reparented: Vec<Row>,
    /// Rows whose entity was there, with the parent of the forest and another `PreviousParent`.
    pub previous: Vec<Row>,
    /// Archetypes in which any `Children` may have been written, ascending.
    pub lists: Vec<u32>,
    /// The entities of the forest that are gone, with their slots.
    pub dead: Vec<DeadNode>,
}

/// An entity of the forest that is gone.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeadNode {
    pub entity: Entity,
    pub slot: u32,
}

/// Rows of an archetype that follow one another.
#[derive(Clone, Debug)]
pub(super) struct RowRange {
    pub archetype: u32,
    pub rows: Range<u32>,
}

impl RowRange {
    pub fn iter(&self) -> impl Iterator<Item = Row> + use<> {
        let archetype = self.archetype;
        self.rows.clone().map(move |row| Row { archetype, row })
    }
}

impl Diff {
    /// An entity has come to a row.
    fn enter(&mut self, Row { archetype, row }: Row) {
        match self.entered.last_mut() {
            Some(last) if last.archetype == archetype && last.rows.end == row => last.rows.end += 1,
            _ => self.entered.push(RowRange { archetype, rows: row..row + 1 }),
        }
    }

    /// Puts entities that have all come at once, from wherever they were, into the order in which
    /// they were there: their parents get them in it.
    fn enter_in_order(&mut self, arrived: Vec<Row>) {
        if arrived.is_empty() {
            return;
        }
        let mut first: Vec<Row> = Vec::new();
        for &row in &arrived {
            match first.iter_mut().find(|first| first.archetype == row.archetype) {
                Some(first) => first.row = first.row.min(row.row),
                None => first.push(row),
            }
        }
        for RowRange { archetype, rows } in &mut self.entered {
            let first = first.iter().find(|first| first.archetype == *archetype);
            first.inspect(|first| rows.end = rows.end.min(first.row));
        }
        self.entered.retain(|range| !range.rows.is_empty());
        arrived.into_iter().for_each(|row| self.enter(row));
    }

    /// Whether all `Children` of an archetype are to be compared with the forest.
    pub fn checks_lists(&self, archetype: u32) -> bool {
        self.lists.binary_search(&archetype).is_ok()
    }
}

impl Hierarchy {
    /// Finds what differs, after the bundle itself has moved the entities of the rows `moved`.
    pub(super) fn diff(
        &mut self,
        columns: &Columns<'_>,
        tracker: &ChangeTracker,
        dead: Vec<DeadNode>,
        moved: Vec<Row>,
    ) -> Diff {
        let mut diff = Diff { dead, ..Diff::default() };
        for archetype in tracker.touched() {
            let (sheet, len) = (&tracker[archetype], columns.entities(archetype).len());
            let slots = self.forest.slots(archetype);
            let has_relations = sheet.mask.has_any(Mask::RELATIONS);
            if has_relations || !slots.is_empty() {
                let has_node = |row: &u32| slots.get(*row as usize).is_some_and(|&at| at != NONE);
                let rows = sheet.recent_arrivals(len).filter(|row| has_relations || has_node(row));
                rows.for_each(|row| diff.enter(Row { archetype, row }));
            }
            if sheet.mask.has(Mask::PARENT) && sheet.is_written(LINKS) {
                diff.compare_links(columns, tracker, &self.forest, archetype);
            }
            if sheet.mask.has(Mask::CHILDREN) && sheet.is_written(Mask::CHILDREN) {
                diff.lists.push(archetype);
            }
        }
        diff.enter_in_order(moved);
        diff
    }

    /// Brings the rows of the forest in line with where its entities are. Returns those that are
    /// gone.
    pub(super) fn follow(
        &mut self,
        columns: &Columns<'_>,
        tracker: &mut ChangeTracker,
    ) -> Vec<DeadNode> {
        let mut nodes = Vec::new();
        for departure in tracker.take_departures() {
            let slot = self.forest.take_row(departure.from);
            if slot != NONE {
                nodes.push(DeadNode { entity: departure.entity, slot });
            }
        }
        for archetype in tracker.touched() {
            if !self.forest.slots(archetype).is_empty() {
                self.forest.set_row_count(archetype, columns.entities(archetype).len());
            }
        }
        nodes.retain(|node| {
            let row = tracker.locate(node.entity);
            !row.is_some_and(|row| self.forest.place(node.slot, row))
        });
        nodes
    }
}

const LINKS: Mask = Mask::PARENT.union(Mask::PREVIOUS_PARENT);

impl Diff {
    /// Compares the links of an archetype, some of which may have been written, with the record.
    fn compare_links(
        &mut self,
        columns: &Columns<'_>,
        tracker: &ChangeTracker,
        forest: &Forest,
        archetype: u32,
    ) {
        let sheet = &tracker[archetype];
        let links = Links {
            sheet,
            parents: columns.read(archetype),
            previous: columns.read(archetype),
            tracker,
            forest,
            slots: forest.slots(archetype),
        };
        let compare = |row: usize| {
            let at = Row { archetype, row: row as u32 };
            if sheet.has_just_arrived(at.row) {
            } else if links.is_reparented(row) {
                self.reparented.push(at);
            } else if links.is_previous_wrong(row) {
                self.previous.push(at);
            }
        };
        let is_recorded = sheet.mask.has(Mask::LINK | Mask::PREVIOUS_PARENT)
            && !sheet.is_written(Mask::PREVIOUS_PARENT);
        if is_recorded && Accelerator::Compare.is_on() {
            for_each_differing(links.parents, links.previous, compare);
        } else {
            (0..links.parents.len()).for_each(compare);
        }
    }
}

/// The links of an archetype.
struct Links<'a> {
    sheet: &'a ArchetypeSheet,
    parents: &'a [Parent],
    /// Empty if the archetype has no such component: then none of its entities is linked.
    previous: &'a [PreviousParent],
    tracker: &'a ChangeTracker,
    forest: &'a Forest,
    slots: &'a [u32],
}

impl Links<'_> {
    /// Whether the forest has the entity below another one than its `Parent` says, or cannot tell.
    fn is_reparented(&self, row: usize) -> bool {
        let parent = self.parents[row].0;
        match self.sheet.mask.has(Mask::LINK) {
            true => self.parent(row) != Some(parent),
            false => self.sheet.is_written(Mask::PARENT),
        }
    }

    fn is_previous_wrong(&self, row: usize) -> bool {
        let right = self.sheet.mask.has(Mask::LINK).then(|| self.parents[row].0);
        self.previous.get(row).is_some_and(|previous| previous.0 != right)
    }

    /// The parent that the forest has the entity below.
    fn parent(&self, row: usize) -> Option<Entity> {
        let slot = *self.slots.get(row).filter(|&&slot| slot != NONE)?;
        self.tracker.entity(self.forest.row(self.forest.parent(slot)?))
    }
}
