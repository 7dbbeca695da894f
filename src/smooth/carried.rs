//! What is carried: through a portal, or computed relative to a different frame.
//!
//! The matrix A of the tick before, and what was drawn in the last frame, are mapped first. Then
//! three questions have an answer each. Did the run change its matrix? Does it move, from A as
//! mapped to B? Is it drawn elsewhere than before?
//!
//! ```text
//!                                    A    mapped    B      the run     it moves   listed
//!  it rests, and goes 100 further    3    103       103    changes it  no         settled
//!  a belt is wrapped by 1            103  102       103    does not    yes        moving
//!  it rolls by 2, and 100 further    3    103       105    changes it  yes        moving
//! ```
//!
//! So all that is carried is due, and what the list of changes does not name is mapped, too.

use legion::Entity;

use super::{
    ArchetypeRow, Column, Smooth,
    follow::{Before, Rows, Tick},
};
use crate::components::LocalToWorld;

impl Tick<'_, '_> {
    /// Whether anything is carried.
    pub fn carries(&self) -> bool {
        !self.carried.is_empty() || self.seen.is_some()
    }
}

impl Smooth {
    /// Maps all that is carried and kept its matrix: it comes from elsewhere to where it was.
    /// Returns the archetypes that have some.
    pub(super) fn carry(&mut self, tick: &mut Tick<'_, '_>) -> Vec<u32> {
        let mut rows: Vec<ArchetypeRow> = match tick.seen {
            Some(_) => {
                let columns = (0..).zip(&self.columns);
                let rows = |(archetype, column): (u32, &Column)| {
                    (0..column.entities.len() as u32).map(move |row| (archetype, row))
                };
                columns.flat_map(rows).collect()
            }
            None => {
                tick.carried.keys().filter_map(|&entity| self.place(tick.world, entity)).collect()
            }
        };
        rows.retain(|at| !tick.met.contains(&self.columns[at.0 as usize].entities[at.1 as usize]));
        rows.sort_unstable();
        let frame = self.last_frame.as_ref().map(|last| last.number);
        for &(archetype, row) in &rows {
            let (column, turns) = (&mut self.columns[archetype as usize], &mut self.turns);
            let (entity, new) = (column.entities[row as usize], column.matrices[row as usize]);
            let mut before = column.before(row, None);
            let mut to = Rows { archetype, column, turns, frame, has_marks: true };
            if to.map(row, entity, &mut before, tick) {
                to.jump_or_go_on(row, before, &new, tick.still.contains(&entity));
            }
        }
        let mut archetypes: Vec<u32> = rows.into_iter().map(|(archetype, _)| archetype).collect();
        archetypes.dedup();
        self.sort_motions(&archetypes);
        archetypes
    }
}

impl Rows<'_> {
    /// Maps what is known of an entity that is carried, or relative to another frame. Returns
    /// whether it is: then it is drawn elsewhere, though it may have the matrix that it had.
    pub fn map(
        &mut self,
        row: u32,
        entity: Entity,
        before: &mut Before,
        tick: &mut Tick<'_, '_>,
    ) -> bool {
        let matrix = &mut self.column.matrices[row as usize];
        let mut is_mapped = tick.seen.as_mut().is_some_and(|seen| seen.see(entity, matrix));
        if let Some(map) = tick.carried.get(&entity) {
            let through = |matrix: &mut LocalToWorld| matrix.0 = (map * matrix.0.cast()).cast();
            through(matrix);
            self.column.drawn.see_row(row, self.frame, through);
            is_mapped = true;
        }
        if is_mapped {
            *before = Before { turn: None, is_due: true };
        }
        is_mapped
    }
}
