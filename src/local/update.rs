//! Writing derived values where they differ, and nowhere else.

use crate::{bits, math::SameBits, parallel};

/// Writes `value(row, stored value)` where it differs, and sets the bits of the rows it wrote.
/// Large columns are spread over threads. Returns whether anything was written.
pub(crate) fn update<T: SameBits>(
    column: &mut [T],
    marks: &mut [u64],
    value: impl Fn(usize, &T) -> T + Sync,
) -> bool {
    parallel::for_each_block(column, marks, &|first, block, words| {
        for (row, stored) in block.iter_mut().enumerate() {
            let value = value(first + row, stored);
            if !stored.same_bits(&value) {
                *stored = value;
                bits::set(words, row);
            }
        }
    });
    marks.iter().any(|word| *word != 0)
}
