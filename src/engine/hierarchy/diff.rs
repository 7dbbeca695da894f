//! The differences between the forest and the world.
//!
//! `PreviousParent` is the record of each `Parent` as the last pass left it. A link that was
//! written differs from it:
//!
//! ```text
//!              row 0    row 1    row 2
//!  Parent      sun      mars     sun
//!  Previous    sun      sun      sun       row 1 got another parent
//! ```
//!
//! The forest decides about the rows that differ; about all rows, where a user may have written
//! `PreviousParent` as well:
//!
//! ```text
//!  Parent   Previous   parent in the forest     the row is in
//!  mars     sun        sun                      reparented
//!  sun      mars       sun                      previous: only the record is wrong
//!  mars     mars       sun                      reparented: the user wrote both
//! ```
//!
//! # The lists that the forest has
//!
//! With slots 2 and 3 as children of slot 1, and moon and io in their rows:
//!
//! ```text
//!  Children of mars    check
//!  moon, io            Right
//!  (empty)             Filled: it is moon, io now
//!  io, moon            Wrong: perhaps a user's order; it is repaired elsewhere
//!  moon                Wrong
//! ```

use std::ops::Range;

use legion::{Entity, storage::Archetype};

use super::{Hierarchy, change::Read, compare::for_each_differing};
use crate::{
    components::{Children, Parent, PreviousParent},
    engine::{
        forest::{Forest, NONE},
        machine::{Accelerator, Machine},
        storage::{ArchetypeSheet, Mask, Row},
    },
};

/// What a pass has to look at. No row is in `entered` and in another list.
#[derive(Debug, Default)]
pub(super) struct Diff {
    /// Rows whose entity has come, consecutive rows as one range. The order of ranges is the order
    /// in which new children go into `Children`.
    pub entered: Vec<RowRange>,
    /// Rows whose entity was there and has another `Parent` than the forest has.
    pub reparented: Vec<Row>,
    /// Rows whose entity was there and has the parent of the forest, but a `PreviousParent` that is
    /// wrong.
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

/// Consecutive rows of an archetype: of 10,000 spawned rows one range, 12 bytes.
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
    /// An entity has come to a row. Rows 4, 5 and 6 in turn become the range `4..7`.
    fn enter(&mut self, Row { archetype, row }: Row) {
        match self.entered.last_mut() {
            Some(last) if last.archetype == archetype && last.rows.end == row => last.rows.end += 1,
            _ => self.entered.push(RowRange { archetype, rows: row..row + 1 }),
        }
    }

    /// Whether all `Children` of an archetype are compared with the forest.
    pub fn checks_lists(&self, archetype: u32) -> bool {
        self.lists.binary_search(&archetype).is_ok()
    }
}

impl Hierarchy {
    /// Finds what differs.
    ///
    /// Looks at touched archetypes only. An entity that came matters if its archetype has relations
    /// or if it has a node: a parent whose `Children` were removed by hand still has its node.
    pub(super) fn diff(
        &mut self,
        read @ Read { columns, tracker }: Read<'_, '_>,
        machine: &Machine,
        dead: Vec<DeadNode>,
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
                diff.compare_links(read, machine, &self.forest, archetype);
            }
            if sheet.mask.has(Mask::CHILDREN) && sheet.is_written(Mask::CHILDREN) {
                diff.lists.push(archetype);
            }
        }
        diff
    }
}

const LINKS: Mask = Mask::PARENT.union(Mask::PREVIOUS_PARENT);

