//! A set of slots.

use super::slot::SlotIndex;

/// Slots, a bit each, so that a set of many thousands stays in the nearest cache.
#[derive(Clone, Debug, Default)]
pub(super) struct SlotSet {
    words: Vec<u64>,
    /// The slots of the set, so that clearing costs no more than filling.
    entries: Vec<SlotIndex>,
}

impl SlotSet {
    #[inline]
    pub fn has(&self, index: SlotIndex) -> bool {
        self.words.get(index as usize / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// Returns whether it was there already.
    #[inline]
    pub fn insert(&mut self, index: SlotIndex) -> bool {
        let (place, bit) = (index as usize / 64, 1 << (index % 64));
        if place >= self.words.len() {
            self.words.resize(place + 1, 0);
        }
        let was_there = self.words[place] & bit != 0;
        if !was_there {
            self.words[place] |= bit;
            self.entries.push(index);
        }
        was_there
    }

    /// Takes out a slot that becomes another entity's.
    pub fn remove(&mut self, index: SlotIndex) {
        if let Some(word) = self.words.get_mut(index as usize / 64) {
            *word &= !(1 << (index % 64));
        }
    }

    pub fn clear(&mut self) {
        for index in self.entries.drain(..) {
            self.words[index as usize / 64] = 0;
        }
    }
}
