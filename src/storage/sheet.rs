//! What is remembered of one archetype between two runs, and what has happened to it since.

use super::mask::Mask;
use crate::bits::RowSet;

/// In which rows of an archetype something else stands than before.
#[derive(Debug, Default)]
pub(crate) struct Membership {
    /// Rows in which another entity stands, or none any more.
    pub(super) replaced: RowSet,
    /// Rows whose entity has come from elsewhere.
    pub(super) arrived: RowSet,
}

impl Membership {
    pub(super) fn clear(&mut self) {
        self.replaced.clear();
        self.arrived.clear();
    }

    /// The entity of a row is gone, and that of the last row has taken it, if that is another one.
    pub(super) fn remove(&mut self, row: u32, last: u32) {
        let has_arrived = self.arrived.remove(last);
        if has_arrived && row != last {
            self.arrived.insert(row);
        } else {
            self.arrived.remove(row);
        }
    }
}

/// What is remembered of one archetype.
pub(crate) struct ArchetypeSheet {
    /// Its components.
    pub mask: Mask,
    /// Those of them that the bundle may write.
    pub(super) writable: Mask,
    /// How many components of any sort it has.
    pub(super) components: u64,
    /// The version of each component of the mask, as last seen.
    pub(super) versions: Box<[u64]>,
    /// The columns that may have been written by anything but an insertion.
    pub(super) written: Mask,
    /// The columns that insertions have touched.
    pub(super) inserted: Mask,
    /// Since the hierarchy was last brought up to date.
    pub(super) recent: Membership,
    /// Since changes were last acknowledged, up to the hierarchy's last pass.
    pub(super) membership: Membership,
    /// Whether it has not been brought up to date yet, so that everything in it counts as written.
    pub(super) is_new: bool,
    /// Whether entities of it were linked or cut off, so that it has to be composed again.
    pub(super) relinked: bool,
    /// Whether the tracker lists it as touched.
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
            // A first look must compose even where every version is 0, as the first ones of a
            // process are.
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

    /// Whether `component` may have been written, or entities came or went.
    pub fn is_changed(&self, component: Mask) -> bool {
        self.has_other_members() || self.is_written(component)
    }

    /// Whether `component` may have been written other than by an insertion. Removals take along
    /// what stands in the rows.
    pub fn is_written(&self, component: Mask) -> bool {
        self.is_new || self.written.has_any(component)
    }

    /// The components that may have been written other than by an insertion.
    pub fn written(&self) -> Mask {
        self.written
    }

    /// Whether what is computed from `inputs` into `target` has to be computed again, of the new
    /// rows at least.
    pub fn is_due(&self, inputs: Mask, target: Mask) -> bool {
        self.relinked || self.has_arrivals() || self.is_written(inputs | target)
    }

    /// Whether it has not been brought up to date yet.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Whether entities came or went.
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

    /// Whether entities of it were linked or cut off.
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
