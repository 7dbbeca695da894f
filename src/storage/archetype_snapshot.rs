//! What is remembered of one archetype between two runs, and what has happened to it since.

use legion::Entity;

use super::{account::Change, mask::Mask};

/// Which entities an archetype has, compared with those it had when its changes were last
/// acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Membership {
    /// The same ones, in the same rows.
    #[default]
    Same,
    /// So many came and so many went; the [tracker](super::tracker) tells the rows of those that
    /// came.
    Known { came: usize, went: usize },
    /// Any.
    Unknown,
}

/// What is remembered of one archetype.
pub(crate) struct ArchetypeSnapshot {
    /// Its components.
    pub mask: Mask,
    /// Those of them that the bundle may write.
    writable: Mask,
    /// The columns that may have been written by anything but an insertion.
    pub written: Mask,
    pub membership: Membership,
    /// Those that came and went, in order, where both did.
    pub(super) events: Vec<(Entity, Change)>,
    /// Whether it has not been brought up to date yet, so that everything in it counts as written.
    pub is_new: bool,
    /// Whether entities of it were linked or cut off, so that it has to be composed again whatever
    /// the versions say.
    pub relinked: bool,
    /// Whether the bundle has written a `LocalToWorld` since `WorldToLocal` was last computed.
    pub world_changed: bool,
}

impl ArchetypeSnapshot {
    pub(super) fn new(mask: Mask, writable: Mask) -> Self {
        Self {
            mask,
            writable,
            written: Mask::NONE,
            membership: Membership::Same,
            events: Vec::new(),
            // A first look must compose even where every version is 0, as the first ones of a
            // process are.
            is_new: true,
            relinked: false,
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

    /// Whether what is computed from `inputs` into `target` has to be computed again, of the new
    /// rows at least.
    pub fn is_due(&self, inputs: Mask, target: Mask) -> bool {
        self.relinked || self.has_arrivals() || self.is_written(inputs | target)
    }

    /// Whether entities came or went.
    pub fn has_other_members(&self) -> bool {
        self.is_new || self.membership != Membership::Same
    }

    /// Whether entities came, as far as that is known.
    pub fn has_arrivals(&self) -> bool {
        matches!(self.membership, Membership::Known { came: 1.., .. })
    }

    /// How many entities came and went, if that is known of all of them.
    pub fn known_membership(&self) -> Option<(usize, usize)> {
        match self.membership {
            Membership::Known { came, went } if !self.is_new => Some((came, went)),
            _ => None,
        }
    }

    /// Whether the bundle may write `component` here.
    pub fn writes(&self, component: Mask) -> bool {
        self.writable.has(component)
    }
}
