//! Writing derived values where they differ, and nowhere else.

use crate::{bits::set, math::bits::SameBits, parallel::for_each_block};

/// Which rows of an archetype were written: one bit a row.
#[derive(Default)]
pub(crate) struct Marks(Vec<u64>);

impl Marks {
    /// All rows unmarked.
    pub fn reset(&mut self, rows: usize) {
        self.0.clear();
        self.0.resize(rows.div_ceil(64), 0);
    }

    /// Marks rows from `first` on by the bits of a word.
    pub fn set(&mut self, first: usize, bits: u64) {
        let (word, shift) = (first / 64, first % 64);
        self.0[word] |= bits << shift;
        if let Some(next) = self.0.get_mut(word + 1).filter(|_| shift > 0) {
            *next |= bits >> (64 - shift);
        }
    }

    pub fn any(&self) -> bool {
        self.0.iter().any(|word| *word != 0)
    }

    pub fn words(&self) -> &[u64] {
        &self.0
    }
}

/// How many rows are marked.
pub(crate) fn count(marks: &[u64]) -> usize {
    marks.iter().map(|word| word.count_ones() as usize).sum()
}

/// Writes `value(row, what is stored)` where it differs, and marks the rows it wrote (`marks` is
/// reset first). Large columns are spread over threads. Returns whether anything was written.
pub(crate) fn update<T: SameBits>(
    column: &mut [T],
    marks: &mut Marks,
    value: impl Fn(usize, &T) -> T + Sync,
) -> bool {
    marks.reset(column.len());
    for_each_block(column, (&mut *marks.0, 64), (&mut [(); 0], 0), |first, block, words, _| {
        for (row, stored) in block.iter_mut().enumerate() {
            let value = value(first + row, stored);
            if !stored.same_bits(&value) {
                *stored = value;
                set(words, row);
            }
        }
    });
    marks.any()
}
