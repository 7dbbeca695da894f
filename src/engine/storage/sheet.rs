//! The sheet of one archetype: its versions as last seen, and what has happened to it since.
//!
//! Only the [tracker](super::tracker) writes a sheet; all stages read it. Which call changes which
//! field, in the order of a tick:
//!
//! ```text
//!                  recent             membership         written, inserted    relinked
//!  detect          who came and went  arrivals that go   columns that were bumped
//!                                     to another row
//!  (relink)                                                                   + the row
//!  settle_recent   empty              + recent
//!  (bump_input)                                          + the column
//!  acknowledge     empty              empty              empty                empty
//! ```
//!
//! # Scrubbing
//!
//! A column of matrices or rotations that the bundle derives may be *in doubt*: an insertion bumped
//! its version, and perhaps hid a user's write. To compare all rows in every such run would cost as
//! much as a real write. So a thirty-second of the rows is compared in each of the next runs, until
//! all were. (Relations in doubt count as written: a list that is wrong for a few runs would be
//! edited meanwhile.) With 10,000 rows, 157 words of 64, five words a run:
//!
//! ```text
//!  run           0       1        2         ...   30           31
//!  rows from     0       320      640             9,600        9,920
//!  rows to       319     639      959             9,919        9,999, then 0 to 191
//! ```
//!
//! A matrix that a user overwrote in such a window is right again 32 runs later at the latest.
//!
//! Entities may come and go meanwhile. Rows that were not there at the doubt have arrived later, so
//! they are right: the runs go round the words that there were at the doubt. If there are fewer
//! now, the words that are gone are left out, and word 0 follows the last.

use super::mask::Mask;
use crate::{engine::bits::RowSet, findings::FindingKind};

/// The rows of an archetype in which another entity stands than before.
///
/// ```text
///  rows         before     b goes      e is pushed      a goes
///  0            a          a           a                e
///  1            b          d           d                d
///  2            c          c           c                c
///  3            d          -           e                -
///  replaced                1, 3        1, 3             0, 1, 3
///  arrived                             3                0
/// ```
///
/// `d` only moved inside of the archetype, so its row is replaced, but `d` has not arrived.
#[derive(Debug, Default)]
pub(crate) struct Membership {
    /// Rows in which another entity stands, or none any more.
    pub(super) replaced: RowSet,
    /// Rows whose entity has come from another archetype or is new to the world.
    pub(super) arrived: RowSet,
}

impl Membership {
    pub(super) fn clear(&mut self) {
        self.replaced.clear();
        self.arrived.clear();
    }
}

/// The components of an archetype that are the bundle's.
#[derive(Default)]
pub(crate) struct Owned {
    /// The ones it may write: users' components take others over.
    pub writable: Mask,
    /// The ones it derives, whatever a user writes there. In doubt, they are scrubbed.
    pub derived: Mask,
    /// The matrices that its entities need and do not have.
    pub missing: Mask,
    /// The mistakes that users' own components and the bundle's options make together.
    pub mistakes: Vec<FindingKind>,
}

/// The sheet of one archetype; see the [module](self).
#[derive(Default)]
pub(crate) struct ArchetypeSheet {
    /// The crate's components that the archetype has.
    pub mask: Mask,
    pub owned: Owned,
    /// How many components it has, users' own included: an insertion bumps a version for each.
    pub(super) components: u64,
    /// The version of each component of `mask` as last seen, in the order of the bits.
    pub(super) versions: Box<[u64]>,
    /// The columns that may have been written by users, or by the bundle for later stages.
    pub(super) written: Mask,
    /// The columns whose versions insertions have bumped. Some may be in `written`, too.
    pub(super) inserted: Mask,
    /// News that the hierarchy does not have yet: who came and went since its last pass.
    pub(super) recent: Membership,
    /// News that the other stages do not have yet: who came and went from the last
    /// acknowledgment to the hierarchy's last pass.
    pub(super) membership: Membership,
    /// Whether no run has acknowledged it yet: everything in it counts as written.
    pub(super) is_new: bool,
    /// Rows whose link changed in a way that they have to be composed again.
    pub(super) relinked: RowSet,
    /// Whether it is in the tracker's list of touched archetypes.
    pub(super) is_listed: bool,
    /// Whether any world may have changed since `WorldToLocal` was last computed.
    pub(super) all_worlds_changed: bool,
    /// The rows whose world has changed since then, if these are known.
    pub(super) worlds_changed: RowSet,
    /// How many words of rows there were at the last doubt.
    scrub_words: usize,
    /// How many of them are left to scrub, and the next one.
    scrub_left: usize,
    scrub_next: usize,
}

/// Of how many portions of the rows a run scrubs one; archetypes of 64 rows and less have one.
const SCRUB_PORTIONS: usize = 32;

impl ArchetypeSheet {
    pub(super) fn new(mask: Mask, owned: Owned, components: u64) -> Self {
        Self {
            mask,
            owned,
            components,
            versions: vec![0; mask.len()].into(),
            // The first versions of a process are 0, like `versions` above, so a new archetype may
            // seem untouched. It has to be composed nevertheless.
            is_new: true,
            ..Self::default()
        }
    }

    /// The entity of a row is gone. The entity of row `last`, if that is another row, has taken its
    /// place, and its marks go with it.
    pub(super) fn remove(&mut self, row: u32, last: u32) {
        let arrived = [&mut self.recent.arrived, &mut self.membership.arrived];
        for rows in arrived.into_iter().chain([&mut self.relinked, &mut self.worlds_changed]) {
            rows.swap_remove(row, last);
        }
    }

    /// Whether anything happened to it.
    pub fn is_touched(&self) -> bool {
        self.has_other_members() || self.is_relinked() || self.written != Mask::NONE
    }

