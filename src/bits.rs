//! A growable set of small numbers.

/// One bit a number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
    len: u32,
    /// Whether any bit may be set: lets an idle tick pass by without looking at the words.
    any: bool,
}

impl Bits {
    pub fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(64) {
            self.words.push(0);
        }
        self.len += 1;
        if bit {
            self.set(self.len - 1);
        }
    }

    /// Makes the set one of `len` numbers, at least as many as before, the new ones all in it or
    /// none of them.
    pub fn extend(&mut self, len: usize, bit: bool) {
        let last = 64 * self.words.len() as u32;
        self.words.resize(len.div_ceil(64), if bit { u64::MAX } else { 0 });
        if bit && len as u32 > self.len {
            (self.len..last.min(len as u32)).for_each(|index| self.set(index));
            self.any = true;
        }
        self.len = len as u32;
    }

    pub fn set(&mut self, index: u32) {
        set(&mut self.words, index as usize);
        self.any = true;
    }

    /// Sets many, at their best in ascending order: a word is written once all its bits are known.
    pub fn set_each(&mut self, indices: impl Iterator<Item = u32>) {
        let (mut word, mut bits) = (0, 0);
        indices.for_each(|index| {
            let at = index as usize / 64;
            if at != word {
                self.add(word, bits);
                (word, bits) = (at, 0);
            }
            bits |= 1 << (index % 64);
        });
        self.add(word, bits);
    }

    fn add(&mut self, word: usize, bits: u64) {
        if bits != 0 {
            self.words[word] |= bits;
            self.any = true;
        }
    }

    pub fn set_all(&mut self) {
        self.words.fill(u64::MAX);
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

/// The numbers of the bits that are set.
pub(crate) fn ones(word: u64) -> impl Iterator<Item = usize> {
    let mut left = word;
    std::iter::from_fn(move || {
        let bit = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

/// The numbers of the bits that are set in words of 64.
pub(crate) fn marked(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(index, &word)| ones(word).map(move |bit| index * 64 + bit))
}
