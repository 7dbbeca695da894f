//! What was drawn in the last frame, for motion vectors.
//!
//! A frame at alpha 0.5 draws a ball halfway from 0 to 2. Then a tick comes in which it rests:
//!
//! ```text
//!  frame   tick    alpha    before    now    listed as
//!  1       1       0.5      0         1      moving
//!  2       2       0.25     1         2      settled: it has come to rest
//!  3       2       0.75     2         2      rested: or a renderer would keep the 1
//!  4       2       1        2         2      nothing
//! ```
//!
//! The tick computes the 1 before it forgets the motion, and keeps it until the frame ends.

use super::{ArchetypeRow, Column, Smooth, Turns, motion::Motion};
use crate::{components::LocalToWorld, engine::RowSet};

/// The last frame of all archetypes.
#[derive(Debug)]
pub(super) struct LastFrame {
    pub alpha: f32,
    /// Frames are numbered, from 1 on.
    pub number: u32,
    /// The archetypes that have rested rows.
    pub rested: Vec<u32>,
}

impl Default for LastFrame {
    fn default() -> Self {
        Self { alpha: 0.0, number: 1, rested: Vec::new() }
    }
}

/// The last frame of the rows of an archetype.
#[derive(Debug, Default)]
pub(super) struct Drawn {
    /// By row: the last frame since whose end a tick has moved the entity, had it jump or come to
    /// rest. What was drawn of others follows from their motion.
    frames: Vec<u32>,
    /// By row: the matrix in that frame.
    matrices: Vec<LocalToWorld>,
    /// The rows that rest now, and did not before the last frame: they are listed once more.
    pub rested: RowSet,
}

impl Drawn {
    /// What was drawn in a row in this frame, if it does not follow from the row's motion.
    #[inline]
    pub fn at(&self, row: u32, frame: Option<u32>) -> Option<&LocalToWorld> {
        let row = row as usize;
        (self.frames.get(row).copied() == Some(frame?)).then(|| &self.matrices[row])
    }

    /// Keeps what was drawn in a row.
    #[inline]
    pub fn set(&mut self, row: u32, frame: u32, matrix: &LocalToWorld) {
        self.frames[row as usize] = frame;
        self.matrices[row as usize] = *matrix;
    }

    /// Keeps it, unless that of an earlier tick since the last frame is kept.
    #[inline]
    pub fn set_first(&mut self, row: u32, frame: u32, matrix: impl FnOnce() -> LocalToWorld) {
        if self.frames[row as usize] != frame {
            self.set(row, frame, &matrix());
        }
    }

    /// An entity comes to a row, with what was drawn of it.
    pub fn bring(&mut self, row: u32, frame: u32, matrix: Option<&LocalToWorld>) {
        match matrix {
            Some(matrix) => self.set(row, frame, matrix),
            None => self.frames[row as usize] = 0,
        }
    }

    /// The archetype has this many rows now.
    pub fn resize(&mut self, rows: usize) {
        self.frames.resize(rows, 0);
        self.matrices.resize(rows, LocalToWorld::identity());
    }

    /// Sees what was drawn in a row in this frame from elsewhere.
    pub fn see_row(&mut self, row: u32, frame: Option<u32>, see: impl Fn(&mut LocalToWorld)) {
        if self.at(row, frame).is_some() {
            see(&mut self.matrices[row as usize]);
        }
    }

    /// Sees what was drawn in this frame from elsewhere.
    pub fn see(&mut self, frame: u32, mut see: impl FnMut(usize, &mut LocalToWorld)) {
        let rows = self.frames.iter().zip(&mut self.matrices).enumerate();
        rows.filter(|(_, (of, _))| **of == frame).for_each(|(row, (_, matrix))| see(row, matrix));
    }
}

impl Column {
    /// The matrix with which a row was drawn in the last frame. Its motion is asked for only if no
    /// tick came since then.
    #[inline(always)]
    pub fn drawn_at<'a>(
        &self,
        turns: &Turns,
        row: usize,
        motion: impl FnOnce() -> Option<&'a Motion>,
        last: &LastFrame,
    ) -> LocalToWorld {
        let drawn = self.drawn.at(row as u32, Some(last.number)).copied();
        drawn.unwrap_or_else(|| self.at(turns, row, motion(), last.alpha))
    }
}

impl Smooth {
    /// An entity was drawn so in the last frame.
    pub(super) fn set_drawn(&mut self, (archetype, row): ArchetypeRow, matrix: &LocalToWorld) {
        if let Some(last) = &self.last_frame {
            self.columns[archetype as usize].drawn.set(row, last.number, matrix);
        }
    }

    /// Ends the last frame. What was listed as settled, and was elsewhere before, has rested now.
    pub(super) fn end_last_frame(&mut self, alpha: f32) {
        let Some(last) = &mut self.last_frame else { return };
        for archetype in last.rested.drain(..) {
            self.columns[archetype as usize].drawn.rested.clear();
        }
        for &archetype in &self.settled {
            let Column { drawn, settled, entities, .. } = &mut self.columns[archetype as usize];
            let moved = |row: &u32| drawn.frames.get(*row as usize) == Some(&last.number);
            for row in settled.rows(entities.len()).filter(moved) {
                drawn.rested.insert(row);
            }
            if !drawn.rested.is_unused() {
                last.rested.push(archetype);
            }
        }
        last.alpha = alpha;
        last.number = last.number.wrapping_add(1);
        if last.number == 0 {
            self.columns.iter_mut().for_each(|column| column.drawn.frames.fill(0));
            last.number = 1;
        }
    }
}
