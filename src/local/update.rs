//! Writing derived values where they differ, and nowhere else.
//!
//! ```text
//!  row       0    1    2    3
//!  stored    5    7    7    9
//!  value     5    8    7    9      row 1 is written; marks: 0b0010; true is returned
//! ```
//!
//! Bits are compared, not numbers: 0.0 and -0.0 differ, and a NaN equals itself. So a value that is
//! computed twice is written once, whatever it is.

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
