//! What is kept by row outside of the tracker follows the entities. A replay calls
//! [`leave`](Follow::leave) and [`come`](Follow::come), event by event. Here `b`, which has slot 8
//! of the forest, goes from archetype 7 to row 40 of archetype 9:
//!
//! ```text
//!  event     archetype 7      its slots     parked        archetype 9
//!            a b c d          5 8 9 40
//!  out of 7  a d c            5 40 9        b, slot 8
//!  into 9    a d c            5 40 9        -             b in row 40, slot 8
//! ```
//!
//! An entity that is still parked at the hierarchy's pass is dead.
//!
//! Legion writes its table of places after the rows have come. So a panic in between leaves rows
//! that the table lacks; and a merge may give one id to two rows, of which the table has one.

use legion::{Entity, storage::Archetype};
use nalgebra::Matrix4;

use super::ChangeTracker;
use crate::engine::storage::{
    columns::{Columns, Damage, Row},
    mask::Mask,
};

/// What is kept by row, brought in line with Legion's rows at each look.
pub(crate) trait Follow {
    /// The entity of a row goes, and the one of row `last` takes its place, if that is another row.
    fn leave(&mut self, from: Row, last: u32) -> Kept;

    /// An entity comes to a row behind all others, of an archetype with these components. It has
    /// `kept` this from the row that it left since the last pass, if it did. If it `is_back`, it
    /// was found in the very row that it left, after events were lost.
    fn come(&mut self, entity: Entity, to: Row, mask: Mask, kept: Option<Kept>, is_back: bool);

    /// Entities come that have none of the crate's components.
    fn come_bare(&mut self, entities: &[Entity]);
}

/// All that an entity takes along from one row to another.
pub(crate) struct Kept {
    /// Its slot in the forest, or `forest::NONE`.
    pub slot: u32,
    /// The `ParentScaleInverse` that the bundle has written.
    pub scale: Option<Box<Matrix4<f32>>>,
}

/// An entity that has left its row since the hierarchy's last pass.
pub(super) struct Parked {
    pub entity: Entity,
    pub from: Row,
    /// What it took along; `None` once it has come to another row.
    pub kept: Option<Kept>,
}

impl ChangeTracker {
    /// What an entity took along when it left its row, if it has not come to another since.
    pub fn kept(&self, entity: Entity) -> Option<&Kept> {
        self.parked[self.row_map.parked(entity)? as usize].kept.as_ref()
    }

    /// The entities that left their rows since the last pass and did not come to others, with
    /// their slots. A pass asks: they do not come back.
    pub fn dead(&self) -> impl Iterator<Item = (Entity, u32)> + '_ {
        self.parked.iter().filter_map(|it| Some((it.entity, it.kept.as_ref()?.slot)))
    }

    /// Forgets who left a row.
    pub(super) fn forget_parked(&mut self) {
        for parked in self.parked.drain(..).filter(|parked| parked.kept.is_some()) {
            self.row_map.forget(parked.entity);
        }
    }

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

    /// Whether there may be any [unplaced](Self::unplaced) entities.
    pub fn has_unplaced(&self) -> bool {
        !self.unplaced.is_empty()
    }

    /// The entities that stand in a row, though Legion does not find them by their ids: a
    /// subscriber has panicked while they were inserted. They are computed like all others, but no
    /// command can migrate them.
    pub fn unplaced<'a>(&'a self, columns: &'a Columns<'_>) -> impl Iterator<Item = Entity> + 'a {
        let is_known = |entity: &Entity| self.locate(*entity) != columns.locate(*entity);
        self.unplaced.iter().copied().filter(is_known)
    }
}
