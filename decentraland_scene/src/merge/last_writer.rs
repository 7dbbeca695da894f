//! The rule of the merge: the last writer wins.

use std::cmp::Ordering;

/// Compares two writes; the greater wins. The later is greater. At the same time a value is greater
/// than a deletion, then the longer value, then the one with the larger bytes. Equal means that
/// they are the same write.
pub(super) fn compare(a: (u32, Option<&[u8]>), b: (u32, Option<&[u8]>)) -> Ordering {
    a.0.cmp(&b.0).then_with(|| {
        a.1.map(|value| (value.len(), value)).cmp(&b.1.map(|value| (value.len(), value)))
    })
}
