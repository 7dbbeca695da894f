//! The versions of one entity number that exist.

use std::collections::BTreeMap;

use super::slot::SlotIndex;

/// The versions of a number, each with its slot.
///
/// Nearly every number has one: numbers are reused after a death. Nothing forbids all 65,536 at
/// once. So more than one are kept in a tree: each costs about the same, in every order of births
/// and deaths.
#[derive(Clone, Debug, Default)]
pub(super) enum Versions {
    #[default]
    None,
    One(u16, SlotIndex),
    /// In a box, so that numbers stay small: to find one is a miss of the cache.
    #[allow(clippy::box_collection, reason = "the tree's own fields are three words")]
    Many(Box<BTreeMap<u16, SlotIndex>>),
}

impl Versions {
    #[inline]
    pub fn get(&self, version: u16) -> Option<SlotIndex> {
        match self {
            Self::One(only, slot) if *only == version => Some(*slot),
            Self::Many(slots) => slots.get(&version).copied(),
            _ => None,
        }
    }

    /// Adds a version that does not exist yet.
    #[inline]
    pub fn insert(&mut self, version: u16, slot: SlotIndex) {
        match self {
            Self::None => *self = Self::One(version, slot),
            Self::One(other, first) => {
                *self = Self::Many(Box::new([(*other, *first), (version, slot)].into()))
            }
            Self::Many(slots) => _ = slots.insert(version, slot),
        }
    }

    /// Takes out a version.
    pub fn remove(&mut self, version: u16) -> Option<SlotIndex> {
        match self {
            Self::One(only, slot) if *only == version => {
                let slot = *slot;
                *self = Self::None;
                Some(slot)
            }
            Self::Many(slots) => {
                let removed = slots.remove(&version)?;
                if slots.is_empty() {
                    *self = Self::None;
                }
                Some(removed)
            }
            _ => None,
        }
    }

    /// Takes out the lowest version, if it is not above `last`.
    pub fn pop_up_to(&mut self, last: u16) -> Option<SlotIndex> {
        match self {
            Self::One(version, slot) if *version <= last => {
                let slot = *slot;
                *self = Self::None;
                Some(slot)
            }
            Self::Many(slots) => {
                let lowest = slots.first_entry().filter(|entry| *entry.key() <= last)?.remove();
                if slots.is_empty() {
                    *self = Self::None;
                }
                Some(lowest)
            }
            _ => None,
        }
    }

    /// The slots of all versions up to `last`.
    pub fn up_to(&self, last: u16) -> impl Iterator<Item = SlotIndex> {
        let (one, many) = match self {
            Self::One(version, slot) => (Some(*slot).filter(|_| *version <= last), None),
            Self::Many(slots) => (None, Some(slots.range(..=last).map(|(_, &slot)| slot))),
            Self::None => (None, None),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }

    /// The highest version.
    pub fn highest(&self) -> Option<u16> {
        match self {
            Self::None => None,
            Self::One(version, _) => Some(*version),
            Self::Many(slots) => slots.last_key_value().map(|(&version, _)| version),
        }
    }
}
