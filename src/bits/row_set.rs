//! A sparse set of rows.

use super::ones;

/// A set of rows whose cost goes with its members: to clear it or to go through it, only words
/// with a bit are touched, however many rows the archetype has.
///
/// ```text
///  rows 3, 70 and 71:   words  [0b1000, 0b1100_0000, 0, 0, ...]   used  [0, 1]
///                              rows 0 to 63, 64 to 127, ...       words 0 and 1
/// ```
#[derive(Debug, Default)]
pub(crate) struct RowSet {
    words: Vec<u64>,
    /// The words in which bits were set since it was cleared. A word is there twice if it was
    /// emptied and filled again.
    used: Vec<u32>,
}

impl RowSet {
    pub fn contains(&self, row: u32) -> bool {
        self.words.get(row as usize / 64).is_some_and(|word| word >> (row % 64) & 1 != 0)
    }

    /// Adds a row. Returns whether it was not in the set.
    pub fn insert(&mut self, row: u32) -> bool {
        let word = row as usize / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let (was, bit) = (self.words[word], 1 << (row % 64));
        if was == 0 {
            self.used.push(word as u32);
        }
        self.words[word] = was | bit;
        was & bit == 0
    }

    /// Adds the rows of one word, a bit each.
    pub fn add(&mut self, word: usize, bits: u64) {
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        if self.words[word] == 0 && bits != 0 {
            self.used.push(word as u32);
        }
        self.words[word] |= bits;
    }

    /// Removes a row. If row `last` is another one and in the set, it takes its place: as when a
    /// vector's last element takes the place of one that is removed.
    pub fn swap_remove(&mut self, row: u32, last: u32) {
        self.remove(row);
        if self.remove(last) && row != last {
            self.insert(row);
        }
    }

    /// Removes a row. Returns whether it was in the set.
    fn remove(&mut self, row: u32) -> bool {
        let is_in = self.contains(row);
        if is_in {
            self.words[row as usize / 64] &= !(1 << (row % 64));
        }
        is_in
    }

    pub fn clear(&mut self) {
        for word in self.used.drain(..) {
            self.words[word as usize] = 0;
        }
    }

    /// Whether no row was added since it was cleared. A set whose rows were all removed again is
    /// not untouched.
    pub fn is_untouched(&self) -> bool {
        self.used.is_empty()
    }

    /// Sorts the list of words, for [`rows`](Self::rows).
    pub fn sort(&mut self) {
        self.used.sort_unstable();
        self.used.dedup();
    }

    /// The rows below `len`, ascending.
    ///
    /// # Panics
    /// In debug builds, if rows were added since it was [sorted](Self::sort).
    pub fn rows(&self, len: usize) -> impl Iterator<Item = u32> + '_ {
        debug_assert!(self.used.is_sorted(), "the set is sorted");
        let rows = self.used.iter().flat_map(|&word| {
            ones(self.words[word as usize]).map(move |bit| word * 64 + bit as u32)
        });
        rows.take_while(move |&row| (row as usize) < len)
    }

    /// Adds the rows of another set. [Sort](Self::sort) afterwards.
    pub fn add_all(&mut self, other: &Self) {
        other.used.iter().for_each(|&word| self.add(word as usize, other.words[word as usize]));
    }
}
