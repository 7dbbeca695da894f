//! Accelerator: whole columns of links are compared eight rows at a time.
//!
//! A system that takes `&mut Parent` makes the whole column count as written, and hardly any row
//! differs. Without it, the forest is asked about each row: `reparent` takes twice as long.

use crate::{
    components::{Parent, PreviousParent},
    storage::captured,
};

/// Rows that are compared together, without branches.
const STEP: usize = 8;

/// Calls `found` with the rows in which the record is not the `Parent`.
pub(super) fn for_each_differing(
    parents: &[Parent],
    record: &[PreviousParent],
    mut found: impl FnMut(usize),
) {
    let differs = |row: usize| difference(&parents[row], &record[row]) != 0;
    let (steps, records) = (parents.as_chunks::<STEP>().0, record.as_chunks::<STEP>().0);
    for (step, (parents, record)) in steps.iter().zip(records).enumerate() {
        let mut any = 0;
        for row in 0..STEP {
            any |= difference(&parents[row], &record[row]);
        }
        if any != 0 {
            let rows = step * STEP..(step + 1) * STEP;
            rows.filter(|&row| differs(row)).for_each(&mut found);
        }
    }
    (steps.len() * STEP..parents.len()).filter(|&row| differs(row)).for_each(found);
}

/// 0 if the record is the `Parent`. Nothing is recorded as 0, which is no entity's number.
fn difference(parent: &Parent, record: &PreviousParent) -> u64 {
    captured(&parent.0) ^ record.0.as_ref().map_or(0, captured)
}
