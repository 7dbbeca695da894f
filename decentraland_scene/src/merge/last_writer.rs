//! The rule of the merge: the last writer wins.

use std::cmp::Ordering;

/// A write: its timestamp, and its value, or none for a deletion.
pub(super) type Write<'a> = (u32, Option<&'a [u8]>);

/// Compares two writes; the greater wins. The later is greater. At the same time a value is greater
/// than a deletion, then the longer value, then the one with the larger bytes. Equal means that
/// they are the same write.
pub(super) fn compare(a: Write<'_>, b: Write<'_>) -> Ordering {
    a.0.cmp(&b.0).then_with(|| {
        a.1.map(|value| (value.len(), value)).cmp(&b.1.map(|value| (value.len(), value)))
    })
}

/// Whether the write of an entity counts less than that of the other one that is one with it.
pub(super) fn is_outdone(ours: Option<Write<'_>>, theirs: Option<Write<'_>>) -> bool {
    theirs.is_some_and(|theirs| ours.is_none_or(|ours| compare(ours, theirs).is_lt()))
}
