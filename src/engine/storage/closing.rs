//! Accelerator: which columns were bumped by insertions and nothing else.
//!
//! Without it every column of an archetype that entities came to counts as written: one bullet
//! among 100,000 makes the run look at all of them.
//!
//! All versions come from one counter of the process, and Legion sends an event for every row that
//! is inserted or removed, at once. The log reads the counter at every insertion. The account
//! compares the rise of the counter with what the events explain, exactly:
//!
//! ```text
//!  look     a write   extend, 2 rows of 3 columns     a removal     look
//!   |          |      |------------------------|          |           |
//!  bumps:     +1      +1 +1 +1  +1 +1 +1
//!  events:                                In In          Out
//!                                         ^ gap 7, but 2 * 3 = 6 are explained: the account is
//!                                           open from here to the end of the span
//! ```
//!
//! While the account is closed, a column whose version is one that the last insertion gave it was
//! inserted into and nothing else. A column may count as written without need, but one that was
//! written never counts as inserted into. Once the account is open, a column with such a version is
//! *perhaps written*. A write to a component of the user's own opens it, because only a column
//! whose type is known shows its version.
//!
//! # What raises the counter
//!
//! Legion's own sources of rows, with `k` components an archetype:
//!
//! | operation | counter and events | sort |
//! | --- | --- | --- |
//! | `push`, `extend` of n rows, by command buffer or not | n * k bumps, then n insertions | A |
//! | structure of arrays, `move_from`, loading | n insertions, then k bumps (one a column) | B |
//! | `add_component`, `remove_component` | a removal, an insertion, then k bumps | B |
//! | `clone_from` that copies | n insertions, then k bumps | B |
//! | `clone_from` that clones | n insertions, then up to n * k bumps: they look like writes | B |
//! | `remove` | a removal | - |
//! | a new archetype | its creation | - |
//!
//! [`spawn`](crate::spawn) writes blocks of rows, each of sort B: 100 rows are 64 insertions, k
//! bumps, 36 insertions, k bumps. [`scene`](crate::scene) is like `extend`.
//! [`bulk`](super::super::bulk) has k bumps, then n insertions; the look behind it is [the bundle's
//! own](super::tracker::By::Bundle), without the account.
//!
//! **Limit.** A user's own `ComponentSource`, written with `unsafe`, can append several rows a
//! column at once *before* it names their entities. The bumps that it saves could hide writes.
//!
//! # Why a column whose version fits was not written
//!
//! Take the bursts of insertions between two places in the log, a *span*, in order. Other events do
//! not read the counter, so gaps run over them. For one burst of n rows in an archetype of k
//! columns:
//!
//! ```text
//!  ... the burst before | after' | writes | before | the burst: n reads | after | ...
//!                     |<---------- gap --------->|
//!
//!  sort A    before = n * k    after = 0       all bumps of the insertion come before its events
//!  sort B    before >= 0       after >= k      every column is bumped after the first event
//! ```
//!
//! `after'` is `after` of the burst before, 0 at the start. The account keeps `owed'`, its guess of
//! `after'`. It sees only the gap, and judges:
//!
//! ```text
//!  gap = owed'           it is of sort B, and owes k
//!  gap = owed' + n * k   it is of sort A, and owes 0
//!  else                  the account is open: nothing is certain to the end of the span
//! ```
//!
//! 1. Let `e' = owed' - after'` be the error before a burst, and `e` the error after it. At the
//!    start it is 0. Suppose `e' <= 0`. `gap = after' + writes + before` gives:
//!    - judged B: `writes + before = e'`. Neither can be negative, so all three are 0. Sort A would
//!      need `before = n * k > 0`: the burst *is* of sort B, and `e = k - after <= 0`.
//!    - judged A, and it is: `writes = e'`. So both are 0, and `e = 0 - 0 = 0`.
//!    - judged A, but it is of sort B: `e = 0 - after <= -k`.
//! 2. So errors are never above 0, and a burst that is judged rightly demands `e' = 0` and no
//!    writes before it. An error below 0 never recovers: all later bursts are judged A wrongly, or
//!    open the account.
//! 3. Hence, if the last burst of an archetype is judged rightly, so were all before it, and no
//!    writes came before it in the span.
//! 4. Whether it was judged rightly, the versions of its columns show:
//!    - judged A: the versions given are the k right before its first read. In sort B every column
//!      is bumped after that read, so none of them has such a version.
//!    - judged B: always rightly, by 1. The versions given are the k right after its last read.
//! 5. A write after the insertion would give a higher version. So a column with one of these
//!    versions was not written, and any other column counts as written.
//!
//! With the account open a burst may be of either sort. The columns with the k versions of sort A
//! or the k versions of sort B are perhaps written. So are those of sort B where a burst was judged
//! A and no version is of sort A. Here 3 writes come before one row of 3 columns by
//! `add_component`:
//!
//! ```text
//!  counter   1000 1001 1002    1003     1004 1005 1006
//!            3 writes          read     3 bumps
//!  gap 3 = 1 * 3: judged A, so versions 1000 to 1002 are expected; found are 1004 to 1006
//! ```

