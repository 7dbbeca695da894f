//! Accelerator: which columns were moved by insertions and nothing else.
//!
//! Without it every column of an archetype that entities came to counts as written, so that a
//! bullet that comes to 100,000 others makes the run look at all of them: the rows `bullets` and
//! `churn` of the benches.
//!
//! All versions come from one counter of the process, and events come synchronously with every row
//! that is inserted or removed. The log reads the counter at every insertion; this compares what it
//! moved by with what the events explain, exactly:
//!
//! ```text
//!  look     write   extend(2 rows of 3 columns)      remove      look
//!   |         |     |----------------------|           |          |
//!  counter:  +1     +1 +1 +1  +1 +1 +1   In In        Out
//!                                        ^ 7 bumps, 6 explained: the account is open from here on
//! ```
//!
//! As long as it closes, a column whose version is one that the last insertion gave it has been
//! inserted into and nothing else. It may be called written without need, never inserted into when
//! it was written.
//!
//! **Limits.** A write must move the version, as it must for every other change detection. A row
//! source of a user's own (a `ComponentSource` written with `unsafe`) that appends several rows a
//! column at once *before* it names their entities bumps less than Legion's own sources do, so that
//! exactly as many writes as it saves would pass for it.
//!
//! Legion's own sources of rows, with `k` components an archetype, move the counter like this:
//!
//! | operation | counter and events |
//! | --- | --- |
//! | `push`, `extend` of n rows, by command buffer or not | n * k bumps, then n insertions |
//! | structure of arrays, `move_from`, `clone_from` that copies, loading | n insertions, then k bumps (one a column) |
//! | `add_component`, `remove_component` | a removal, an insertion, then k bumps (one a column) |
//! | `remove` | a removal |
//! | a new archetype | its creation |
//! | `clone_from` that clones | n insertions, then up to n * k bumps: not told from writes |
//!
//! The crate's own sources: [`spawn`](crate::spawn) writes row by row, every column of a row and
//! the entities at the end, which is `extend`. [`bulk`](crate::bulk) gives whole columns, `k` bumps
//! before n insertions whatever n is; only the bundle calls it, which looks right before and right
//! behind and takes what it finds for [its own](super::tracker::ChangeTracker::detect_own). A world
//! has one log, so nothing else could take it for something that it is not. A row source of a
//! user's that appends several rows a column at once is neither; see the limits.
//!
//! **Why a column whose version fits was not written.** Take the runs of insertions of a window in
//! order; other events move nothing, so the counter is not read there and gaps run over them. For
//! each, `before` and `after` are the bumps that its operations really made before and after its
//! events, and there were `writes` more before it. Either all of an insertion's bumps come before
//! (`before = n * k`, `after = 0`), or every column is moved after the first event (`after >= k`).
//! The account takes a run to be of the first sort or of the second (`after = k`) by the gap before
//! it, and demands `gap = owed by the run before + n * k`, or `gap = owed`. The difference between
//! what it thinks is owed and what really is after a run is never positive: it is 0 in the
//! beginning; it stays 0 where the sort is right, and then there were no writes; a run of the
//! second sort taken for the first leaves at least k too few; and one of the first cannot be taken
//! for the second, as its bumps would have to be owed. It never recovers, either: a run that is of
//! the sort it is taken for demands exactly 0 before it. So a run is rightly judged only if
//! everything before it was, and there were no writes. And whether the last run of an archetype is,
//! its versions tell: of a run of the first sort they are the k values right before its first
//! event, which those of the second sort cannot have; of the second, the k right behind its last,
//! and a write after that would be higher. A column with another version was written.

use std::ops::Range;

use super::log::{Kind, Window};

/// No version at all.
const NO_VERSIONS: Range<u64> = 0..0;

/// What a window says of all archetypes.
#[derive(Default)]
pub(super) struct Closing {
    /// By archetype, the versions that the last insertion gave its columns, if the account has
    /// closed up to then.
    given: Vec<Range<u64>>,
    /// The archetypes that have an entry.
    involved: Vec<u32>,
}

impl Closing {
    /// Forgets the last window. From now on there are this many archetypes.
    pub fn forget(&mut self, archetypes: usize) {
        for archetype in self.involved.drain(..) {
            self.given[archetype as usize] = NO_VERSIONS;
        }
        self.given.resize(archetypes, NO_VERSIONS);
    }

    /// Goes through a window. `components` gives the number of an archetype's components.
    pub fn close(&mut self, window: &Window, components: impl Fn(u32) -> u64) {
        // What the last insertion has yet to do; nothing is certain once the account is open.
        let mut owed = Some(0);
        for run in window.runs.iter().filter(|run| run.kind == Kind::Inserted) {
            let unexplained = owed.and_then(|owed| run.gap.checked_sub(owed));
            let columns = components(run.archetype);
            let (given, after) = match unexplained {
                Some(0) => (run.last + 1..run.last + 1 + columns, Some(columns)),
                Some(bumps) if bumps == u64::from(run.len) * columns => {
                    (run.first.saturating_sub(columns)..run.first, Some(0))
                }
                _ => (NO_VERSIONS, None),
            };
            self.involved.push(run.archetype);
            self.given[run.archetype as usize] = given;
            owed = after;
        }
    }

    /// The versions that columns of an archetype can have that an insertion alone has moved.
    pub fn given(&self, archetype: u32) -> Range<u64> {
        self.given[archetype as usize].clone()
    }
}