impl Diff {
    /// Compares the links of an archetype, some of which may have been written, with the record or,
    /// where that may have been written, with the forest. Costs O(rows).
    fn compare_links(
        &mut self,
        Read { columns, tracker }: Read<'_, '_>,
        machine: &Machine,
        forest: &Forest,
        archetype: u32,
    ) {
        let sheet = &tracker[archetype];
        let links = LinkColumns {
            sheet,
            parents: columns.read(archetype),
            previous: columns.read(archetype),
            lists: ForestLists { forest, archetypes: columns.archetypes() },
            slots: forest.slots(archetype),
        };
        let at = |row: usize| Row { archetype, row: row as u32 };
        // Entities that came are in `entered` already.
        let was_there = |row: &usize| !sheet.has_just_arrived(*row as u32);
        let is_recorded = sheet.mask.has(Mask::LINK | Mask::PREVIOUS_PARENT)
            && !sheet.is_written(Mask::PREVIOUS_PARENT);
        if is_recorded && machine.uses(Accelerator::Compare) {
            for_each_differing(links.parents, links.previous, |row| {
                if was_there(&row) {
                    self.reparented.push(at(row));
                }
            });
            return;
        }
        let mut last = (NONE, None);
        for row in (0..links.parents.len()).filter(was_there) {
            if links.is_reparented(row, &mut last) {
                self.reparented.push(at(row));
            } else if links.is_previous_wrong(row) {
                self.previous.push(at(row));
            }
        }
    }
}

/// The links of an archetype: as users wrote them, as recorded, and as the forest has them.
struct LinkColumns<'a> {
    sheet: &'a ArchetypeSheet,
    parents: &'a [Parent],
    /// Empty if the archetype has no such component: then none of its entities is linked.
    previous: &'a [PreviousParent],
    lists: ForestLists<'a>,
    slots: &'a [u32],
}

/// The slot of the parent that was found last, and its entity: of 100 siblings in consecutive rows,
/// 99 find it here.
type LastParent = (u32, Option<Entity>);

impl LinkColumns<'_> {
    /// Whether the entity's parent in the forest is not its `Parent`. Where links are ignored,
    /// because a matrix is missing, the forest knows no parents: then each row counts.
    #[inline]
    fn is_reparented(&self, row: usize, last: &mut LastParent) -> bool {
        !self.sheet.mask.has(Mask::LINK) || self.parent(row, last) != Some(self.parents[row].0)
    }

    /// Whether the record is not the `Parent`, or not `None` where links are ignored.
    fn is_previous_wrong(&self, row: usize) -> bool {
        let right = self.sheet.mask.has(Mask::LINK).then(|| self.parents[row].0);
        self.previous.get(row).is_some_and(|previous| previous.0 != right)
    }

    /// The entity's parent in the forest.
    #[inline]
    fn parent(&self, row: usize, last: &mut LastParent) -> Option<Entity> {
        let slot = *self.slots.get(row).filter(|&&slot| slot != NONE)?;
        let parent = self.lists.forest.parent(slot)?;
        if parent != last.0 {
            *last = (parent, self.lists.entity(self.lists.forest.row(parent)));
        }
        last.1
    }
}

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    Right,
    /// It was empty, and is right now. Users spawn parents with `Children::new()`, so that no
    /// command has to add the component.
    Filled,
    Wrong,
}

/// The right content of `Children`, by slot.
#[derive(Clone, Copy)]
pub(super) struct ForestLists<'a> {
    pub forest: &'a Forest,
    pub archetypes: &'a [Archetype],
}

impl<'a> ForestLists<'a> {
    /// The children of a node, in the order in which it got them.
    pub fn children(self, slot: u32) -> impl Iterator<Item = Entity> + 'a {
        self.forest.children(slot).filter_map(move |child| self.entity(self.forest.row(child)))
    }

    /// The entity at a row; `None` for a node without a row.
    #[inline]
    pub fn entity(self, Row { archetype, row }: Row) -> Option<Entity> {
        self.archetypes.get(archetype as usize)?.entities().get(row as usize).copied()
    }

    /// Compares a list with the children of a node, and fills it if it is empty. Any list of an
    /// entity without children is `Wrong`. Costs O(children).
    pub fn check(self, list: &mut Children, slot: u32) -> Check {
        if slot == NONE || !self.forest.has_children(slot) {
            return Check::Wrong;
        }
        let mut children = self.children(slot);
        if list.is_empty() {
            list.0.extend(children);
            return Check::Filled;
        }
        let is_right = list.iter().all(|child| children.next().as_ref() == Some(child))
            && children.next().is_none();
        if is_right { Check::Right } else { Check::Wrong }
    }
}