use std::ops::Range;

use super::log::{Burst, EventKind};

/// How a column got the version that it has, if insertions came to its archetype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// By the last insertion, and nothing was written in the span.
    Inserted,
    /// By the last insertion, it seems. There may have been a write before it, or this was one.
    InDoubt,
    /// By a write behind the last insertion, or there was no insertion.
    Written,
}

/// The versions that the last burst of insertions gave the columns of an archetype. In the example
/// of [`Burst`], `43..46` by sort A, and `48..51` by sort B.
#[derive(Clone, Default)]
struct Given {
    sort_a: Range<u64>,
    sort_b: Range<u64>,
    judged: Option<Sort>,
}

/// The sort of an insertion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    A,
    B,
}

/// The account of one span of events.
#[derive(Default)]
pub(super) struct Closing {
    /// By archetype; empty if no insertion came to it.
    given: Vec<Given>,
    /// The archetypes that have an entry.
    involved: Vec<u32>,
    is_closed: bool,
}

impl Closing {
    /// Forgets the last span. There are this many archetypes now.
    pub fn forget(&mut self, archetypes: usize) {
        for archetype in self.involved.drain(..) {
            self.given[archetype as usize] = Given::default();
        }
        self.given.resize(archetypes, Given::default());
    }

    /// Goes through the bursts of a span, in which the number of bumps rose by `bumps`.
    /// `components` returns how many columns an archetype has.
    pub fn close(&mut self, bursts: &[Burst], bumps: Range<u64>, components: impl Fn(u32) -> u64) {
        // The number of bumps that is explained up to here: it was reached at the last insertion,
        // or will be when that has made the bumps that it owes. `None` once the account is open.
        let mut explained = Some(bumps.start);
        for burst in bursts.iter().filter(|burst| burst.kind == EventKind::Inserted) {
            let unexplained = explained.and_then(|explained| burst.bumps.checked_sub(explained));
            let columns = components(burst.archetype);
            let judged;
            (judged, explained) = match unexplained {
                Some(0) => (Some(Sort::B), Some(burst.bumps + columns)),
                Some(it) if it == u64::from(burst.len) * columns => {
                    (Some(Sort::A), Some(burst.bumps))
                }
                _ => (None, None),
            };
            self.involved.push(burst.archetype);
            self.given[burst.archetype as usize] = Given {
                sort_a: burst.first.saturating_sub(columns)..burst.first,
                sort_b: burst.last + 1..burst.last + 1 + columns,
                judged,
            };
        }
        self.is_closed = explained == Some(bumps.end);
    }

    /// Whether insertions explain all bumps of the span: then nothing was written in it.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Call with the versions of the columns of an archetype before [`origin`](Self::origin): they
    /// may show that its burst was of sort B and was judged A; see the end of the [module](self).
    pub fn weigh(&mut self, archetype: u32, mut versions: impl Iterator<Item = u64>) {
        let given = &mut self.given[archetype as usize];
        if given.judged == Some(Sort::A) && !versions.any(|it| given.sort_a.contains(&it)) {
            given.judged = None;
        }
    }

    /// How a column of an archetype got this version, in the span.
    pub fn origin(&self, archetype: u32, version: u64) -> Origin {
        let given = &self.given[archetype as usize];
        let (by_a, by_b) = (given.sort_a.contains(&version), given.sort_b.contains(&version));
        match given.judged {
            Some(Sort::A) if by_a => Origin::Inserted,
            Some(Sort::B) if by_b => Origin::Inserted,
            None if by_a || by_b => Origin::InDoubt,
            _ => Origin::Written,
        }
    }
}
