//! Rows of one archetype whose local matrices are plain `T R S`, and the ways to compose them.
//!
//! ```text
//!              reads the matrices   writes            marks afterwards
//!  compose     yes                  where different   the rows that differ
//!  write       no                   all               all rows
//! ```
//!
//! `compose` costs 1.4 ns a row on one thread.

use nalgebra::Matrix4;

use crate::engine::{
    bits,
    local::inputs::ROWS,
    parallel,
    simd::{Isa, TrsColumns, prefetch},
};

/// How many words ahead matrices are prefetched.
const AHEAD: usize = 8;

/// The columns, the matrices, and a bit a row. The slices of matrices and marks begin with the same
/// row: a part of an archetype's rows begins at a multiple of 64.
pub(super) struct PlainRows<'a> {
    pub isa: Isa,
    pub columns: TrsColumns<'a>,
    pub matrices: &'a mut [Matrix4<f32>],
    pub marks: &'a mut [u64],
}

impl<'a> PlainRows<'a> {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.matrices.len()
    }

    /// Blocks of [`BLOCK`](parallel::BLOCK) rows, for threads: 10,000 rows are three, the last one
    /// of 1,808 rows. Each has its own words of marks, so threads share none.
    pub fn blocks(&mut self) -> impl Iterator<Item = PlainRows<'_>> {
        let (isa, columns) = (self.isa, self.columns);
        let blocks = self
            .matrices
            .chunks_mut(parallel::BLOCK)
            .zip(self.marks.chunks_mut(parallel::BLOCK / ROWS));
        blocks.enumerate().map(move |(block, (matrices, marks))| {
            let columns = columns.block(block * parallel::BLOCK, matrices.len());
            PlainRows { isa, columns, matrices, marks }
        })
    }

    /// The rows of some words of marks: with 100 rows, word 1 has rows 64 to 99.
    pub fn words(&mut self, words: std::ops::Range<usize>) -> PlainRows<'_> {
        let (first, end) = (words.start * ROWS, self.len().min(words.end * ROWS));
        PlainRows {
            isa: self.isa,
            columns: self.columns.block(first, end - first),
            matrices: &mut self.matrices[first..end],
            marks: &mut self.marks[words],
        }
    }

    /// Composes all rows. Writes and marks the rows that differ.
    pub fn compose(self) {
        self.isa.compose(self.columns, self.matrices, self.marks);
    }

    /// Composes, writes and marks all rows, without reading the matrices.
    pub fn write(self) {
        bits::fill(self.marks, self.matrices.len());
        self.isa.write(self.columns, self.matrices);
    }

    /// Composes the marked rows. The rows that differ stay marked.
    ///
    /// Few are marked, so the hardware does not guess the next one: its matrix is prefetched.
    pub fn compose_marked(&mut self) {
        for word in 0..self.marks.len() {
            if let Some(&ahead) = self.marks.get(word + AHEAD) {
                let matrices = &self.matrices[(word + AHEAD) * ROWS..];
                bits::ones(ahead).for_each(|row| prefetch(&matrices[row]));
            }
            if self.marks[word] != 0 {
                self.compose_word(word);
            }
        }
    }

    /// Composes the marked rows of one word, one call for consecutive rows. The rows that differ
    /// stay marked. With rows 2, 3, 4 and 9 marked (`10_0001_1100`) these are two calls, of three
    /// rows and of one.
    fn compose_word(&mut self, word: usize) {
        let mut due = std::mem::take(&mut self.marks[word]);
        while due != 0 {
            let skipped = due.trailing_zeros() as usize;
            let len = (due >> skipped).trailing_ones() as usize;
            let first = word * ROWS + skipped;
            let (columns, mut differing) = (self.columns.block(first, len), [0]);
            self.isa.compose(columns, &mut self.matrices[first..first + len], &mut differing);
            self.marks[word] |= differing[0] << skipped;
            due &= u64::MAX.checked_shl((skipped + len) as u32).unwrap_or(0);
        }
    }
}
