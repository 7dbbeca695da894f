//! A sparse set of rows.

use smallvec::SmallVec;

use super::{marked, ones, set};

/// A set of rows whose cost goes with its members: to clear it or to go through it, only words
/// with a bit are touched, however many rows the archetype has.
///
/// ```text
///  rows 3, 70 and 71:   words  [0b1000, 0b1100_0000, 0, 0, ...]   used  [0b11, ...]
///                              rows 0 to 63, 64 to 127, ...       words 0 and 1
/// ```
///
/// Which words have a bit is a set of bits, too: so rows ascend in whatever order they were added,
/// and nothing is sorted. Of 1,000,000 rows that set has 245 words.
///
/// An archetype has five sets, and mostly none of them is used. Such a set is 16 bytes, and a stage
/// that asks for its rows reads nothing else.
#[derive(Debug, Default)]
pub(crate) struct RowSet {
    /// Whether a row was added since it was cleared.
    is_used: bool,
    set: Option<Box<Words>>,
}

#[derive(Debug, Default)]
struct Words {
    /// Of up to 256 rows, they are in the cache line of this structure.
    words: SmallVec<[u64; 4]>,
    /// The words in which bits were set since it was cleared, a bit each.
    used: SmallVec<[u64; 2]>,
}

impl RowSet {
    pub fn contains(&self, row: u32) -> bool {
        let set = self.set.as_ref().filter(|_| self.is_used);
        let word = set.and_then(|set| set.words.get(row as usize / 64));
        word.is_some_and(|word| word >> (row % 64) & 1 != 0)
    }

    /// Adds a row. Returns whether it was not in the set.
    pub fn insert(&mut self, row: u32) -> bool {
        self.add(row as usize / 64, 1 << (row % 64)) & 1 << (row % 64) == 0
    }

    /// Adds the rows of one word, a bit each. Returns the bits that it had.
    pub fn add(&mut self, word: usize, bits: u64) -> u64 {
        self.is_used |= bits != 0;
        let Words { words, used } = &mut **self.set.get_or_insert_default();
        if words.len() <= word {
            words.resize(word + 1, 0);
            used.resize(word / 64 + 1, 0);
        }
        set(used, word);
        let before = words[word];
        words[word] |= bits;
        before
    }

    /// Removes a row. If row `last` is a different one and in the set, it becomes row `row`: as in
    /// [`Vec::swap_remove`].
    pub fn swap_remove(&mut self, row: u32, last: u32) {
        self.remove(row);
        if self.remove(last) && row != last {
            self.insert(row);
        }
    }

    /// Removes a row. Returns whether it was in the set.
    pub fn remove(&mut self, row: u32) -> bool {
        let is_in = self.contains(row);
        if let Some(set) = self.set.as_mut().filter(|_| is_in) {
            set.words[row as usize / 64] &= !(1 << (row % 64));
        }
        is_in
    }

    pub fn clear(&mut self) {
        if std::mem::take(&mut self.is_used)
            && let Some(set) = &mut self.set
        {
            marked(&set.used).for_each(|word| set.words[word] = 0);
            set.used.fill(0);
        }
    }

    /// Whether no row was added since it was cleared. A set whose rows were all removed again is
    /// not untouched.
    pub fn is_unused(&self) -> bool {
        !self.is_used
    }

    /// Its words that may have rows, each with its number, ascending.
    fn words(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let set = self.set.as_deref().filter(|_| self.is_used);
        let (mut at, mut left) = (0, 0);
        std::iter::from_fn(move || {
            while left == 0 {
                left = *set?.used.get(at)?;
                at += 1;
            }
            let word = 64 * (at - 1) + left.trailing_zeros() as usize;
            left &= left - 1;
            Some((word, set?.words[word]))
        })
    }

    /// The rows below `len`, ascending.
    pub fn rows(&self, len: usize) -> impl Iterator<Item = u32> + '_ {
        let rows = self.words().flat_map(|(word, bits)| ones(bits).map(move |bit| word * 64 + bit));
        rows.take_while(move |&row| row < len).map(|row| row as u32)
    }

    /// Adds the rows of another set.
    pub fn add_all(&mut self, other: &Self) {
        other.words().for_each(|(word, bits)| _ = self.add(word, bits));
    }
}
