//! Accelerator: where most matrices change, they are written without being compared.

use crate::engine::{
    local::{
        inputs::{InputCopy, ROWS},
        rows::Rows,
    },
    parallel,
    simd::Formula,
};

/// Of this many blocks of [`ROWS`] rows one is compared where the others are written unseen.
const SAMPLE: usize = 16;

/// Composes all rows where most matrices differed the last time. Reading them to compare them would
/// be wasted time. So in each 4,096 rows matrices are compared only until one differs: without any
/// difference the version must not move. The others are written and marked unseen.
///
/// One block in [`SAMPLE`] is compared all the same, to see whether most still differ, and another
/// one in each run. Threads help if it `pays`. With `c` for compared and `w` for written blocks of 64 rows:
///
/// ```text
/// block    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 ...
/// run 0    c w w w w w w w w w w  w  w  w  w  w  c  w  w  w
/// run 3    c w w c w w w w w w w  w  w  w  w  w  w  w  w  c      block 0 until one differs
/// ```
pub(super) fn rewrite(rows: &mut Rows<'_, impl Formula>, copy: &mut InputCopy, pays: bool) {
    let offset = copy.runs % SAMPLE.min(rows.marks.len());
    copy.runs = copy.runs.wrapping_add(1);
    let len = rows.len();
    parallel::for_each(rows.blocks(), pays, &|mut rows| {
        let (mut any, mut block) = (false, 0);
        while block < rows.marks.len() {
            let until_sample = (offset + SAMPLE - block % SAMPLE) % SAMPLE;
            let end = if any { block + until_sample.max(1) } else { block + 1 };
            let mut some = rows.words(block..end.min(rows.marks.len()));
            if any && until_sample > 0 {
                some.write();
            } else {
                some.words(0..1).compose();
                any |= some.marks[0] != 0;
            }
            block = end;
        }
    });
    // Half of the sampled rows or fewer: from the next run on all are compared again.
    let sampled = rows.marks.iter().skip(offset).step_by(SAMPLE);
    let changed: u32 = sampled.clone().map(|word| word.count_ones()).sum();
    if changed as usize * 2 <= len.min(sampled.count() * ROWS) {
        copy.calm_down();
    }
}
