//! Sets of small numbers: rows of an archetype, slots of the forest. One bit a number, 64 a word.
//!
//! ```text
//!  {0, 2, 65} of 70 numbers     words [0b101, 0b10]     bit 1 of word 1 is number 64 + 1
//! ```
//!
//! The cost of [`Bits`] goes with the size of the archetype or forest, that of [`RowSet`] with its
//! members, for 3 rows of 100,000.

mod row_set;

pub(crate) use row_set::RowSet;

/// A set of numbers below a length that may grow and shrink.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
    len: u32,
    /// Whether any bit may be set. An idle tick asks this and does not look at the words.
    any: bool,
}

impl Bits {
    /// Makes the set one of `len` numbers. It loses the members from `len` on; new numbers are not
    /// in it.
    pub fn resize(&mut self, len: usize) {
        self.words.resize(len.div_ceil(64), 0);
        if let (Some(last), used @ 1..) = (self.words.last_mut(), len % 64) {
            *last &= (1 << used) - 1;
        }
        self.len = len as u32;
    }

    /// The numbers are below this.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Adds a number, or removes it.
    pub fn put(&mut self, index: u32, bit: bool) {
        self.clear(index);
        if bit {
            self.set(index);
        }
    }

    pub fn set(&mut self, index: u32) {
        set(&mut self.words, index as usize);
        self.any = true;
    }

    /// Adds many numbers, in ascending order best: then each word is written once.
    pub fn set_each<'a>(&mut self, indices: impl Iterator<Item = &'a u32>) {
        let (mut word, mut bits) = (0, 0);
        indices.for_each(|&index| {
            let at = index as usize / 64;
            if at != word {
                self.add(word, bits);
                (word, bits) = (at, 0);
            }
            bits |= 1 << (index % 64);
        });
        self.add(word, bits);
    }

    /// Adds the numbers of one word: of word 1 and `0b10`, 65.
    pub fn add(&mut self, word: usize, bits: u64) {
        if bits != 0 {
            self.words[word] |= bits;
            self.any = true;
        }
    }

    /// Adds all numbers below the length.
    pub fn set_all(&mut self) {
        fill(&mut self.words, self.len as usize);
        self.any = true;
    }

    pub fn clear(&mut self, index: u32) {
        self.words[index as usize / 64] &= !(1 << (index % 64));
    }

    pub fn clear_all(&mut self) {
        if std::mem::take(&mut self.any) {
            self.words.fill(0);
        }
    }

    pub fn get(&self, index: u32) -> bool {
        get(&self.words, index as usize)
    }

    /// The bits, 64 a word.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The bits, to be set by threads that have distinct words.
    pub fn words_mut(&mut self) -> &mut [u64] {
        self.any = true;
        &mut self.words
    }

    /// The numbers in it, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        marked(&self.words)
    }

    /// Whether any bit may be set.
    pub fn maybe_any(&self) -> bool {
        self.any
    }

    /// The first number from `index` on that is in this set or in another of the same size;
    /// `u32::MAX` if there is none.
    pub fn next_of_either(&self, other: &Self, index: u32) -> u32 {
        let mut word = index as usize / 64;
        let mut mask = u64::MAX << (index % 64);
        while word < self.words.len() {
            let bits = (self.words[word] | other.words[word]) & mask;
            if bits != 0 {
                return word as u32 * 64 + bits.trailing_zeros();
            }
            mask = u64::MAX;
            word += 1;
        }
        u32::MAX
    }
}

/// Whether a bit is set in words of 64.
#[inline(always)]
pub(crate) fn get(words: &[u64], index: usize) -> bool {
    words[index / 64] & 1 << (index % 64) != 0
}

/// Sets a bit in words of 64.
#[inline(always)]
pub(crate) fn set(words: &mut [u64], index: usize) {
    words[index / 64] |= 1 << (index % 64);
}

/// Sets the first bits of words of 64: with `len` 70 all of the first word and 6 of the second.
pub(crate) fn fill(words: &mut [u64], len: usize) {
    words.fill(u64::MAX);
    if let (Some(last), tail @ 1..) = (words.last_mut(), len % 64) {
        *last = (1 << tail) - 1;
    }
}

/// How many bits are set in words of 64.
pub(crate) fn count(words: &[u64]) -> usize {
    used(words).map(|(_, bits)| bits.count_ones() as usize).sum()
}

/// The words that are not empty, with their numbers: of `[0b101, 0, 0b10]` 0 and 2. Eight empty
/// words are left out at a time: most often, few rows of many are due.
pub(crate) fn used(words: &[u64]) -> impl Iterator<Item = (usize, u64)> + '_ {
    let any = |(_, eight): &(usize, &[u64])| {
        eight.first_chunk::<8>().is_none_or(|all| all.iter().fold(0, |any, word| any | word) != 0)
    };
    let eights = (0..).step_by(8).zip(words.chunks(8)).filter(any);
    let words = eights.flat_map(|(first, eight)| (first..).zip(eight.iter().copied()));
    words.filter(|(_, bits)| *bits != 0)
}

/// The numbers of the bits that are set in one word.
pub(crate) fn ones(word: u64) -> impl Iterator<Item = usize> {
    let mut left = word;
    std::iter::from_fn(move || {
        let bit = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

/// The numbers of the bits that are set in words of 64: of `[0b101, 0b10]` 0, 2 and 65.
pub(crate) fn marked(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    used(words).flat_map(|(word, bits)| ones(bits).map(move |bit| word * 64 + bit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(len: usize, numbers: &[u32]) -> Bits {
        let mut bits = Bits::default();
        bits.resize(len);
        numbers.iter().for_each(|&number| bits.set(number));
        bits
    }

    fn numbers(bits: &Bits) -> Vec<usize> {
        marked(bits.words()).collect()
    }

    #[test]
    fn a_set_that_shrinks_forgets_what_was_beyond() {
        let mut bits = of(130, &[3, 63, 64, 70, 129]);
        bits.resize(70);
        assert_eq!(numbers(&bits), [3, 63, 64]);
        bits.resize(130);
        assert_eq!(numbers(&bits), [3, 63, 64], "and does not remember it");
        bits.put(3, false);
        bits.put(100, true);
        bits.add(0, 1 << 5);
        bits.add(2, 1);
        assert_eq!(numbers(&bits), [5, 63, 64, 100, 128]);
        bits.clear_all();
        assert!(numbers(&bits).is_empty());
    }

    #[test]
    fn words_are_filled_up_to_a_length() {
        for len in [0_usize, 1, 63, 64, 65, 128] {
            let mut words = vec![0; len.div_ceil(64)];
            fill(&mut words, len);
            assert_eq!((count(&words), marked(&words).last()), (len, len.checked_sub(1)), "{len}");
        }
    }
}
