//! Writing derived values where they differ, and nowhere else.
//!
//! ```text
//!  row       0    1    2    3
//!  due       yes  yes  no   yes    marks: 0b1011
//!  stored    5    7    7    9
//!  value     5    8         9      row 1 is written; marks: 0b0010; true is returned
//! ```
//!
//! Bits are compared, not numbers: 0.0 and -0.0 differ, and a NaN equals itself. So a value that is
//! computed twice is written once, whatever it is.

use crate::{
    engine::{bits, parallel},
    math::SameBits,
};

/// Writes `value(row, stored value)` where it differs, in the rows that are marked. Row `first` of
/// the column has the first bit. Only rows that were written stay marked. Many rows are spread over
/// threads. Returns whether anything was written.
pub(crate) fn update<T: SameBits>(
    column: &mut [T],
    first: usize,
    marks: &mut [u64],
    value: impl Fn(usize, &T) -> T + Sync,
) -> bool {
    let pays = parallel::pays(bits::count(marks));
    let end = column.len().min(first + marks.len() * 64);
    let blocks = column[first..end].chunks_mut(parallel::BLOCK);
    let blocks = blocks.zip(marks.chunks_mut(parallel::BLOCK / 64)).enumerate();
    parallel::for_each(blocks, pays, &|(block, (rows, words))| {
        for (word, marks) in words.iter_mut().enumerate() {
            for bit in bits::ones(std::mem::take(marks)) {
                let row = word * 64 + bit;
                let value = value(first + block * parallel::BLOCK + row, &rows[row]);
                if !rows[row].same_bits(&value) {
                    rows[row] = value;
                    *marks |= 1 << bit;
                }
            }
        }
    });
    marks.iter().any(|word| *word != 0)
}
