//! Comparing what the counter moved by with what the events explain.
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
//! The crate's own sources: [`spawn`](crate::spawn) writes row by row, every column of a row and the
//! entities at the end, which is `extend`. [`bulk`](crate::bulk) gives whole columns, `k` bumps
//! before n insertions whatever n is; only the bundle calls it, which looks right before and right
//! behind and takes what it finds for [its own](super::Account::look_at_own). A world has one
//! account, so there is none that could take it for something else. A row source of a user's that
//! appends several rows a column at once is neither; see the limits of the [account](super).
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

/// What a window says of an archetype.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    /// How many entities were inserted and removed.
    pub came: usize,
    pub went: usize,
    /// The versions that the last insertion gave its columns, if the account has closed up to then.
    pub given: Range<u64>,
}

/// What a window says of all archetypes.
#[derive(Default)]
pub(super) struct Closing {
    tallies: Vec<Tally>,
    /// Those that are not empty.
    involved: Vec<u32>,
}

impl Closing {
    /// Goes through a window. `components` tells how many components an archetype has.
    pub fn close(&mut self, window: &Window, archetypes: usize, components: impl Fn(u32) -> u64) {
        for archetype in self.involved.drain(..) {
            self.tallies[archetype as usize] = Tally::NONE;
        }
        self.tallies.resize(archetypes, Tally::NONE);
        // What the last insertion has yet to do; nothing is certain once the account is open.
        let mut owed = Some(0);
        for run in &window.runs {
            let tally = &mut self.tallies[run.archetype as usize];
            if tally.is_none() && run.len > 0 {
                self.involved.push(run.archetype);
            }
            if run.kind != Kind::Inserted {
                tally.went += run.len as usize;
                continue;
            }
            let unexplained = owed.and_then(|owed| run.gap.checked_sub(owed));
            tally.came += run.len as usize;
            let columns = components(run.archetype);
            let (given, after) = match unexplained {
                Some(0) => (run.last + 1..run.last + 1 + columns, Some(columns)),
                Some(bumps) if bumps == u64::from(run.len) * columns => {
                    (run.first.saturating_sub(columns)..run.first, Some(0))
                }
                _ => (NO_VERSIONS, None),
            };
            (tally.given, owed) = (given, after);
        }
    }

    /// How many entities were inserted into all archetypes less how many were removed.
    pub fn gained(&self) -> isize {
        self.involved().map(|(_, tally)| tally.came as isize - tally.went as isize).sum()
    }

    /// The archetypes that the window speaks of.
    fn involved(&self) -> impl Iterator<Item = (u32, &Tally)> {
        self.involved.iter().map(|&archetype| (archetype, &self.tallies[archetype as usize]))
    }

    pub fn of(&self, archetype: u32) -> &Tally {
        &self.tallies[archetype as usize]
    }
}

impl Tally {
    const NONE: Self = Self { came: 0, went: 0, given: NO_VERSIONS };

    fn is_none(&self) -> bool {
        self.came == 0 && self.went == 0
    }
}
