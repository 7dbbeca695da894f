//! Rows of one archetype whose matrices are computed by a [`Formula`], and the ways to compute them.
//!
//! ```text
//!              reads the matrices   writes            marks afterwards
//!  compose     yes                  where different   the rows that differ
//!  write       no                   all               all rows
//! ```
//!
//! Bits are compared, not numbers: 0.0 and -0.0 differ, and a NaN equals itself. So a value that is
//! computed twice is written once, whatever it is. `compose` costs 1.4 ns a row of `T R S` on one
//! thread.

use nalgebra::Matrix4;

use super::inputs::ROWS;
use crate::{
    engine::{
        parallel,
        simd::{Formula, Isa},
    },
    math::SameBits,
};

/// The fewest consecutive rows that the kernels compose, four at a time.
const FEWEST: usize = 4;

/// The matrices, and a bit a row. The slices of matrices and marks begin with the same row, a
/// multiple of 64: `first`, by which the formula counts.
pub(crate) struct Rows<'a, F> {
    pub isa: Isa,
    pub formula: F,
    pub first: usize,
    pub matrices: &'a mut [Matrix4<f32>],
    pub marks: &'a mut [u64],
}

impl<'a, F: Formula> Rows<'a, F> {
    /// Blocks of [`BLOCK`](parallel::BLOCK) rows, for threads: 10,000 rows are three, the last one
    /// of 1,808 rows. Each has its own words of marks, so threads share none.
    pub fn blocks(&mut self) -> impl Iterator<Item = Rows<'_, F>> {
        let (isa, formula, start) = (self.isa, self.formula, self.first);
        let blocks = self
            .matrices
            .chunks_mut(parallel::BLOCK)
            .zip(self.marks.chunks_mut(parallel::BLOCK / ROWS));
        blocks.enumerate().map(move |(block, (matrices, marks))| {
            let first = start + block * parallel::BLOCK;
            Rows { isa, formula, first, matrices, marks }
        })
    }

    /// Composes all rows, if the work is whole, or the marked ones, on these threads, too. Writes
    /// and marks the rows that differ.
    pub fn update_due(&mut self, is_whole: bool, threads: Option<&parallel::Threads>) {
        match is_whole {
            true => parallel::for_each(self.blocks(), threads, &Rows::update),
            false => parallel::for_each(self.blocks(), threads, &|mut rows| rows.update_marked()),
        }
    }

    /// Composes all rows. Writes and marks the rows that differ.
    pub fn update(self) {
        self.isa.compose(self.formula, self.first, self.matrices, self.marks);
    }

    /// Composes the marked rows. The rows that differ stay marked.
    pub fn update_marked(&mut self) {
        for word in 0..self.marks.len() {
            if self.marks[word] != 0 {
                self.update_word(word);
            }
        }
    }

    /// Composes the marked rows of one word, one call for consecutive rows. The rows that differ
    /// stay marked. With rows 2, 3, 4, 5 and 9 marked (`10_0011_1100`) these are a call of the
    /// kernels for four rows, and one row.
    fn update_word(&mut self, word: usize) {
        let mut due = std::mem::take(&mut self.marks[word]);
        while due != 0 {
            let skipped = due.trailing_zeros() as usize;
            let row = word * ROWS + skipped;
            let mut len = (due >> skipped).trailing_ones() as usize;
            let mut differing = [0];
            if len >= FEWEST {
                let matrices = &mut self.matrices[row..row + len];
                self.isa.compose(self.formula, self.first + row, matrices, &mut differing);
            } else {
                let composed = self.formula.one(self.first + row);
                if !self.matrices[row].same_bits(&composed) {
                    (self.matrices[row], differing) = (composed, [1]);
                }
                len = 1;
            }
            self.marks[word] |= differing[0] << skipped;
            due &= u64::MAX.checked_shl((skipped + len) as u32).unwrap_or(0);
        }
    }
}
