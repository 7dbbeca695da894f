//! What differs between the snapshots and the world.

use std::ops::Range;

use legion::Entity;

use super::row_index::RowIndex;
use crate::storage::columns::{Columns, Row};

/// What a comparison with the snapshots has found.
#[derive(Debug, Default)]
pub(super) struct Diff {
    /// Rows with another entity than before, those that follow one another together.
    pub entered: Vec<RowRange>,
    /// Those of them whose entity only moved within its archetype, with its `Parent`: nothing else
    /// is new about it.
    pub moved: Vec<Row>,
    /// Rows whose entity has another `Parent` than before.
    pub reparented: Vec<Row>,
    /// Rows with the same entity and `Parent` as before whose `PreviousParent` is not what the
    /// components ask for.
    pub previous: Vec<Row>,
    /// Whether all `PreviousParent`s of any archetype were compared.
    pub compared_previous: bool,
    /// Archetypes in which any `Children` may have been written, ascending.
    pub lists: Vec<u32>,
    /// Entities that have left the archetypes with snapshots, with where they are now if they are
    /// alive, and their slot in the forest, or [`NONE`](crate::forest::NONE).
    pub gone: Vec<(Entity, Option<Row>, u32)>,
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

/// An entity that is not where it was.
pub(super) struct Departure {
    pub entity: Entity,
    pub archetype: u32,
    pub parent: Option<Entity>,
    /// In the forest, or [`NONE`](crate::forest::NONE).
    pub slot: u32,
}

impl Diff {
    /// Another entity is in a row.
    pub fn enter(&mut self, Row { archetype, row }: Row) {
        match self.entered.last_mut() {
            Some(last) if last.archetype == archetype && last.rows.end == row => last.rows.end += 1,
            _ => self.entered.push(RowRange { archetype, rows: row..row + 1 }),
        }
    }

    /// All rows with another entity than before.
    pub fn entered_rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.entered.iter().flat_map(RowRange::iter)
    }

    /// Enters the rows of entities that only moved into an index, to tell them from those that
    /// came.
    pub fn index_moved(&self, columns: &Columns<'_>, index_by_row: &mut RowIndex) {
        self.moved
            .iter()
            .enumerate()
            .for_each(|(index, &row)| index_by_row.set(columns, row, index));
    }

    /// Puts entities that have all come at once, from wherever they were, into the order in which
    /// they were there: their parents get them in it.
    pub fn enter_in_order(&mut self, arrived: Vec<Row>) {
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

    pub fn has_only_moved(&self, row: Row, index_by_row: &RowIndex) -> bool {
        !self.moved.is_empty() && self.moved.get(index_by_row.get(row)) == Some(&row)
    }

    /// Whether all `Children` of an archetype are to be compared with the forest.
    pub fn checks_lists(&self, archetype: u32) -> bool {
        self.lists.binary_search(&archetype).is_ok()
    }
}
