//! The sheet of one archetype: its versions as of the last look, and what has happened to it since.
//!
//! Only the [tracker](super::tracker) writes a sheet; all stages read it. Which call changes which
//! field, in the order of a tick:
//!
//! ```text
//!                    recent      arrived      written             due
//!   look             who came    unchanged    columns that were   edits in place; rows perhaps
//!                                             bumped              written, and who took one
//!   end_pass         empty       + recent                         + rows with another link
//!   (bump)                                    + derived inputs
//!   acknowledge      empty       empty        empty               the next rows perhaps written
//! ```
//!
//! # Scrubbing
//!
//! A column of derived matrices or rotations may be *perhaps written*: an insertion bumped its
//! version, and perhaps hid a user's write. To compare all rows in every such run would cost as
//! much as a real write. So each of the next runs compares a thirty-second of the rows: a matrix
//! that a user overwrote is right again 32 runs later at the latest. (Relations count as written at
//! once: a wrong list would be edited meanwhile.) With 10,000 rows, 157 words of 64, five words a
//! run:
//!
//! ```text
//!  run           0       1        2         ...   30           31
//!  rows from     0       320      640             9,600        9,920
//!  rows to       319     639      959             9,919        9,999, then 0 to 191
//! ```
//!
//! Entities may come and go meanwhile. Only the words that existed at the beginning are scrubbed.
//! If there are fewer now, the words that are gone are left out, and word 0 follows the last.

use legion::storage::EntityLayout;

use super::mask::Mask;
use crate::engine::bits::RowSet;

/// What an archetype means in the next run, by its components and the options of its world.
#[derive(Clone, Copy, Default)]
pub(crate) struct Meaning {
    /// The crate's components in it, and those that the next run inserts.
    pub mask: Mask,
    /// What its entities need and do not have: matrices, and what makes inputs count. The next run
    /// may insert it or not.
    pub missing: Mask,
    /// The derived components that users' components write, and the `LocalToWorld` of a frame.
    pub overridden: Mask,
    /// The same, after the next run has removed a broken link.
    pub overridden_unlinked: Mask,
    /// The components in it that the bundle derives, whatever a user writes there.
    pub derived: Mask,
    /// Whether it has a [`Frame`](crate::components::Frame) that counts: no user's component writes
    /// its `LocalToWorld`, and the bundle has `large_worlds`, as before the first run of one all
    /// may have.
    pub has_frame: bool,
    /// Whether the next run inserts what is missing: not known before the first run of a bundle.
    pub inserts: Option<bool>,
}

/// The sheet of one archetype; see the [module](self).
#[derive(Default)]
pub(crate) struct ArchetypeSheet {
    /// The crate's components that the archetype has.
    pub mask: Mask,
    pub meaning: Meaning,
    /// How many components it has, users' own included: an insertion bumps a version for each.
    pub(super) components: u64,
    /// The version of each component of `mask` at the last look, in the order of the bits.
    pub(super) versions: Box<[u64]>,
    /// The columns that may have been written by users, or by the bundle for later stages.
    pub(super) written: Mask,
    /// News that the hierarchy does not have yet: rows of entities that came since its last pass.
    pub(super) recent: RowSet,
    /// News that the other stages do not have yet: rows of entities that came from the last
    /// acknowledgment to the hierarchy's last pass.
    pub(super) arrived: RowSet,
    /// Whether entities left since the last acknowledgment.
    pub(super) has_left: bool,
    /// Rows that have to be composed again: an edit in place has written their inputs, their link
    /// changed, or they may be overwritten.
    pub(super) due: RowSet,
    /// How many edits in place the log has noted since the last look.
    pub(super) edits: u32,
    /// Whether it is in the tracker's list of touched archetypes.
    pub(super) is_listed: bool,
    /// For stages at the end of a run, the news of steps before that: columns that users may have
    /// written, and the record, by the bundle.
    pub(super) late: Mask,
    /// Whether entities came, or left.
    pub(super) late_came: bool,
    pub(super) late_left: bool,
    /// The rows whose world has changed since `WorldToLocal` was last computed.
    pub(super) late_worlds: RowSet,
    /// How many words of rows there were when the last round of scrubbing began.
    scrub_words: usize,
    /// How many of them are due in this run, how many are left for later runs, and the next one.
    scrub_now: usize,
    scrub_left: usize,
    scrub_next: usize,
}

/// Of how many portions of the rows a run scrubs one; archetypes of 64 rows and less have one.
const SCRUB_PORTIONS: usize = 32;

impl ArchetypeSheet {
    pub(super) fn new(layout: &EntityLayout, meaning: Meaning) -> Self {
        let mask = Mask::of(layout);
        Self {
            mask,
            meaning,
            components: layout.component_types().len() as u64,
            versions: vec![0; mask.len()].into(),
            // The first versions of a process are 0, like `versions` above, so a new archetype may
            // seem untouched. All of it has to be looked at nevertheless.
            written: Mask::ALL,
            has_left: true,
            ..Self::default()
        }
    }

    /// The entity of a row is gone. The entity of row `last`, if that is another row, has taken its
    /// place, and its marks go with it. It may come from a row that is still to be scrubbed, to one
    /// of the portion that is due.
    pub(super) fn remove(&mut self, row: u32, last: u32) {
        let Self { recent, arrived, due, late_worlds, .. } = self;
        let rows = [recent, arrived, due, late_worlds];
        rows.into_iter().for_each(|rows| rows.swap_remove(row, last));
        if self.scrub_left + self.scrub_now > 0 && row != last {
            self.due.insert(row);
        }
    }

