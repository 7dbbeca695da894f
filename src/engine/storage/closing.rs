//! Accelerator: which columns were bumped by insertions and nothing else.
//!
//! Without it every column of an archetype that entities came to counts as written. Then a bullet
//! that comes to 100,000 others makes the run look at all of them: the rows `bullets` and `churn`
//! of the benches.
//!
//! All versions come from one counter of the process, and Legion sends an event for every row that
//! is inserted or removed, at once. The log reads the counter at every insertion. The account
//! compares how far the counter has risen with how far the events explain it, exactly:
//!
//! ```text
//!  look     a write   extend, 2 rows of 3 columns     a removal     look
//!   |          |      |------------------------|          |           |
//!  bumps:     +1      +1 +1 +1  +1 +1 +1
//!  events:                                In In          Out
//!                                         ^ gap 7, but 2 * 3 = 6 are explained: the account is
//!                                           open from here to the end of the window
//! ```
//!
//! While the account is closed, a column whose version is one that the last insertion gave it was
//! inserted into and nothing else. The rule errs to one side: a column may count as written without
//! need, but one that was written never counts as inserted into.
//!
//! Once it is open, a column with such a version is *in doubt*. A write to a component of the
//! user's own opens it, because only a column whose type is known shows its version.
//! [The tracker](super::tracker) says what is done in doubt.
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
//! The crate's own sources: [`spawn`](crate::spawn) writes blocks of rows, each of them of sort B:
//! 100 rows are 64 insertions, k bumps, 36 insertions, k bumps. [`scene`](crate::scene) writes row
//! by row, every column of a row, and the entities at the end, like `extend`.
//! [`bulk`](super::super::bulk) gives whole columns: k bumps, then n insertions, however large n
//! is. Only the bundle calls it, and looks right before and right after. That second look,
//! [`detect_own`](super::tracker::ChangeTracker::detect_own), does not ask the account. A world has
//! one log, so no other tracker sees these events.
//!
//! **Limits.** A write must bump the version, as it must for any other change detection. A user's
//! own row source (a `ComponentSource` written with `unsafe`) can append several rows a column at
//! once *before* it names their entities. It bumps less often than Legion's sources, so that as
//! many real writes as it saves bumps would pass for them.
//!
//! # Why a column whose version fits was not written
//!
//! Take the bursts of insertions of a window in order. Other events do not read the counter, so
//! gaps run over them. For one burst of n rows in an archetype of k columns:
//!
//! ```text
//!  ... the burst before | after' | writes | before | the burst: n reads | after | ...
//!                     |<---------- gap --------->|
//!
//!  sort A    before = n * k    after = 0       all bumps of the insertion come before its events
//!  sort B    before >= 0       after >= k      every column is bumped after the first event
//! ```
//!
//! `after'` is `after` of the burst before, 0 at the start. The account keeps `owed'`, what it
//! believes `after'` to be. It sees only the gap, and judges:
//!
//! ```text
//!  gap = owed'           it is of sort B, and owes k
//!  gap = owed' + n * k   it is of sort A, and owes 0
//!  else                  the account is open: nothing is certain to the end of the window
//! ```
//!
//! 1. Let `e' = owed' - after'` be the error before a burst, and `e` the error after it. At the
//!    start the error is 0. Suppose `e' <= 0`. `gap = after' + writes + before` gives:
//!    - judged B: `writes + before = e'`. Neither can be negative, so all three are 0. Sort A would
//!      need `before = n * k > 0`: the burst *is* of sort B, and `e = k - after <= 0`.
//!    - judged A, and it is: `writes = e'`. So both are 0, and `e = 0 - 0 = 0`.
//!    - judged A, but it is of sort B: `e = 0 - after <= -k`.
//! 2. So errors are never above 0, and a burst that is judged rightly demands `e' = 0` and no
//!    writes before it. An error below 0 never recovers: all later bursts are judged A wrongly, or
//!    open the account. For example, one row of 3 columns by `add_component`, after 3 writes: the
//!    gap of 3 is taken for `1 * 3` of sort A, 0 is owed, but 3 bumps follow. The error is -3. The
//!    next `push` of one row has a gap of 6, where 3 are explained: open.
//! 3. Hence, if the last burst of an archetype is judged rightly, so were all bursts before it, and
//!    there were no writes before it in the window.
//! 4. Whether it was judged rightly, the versions of its columns show:
//!    - judged A: the versions given are the k right before its first read. In sort B every column
//!      is bumped after that read, so none of them has such a version.
//!    - judged B: always rightly, by 1. The versions given are the k right after its last read.
//! 5. A write after the insertion would give a higher version than these. So a column with one of
//!    these versions was written neither before nor after. A column with another one counts as
//!    written.
//!
//! With the account open a burst may be of either sort. The columns with the k versions of sort A
//! or the k versions of sort B are in doubt.

use std::ops::Range;

use super::log::{Burst, EventKind};

/// How a column got the version that it has, if insertions came to its archetype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// By the last insertion, and nothing was written in the window.
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
    /// Whether the account was closed; the other sort is empty then.
    is_certain: bool,
}

/// The account of one window.
#[derive(Default)]
pub(super) struct Closing {
    /// By archetype; empty if no insertion came to it.
    given: Vec<Given>,
    /// The archetypes that have an entry.
    involved: Vec<u32>,
}

impl Given {
    fn by(burst: &Burst, columns: u64) -> Self {
        Self {
            sort_a: burst.first.saturating_sub(columns)..burst.first,
            sort_b: burst.last + 1..burst.last + 1 + columns,
            is_certain: false,
        }
    }
}

impl Closing {
    /// Forgets the last window. There are this many archetypes now.
    pub fn forget(&mut self, archetypes: usize) {
        for archetype in self.involved.drain(..) {
            self.given[archetype as usize] = Given::default();
        }
        self.given.resize(archetypes, Given::default());
    }

    /// Goes through the bursts of a window, or the last of them: `spent` bumps of the first gap
    /// were looked at before. `components` returns how many columns an archetype has.
    pub fn close(&mut self, bursts: &[Burst], spent: u64, components: impl Fn(u32) -> u64) {
        // The bumps that the last insertion has yet to make; `None` once the account is open.
        let mut owed = Some(spent);
        for burst in bursts.iter().filter(|burst| burst.kind == EventKind::Inserted) {
            let unexplained = owed.and_then(|owed| burst.gap.checked_sub(owed));
            let columns = components(burst.archetype);
            let mut given = Given::by(burst, columns);
            owed = match unexplained {
                Some(0) => {
                    (given.sort_a, given.is_certain) = (0..0, true);
                    Some(columns)
                }
                Some(bumps) if bumps == u64::from(burst.len) * columns => {
                    (given.sort_b, given.is_certain) = (0..0, true);
                    Some(0)
                }
                _ => None,
            };
            self.involved.push(burst.archetype);
            self.given[burst.archetype as usize] = given;
        }
    }

    /// How a column of an archetype got this version, in the window.
    pub fn origin(&self, archetype: u32, version: u64) -> Origin {
        let given = &self.given[archetype as usize];
        match given.sort_a.contains(&version) || given.sort_b.contains(&version) {
            true if given.is_certain => Origin::Inserted,
            true => Origin::InDoubt,
            false => Origin::Written,
        }
    }
}