    /// Whether any of these components may have been written, or entities came or went.
    pub fn is_changed(&self, component: Mask) -> bool {
        self.has_other_members() || self.is_written(component)
    }

    /// Whether any of these components may have been written other than by an insertion. Removals
    /// write nothing: an entity that takes another row brings its components along.
    pub fn is_written(&self, component: Mask) -> bool {
        self.is_new || self.written.has_any(component)
    }

    /// The components that may have been written other than by an insertion.
    pub fn written(&self) -> Mask {
        self.written
    }

    /// Whether `target`, which is computed from `inputs`, has to be computed again: in the rows of
    /// new entities at least.
    pub fn is_due(&self, inputs: Mask, target: Mask) -> bool {
        self.is_relinked() || self.has_arrivals() || self.is_written(inputs | target)
    }

    /// Whether no run has acknowledged it yet.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Whether entities came or went; true for a new archetype.
    pub fn has_other_members(&self) -> bool {
        let is_same = self.recent.replaced.is_unused() && self.membership.replaced.is_unused();
        self.is_new || !is_same
    }

    /// Whether entities came.
    pub fn has_arrivals(&self) -> bool {
        !(self.recent.arrived.is_unused() && self.membership.arrived.is_unused())
    }

    /// The rows of entities that came since the hierarchy's last pass, ascending.
    pub fn recent_arrivals(&self, len: usize) -> impl Iterator<Item = u32> + '_ {
        self.recent.arrived.rows(len)
    }

    /// Whether the entity at a row came since the hierarchy's last pass.
    pub fn has_just_arrived(&self, row: u32) -> bool {
        self.recent.arrived.contains(row)
    }

    /// The rows in which another entity stands than when news was last acknowledged, ascending.
    pub fn replaced(&self, len: usize) -> impl Iterator<Item = u32> + '_ {
        self.membership.replaced.rows(len)
    }

    /// The rows of entities that came since news was last acknowledged, ascending.
    pub fn arrivals(&self, len: usize) -> impl Iterator<Item = u32> + '_ {
        self.membership.arrived.rows(len)
    }

    /// Whether the entity at a row came since news was last acknowledged.
    pub fn has_arrived(&self, row: u32) -> bool {
        self.membership.arrived.contains(row)
    }

    /// The components that the bundle derives.
    pub fn derived(&self) -> Mask {
        self.owned.derived
    }

    /// Whether the bundle has anything to do with it.
    pub(super) fn is_relevant(&self) -> bool {
        self.mask | self.owned.missing != Mask::NONE
    }

    /// A derived column is in doubt: all rows are scrubbed in the next runs, beginning now.
    pub(super) fn doubt(&mut self, len: usize) {
        self.scrub_words = len.div_ceil(64);
        self.scrub_left = self.scrub_words.max(1);
    }

    /// Whether rows are scrubbed in this run.
    pub fn is_scrubbed(&self) -> bool {
        self.scrub_left > 0
    }

    /// The rows that are scrubbed in this run, of `len`: a portion of all, and those in which
    /// another entity stands, as it may come from a row that is still to be scrubbed. Some may be
    /// there twice.
    pub fn scrubbed(&self, len: usize) -> impl Iterator<Item = u32> + '_ {
        let (first, portion, words) = self.next_portion(len);
        let portion = if self.is_scrubbed() { portion } else { 0 };
        let word = move |number: usize| ((first + number) % words) as u32;
        let rows = (0..portion).flat_map(move |number| word(number) * 64..word(number) * 64 + 64);
        let others = [&self.recent.replaced, &self.membership.replaced].into_iter();
        let others = others.filter(|_| self.is_scrubbed()).flat_map(move |set| set.rows(len));
        rows.filter(move |&row| (row as usize) < len).chain(others)
    }

    /// Of `len` rows, the first word to scrub, how many words, and the number of words after which
    /// word 0 follows.
    fn next_portion(&self, len: usize) -> (usize, usize, usize) {
        let words = self.scrub_words.min(len.div_ceil(64));
        let first = if self.scrub_next < words { self.scrub_next } else { 0 };
        (first, self.scrub_words.div_ceil(SCRUB_PORTIONS).min(words), words)
    }

    /// Ends a run's portion of scrubbing an archetype of `len` rows. Returns whether rows are left.
    fn advance_scrub(&mut self, len: usize) -> bool {
        let (first, portion, words) = self.next_portion(len);
        self.scrub_next = if words == 0 { 0 } else { (first + portion) % words };
        self.scrub_left = if words == 0 { 0 } else { self.scrub_left.saturating_sub(portion) };
        self.is_scrubbed()
    }

    /// Whether the bundle inverts worlds here.
    pub fn inverts(&self) -> bool {
        self.owned.derived.has(Mask::WORLD_TO_LOCAL)
    }

    /// Whether the bundle may write a component.
    pub fn writes(&self, component: Mask) -> bool {
        self.owned.writable.has(component)
    }

    /// Whether links of its entities changed.
    fn is_relinked(&self) -> bool {
        !self.relinked.is_unused()
    }

    /// The rows of entities whose link changed, ascending.
    pub fn relinked(&self, len: usize) -> impl Iterator<Item = u32> + '_ {
        self.relinked.rows(len)
    }

    /// Nothing is news any more. Returns whether it stays in the list of touched archetypes,
    /// because rows are left to scrub. It has `len` rows.
    pub(super) fn acknowledge(&mut self, len: usize) -> bool {
        (self.written, self.inserted) = (Mask::NONE, Mask::NONE);
        self.is_new = false;
        self.relinked.clear();
        self.membership.clear();
        self.recent.clear();
        self.is_listed = self.is_scrubbed() && self.advance_scrub(len);
        self.is_listed
    }
}