    /// Whether anything happened to it.
    pub fn is_touched(&self) -> bool {
        self.has_other_members() || self.has_due() || self.written != Mask::NONE
    }

    /// Whether anything happened to it since the last run.
    pub fn was_touched(&self) -> bool {
        self.is_touched() || self.has_moved() || self.late != Mask::NONE
    }

    /// Whether any of these components may have been written, or entities came or went.
    pub fn is_changed(&self, component: Mask) -> bool {
        self.has_other_members() || self.is_written(component)
    }

    /// Whether any of these components may have been written other than by an insertion. Removals
    /// write nothing: an entity that takes another row brings its components along.
    pub fn is_written(&self, component: Mask) -> bool {
        self.written.has_any(component)
    }

    /// The components that may have been written other than by an insertion.
    pub fn written(&self) -> Mask {
        self.written
    }

    /// [`is_written`](Self::is_written), since the last run.
    pub fn was_written(&self, component: Mask) -> bool {
        self.is_written(component) || self.late.has_any(component)
    }

    /// Whether entities came since the last run.
    pub fn has_come(&self) -> bool {
        self.has_arrivals() || self.late_came
    }

    /// Whether entities came or went since the last run.
    pub fn has_moved(&self) -> bool {
        self.has_come() || self.has_left || self.late_left
    }

    /// Whether `target`, which is computed from `inputs`, has to be computed again: in the rows of
    /// new entities at least.
    pub fn is_due(&self, inputs: Mask, target: Mask) -> bool {
        self.has_due() || self.has_arrivals() || self.is_written(inputs | target)
    }

    /// Whether entities came or went; true for a new archetype.
    pub fn has_other_members(&self) -> bool {
        self.has_left || self.has_arrivals()
    }

    /// Whether entities came.
    pub fn has_arrivals(&self) -> bool {
        !(self.recent.is_unused() && self.arrived.is_unused())
    }

    /// The rows of entities that came since the hierarchy's last pass, ascending.
    pub fn recent_arrivals(&self, len: usize) -> impl Iterator<Item = u32> + '_ {
        self.recent.rows(len)
    }

    /// Whether the entity at a row came since the hierarchy's last pass.
    pub fn has_just_arrived(&self, row: u32) -> bool {
        self.recent.contains(row)
    }

    /// The rows of entities that came since news was last acknowledged, ascending.
    pub fn arrivals(&self, len: usize) -> impl Iterator<Item = u32> + '_ {
        self.arrived.rows(len)
    }

    /// The components that the bundle derives.
    pub fn derived(&self) -> Mask {
        self.meaning.derived
    }

    /// Whether the bundle has anything to do with it.
    pub(super) fn is_relevant(&self) -> bool {
        self.mask | self.meaning.missing != Mask::NONE
    }

    /// A derived column is perhaps written: all rows are scrubbed in the next runs, beginning now.
    pub(super) fn doubt(&mut self, len: usize) {
        let words = len.div_ceil(64);
        // Several columns may be so, and those of the last run, too: of as many words, the portion
        // that is due already is the first of the new round.
        let goes_on = self.scrub_now > 0 && words == self.scrub_words;
        self.scrub_words = words;
        self.scrub_left = words - if goes_on { self.scrub_now } else { 0 };
        if !goes_on {
            self.scrub(len);
        }
    }

    /// The next portion of `len` rows is due.
    fn scrub(&mut self, len: usize) {
        let words = self.scrub_words.min(len.div_ceil(64));
        let first = if self.scrub_next < words { self.scrub_next } else { 0 };
        self.scrub_now = self.scrub_words.div_ceil(SCRUB_PORTIONS).min(words);
        let end = first + self.scrub_now;
        (first..end).for_each(|word| _ = self.due.add(word % words, u64::MAX));
        self.scrub_next = end.checked_rem(words).unwrap_or(0);
        self.scrub_left = self.scrub_left.saturating_sub(self.scrub_now);
    }

    /// Whether the bundle inverts worlds here.
    pub fn inverts(&self) -> bool {
        self.meaning.derived.has(Mask::WORLD_TO_LOCAL)
    }

    /// Whether the bundle may write a component.
    pub fn writes(&self, component: Mask) -> bool {
        self.mask.without(self.meaning.overridden).has(component)
    }

    /// Whether rows are due whatever was written.
    pub fn has_due(&self) -> bool {
        !self.due.is_unused()
    }

    /// The rows of entities that came since news was last acknowledged, then those that are due.
    pub fn arrivals_and_due(&self, len: usize) -> impl Iterator<Item = u32> + '_ {
        self.arrivals(len).chain(self.due.rows(len))
    }

    /// Keeps the news for late stages. Call before anything is composed: then no world that the
    /// bundle writes is among what users may have written.
    pub(super) fn keep_late(&mut self) {
        self.late |= self.written;
        (self.late_came, self.late_left) = (self.has_come(), self.late_left || self.has_left);
        if self.inverts() {
            self.late_worlds.add_all(&self.arrived);
            self.late_worlds.add_all(&self.due);
        }
    }

    /// Nothing is news any more. Returns whether it stays in the list of touched archetypes,
    /// because rows are left to scrub. It has `len` rows.
    pub(super) fn acknowledge(&mut self, len: usize) -> bool {
        (self.written, self.has_left, self.scrub_now) = (Mask::NONE, false, 0);
        let Self { recent, arrived, due, .. } = self;
        [recent, arrived, due].into_iter().for_each(RowSet::clear);
        if self.scrub_left > 0 {
            self.scrub(len);
        }
        self.is_listed = self.has_due();
        self.is_listed
    }
}
