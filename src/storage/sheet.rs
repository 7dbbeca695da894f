//! The sheet of one archetype: its versions as last seen, and what has happened to it since.
//!
//! Only the [tracker](super::tracker) writes a sheet; all stages read it. Which call changes which
//! field, in the order of a tick:
//!
//! ```text
//!                  recent             membership         written, inserted    relinked
//!  detect          who came and went  arrivals move on   columns that moved
//!  (relink)                                                                   set
//!  settle_recent   empty              + recent
//!  (bump_input)                                          + the column
//!  acknowledge     empty              empty              empty                unset
//! ```

use super::mask::Mask;
use crate::bits::RowSet;

/// In which rows of an archetype another entity stands than before.
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

    /// The entity of a row is gone. The entity of row `last`, if that is another row, has taken its
    /// place, and whether it has arrived goes with it.
    pub(super) fn remove(&mut self, row: u32, last: u32) {
        let has_arrived = self.arrived.remove(last);
        if has_arrived && row != last {
            self.arrived.insert(row);
        } else {
            self.arrived.remove(row);
        }
    }
}

/// The sheet of one archetype; see the [module](self).
pub(crate) struct ArchetypeSheet {
    /// The crate's components that the archetype has.
    pub mask: Mask,
    /// The components of `mask` that the bundle may write: users' components take others over.
    pub(super) writable: Mask,
    /// How many components it has, users' own included: an insertion moves a version for each.
    pub(super) components: u64,
    /// The version of each component of `mask` as last seen, in the order of the bits.
    pub(super) versions: Box<[u64]>,
    /// The columns that may have been written by users, or by the bundle for later stages.
    pub(super) written: Mask,
    /// The columns whose versions insertions have moved. Some may be in `written`, too.
    pub(super) inserted: Mask,
    /// Who came and went since the hierarchy's last pass: it does not know yet.
    pub(super) recent: Membership,
    /// Who came and went since changes were last acknowledged, up to the hierarchy's last pass: the
    /// other stages do not know yet.
    pub(super) membership: Membership,
    /// Whether no run has acknowledged it yet: everything in it counts as written.
    pub(super) is_new: bool,
    /// Whether links of its entities changed in a way that its rows have to be composed again.
    pub(super) relinked: bool,
    /// Whether it is in the tracker's list of touched archetypes.
    pub(super) is_listed: bool,
    /// Whether a `LocalToWorld` was written since `WorldToLocal` was last computed.
    pub(super) world_changed: bool,
}

impl ArchetypeSheet {
    pub(super) fn new(mask: Mask, writable: Mask, components: u64) -> Self {
        Self {
            mask,
            writable,
            components,
            versions: vec![0; mask.len()].into(),
            written: Mask::NONE,
            inserted: Mask::NONE,
            recent: Membership::default(),
            membership: Membership::default(),
            // The first versions of a process are 0, like `versions` above, so a new archetype may
            // seem untouched. It has to be composed nevertheless.
            is_new: true,
            relinked: false,
            is_listed: false,
            world_changed: false,
        }
    }

    /// Whether anything happened to it.
    pub fn is_touched(&self) -> bool {
        self.has_other_members() || self.relinked || self.written != Mask::NONE
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
        self.relinked || self.has_arrivals() || self.is_written(inputs | target)
    }

    /// Whether no run has acknowledged it yet.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Whether entities came or went; true for a new archetype.
    pub fn has_other_members(&self) -> bool {
        let is_same =
            self.recent.replaced.is_untouched() && self.membership.replaced.is_untouched();
        self.is_new || !is_same
    }

    /// Whether entities came.
    pub fn has_arrivals(&self) -> bool {
        !(self.recent.arrived.is_untouched() && self.membership.arrived.is_untouched())
    }

    /// The rows of entities that came since the hierarchy's last pass, ascending.
    pub fn recent_arrivals(&self, len: usize) -> impl Iterator<Item = u32> + '_ {
        self.recent.arrived.rows(len)
    }

    /// Whether the entity at a row came since the hierarchy's last pass.
    pub fn has_just_arrived(&self, row: u32) -> bool {
        self.recent.arrived.contains(row)
    }

    /// The rows in which another entity stands than when changes were last acknowledged, ascending.
    pub fn replaced(&self, len: usize) -> impl Iterator<Item = u32> + '_ {
        self.membership.replaced.rows(len)
    }

    /// The rows of entities that came since changes were last acknowledged, ascending.
    pub fn arrivals(&self, len: usize) -> impl Iterator<Item = u32> + '_ {
        self.membership.arrived.rows(len)
    }

    /// Whether the entity at a row came since changes were last acknowledged.
    pub fn has_arrived(&self, row: u32) -> bool {
        self.membership.arrived.contains(row)
    }

    /// Whether the bundle may write a component.
    pub fn writes(&self, component: Mask) -> bool {
        self.writable.has(component)
    }

    /// Whether links of its entities changed.
    pub fn is_relinked(&self) -> bool {
        self.relinked
    }

    pub(super) fn acknowledge(&mut self) {
        (self.written, self.inserted) = (Mask::NONE, Mask::NONE);
        (self.is_new, self.relinked, self.is_listed) = (false, false, false);
        self.membership.clear();
        self.recent.clear();
    }
}
