//! Legion's table of places: where it finds an entity by its id.
//!
//! Legion keeps it beside its archetypes, and writes it after the rows have come. So a panic in
//! between leaves rows that the table does not have; and a merge may give one id to two rows, of
//! which the table has one.

use legion::{Entity, storage::Archetype};

use super::ChangeTracker;
use crate::engine::storage::columns::{Columns, Damage, Row};

impl ChangeTracker {
    /// Compares Legion's table of places with the rows of all archetypes. Where a subscriber has
    /// panicked, a row may be in no table; after a merge, two rows may have one id. Either way
    /// there are more rows than entities, so in all other worlds this costs O(archetypes).
    ///
    /// ```text
    ///  rows        3:0 a   3:1 b   4:0 b   4:1 c         four
    ///  places      a: 3:0          b: 4:0                two
    ///  found       b in two rows; c without a place
    /// ```
    ///
    /// Returns an entity that stands in two rows, if any does.
    pub(super) fn check_places(
        &mut self,
        columns: &Columns<'_>,
        entities: usize,
    ) -> Option<Damage> {
        self.unplaced.clear();
        let lists = || columns.archetypes().iter().map(Archetype::entities);
        if lists().map(<[Entity]>::len).sum::<usize>() == entities {
            return None;
        }
        let mut duplicate = None;
        for (archetype, list) in (0..).zip(lists()) {
            for (row, &entity) in (0..).zip(list) {
                match columns.locate(entity) {
                    None => self.unplaced.push(entity),
                    Some(at) if at == (Row { archetype, row }) => {}
                    Some(_) => duplicate = Some(Damage::Duplicate { entity }),
                }
            }
        }
        duplicate
    }

    /// The entities that stand in a row, though Legion does not find them by their ids: a
    /// subscriber has panicked while they were inserted. They are computed like all others, but no
    /// command can migrate them.
    pub fn unplaced<'a>(&'a self, columns: &'a Columns<'_>) -> impl Iterator<Item = Entity> + 'a {
        let is_known = |entity: &Entity| self.locate(*entity) != columns.locate(*entity);
        self.unplaced.iter().copied().filter(is_known)
    }
}
