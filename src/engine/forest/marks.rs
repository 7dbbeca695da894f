//! Marks: where propagation begins.
//!
//! *Dirty* nodes have to be computed and compared. *Moved* nodes have changed already, or may
//! have: only the nodes below them have to follow.

use super::{Forest, NONE, rows::RowTable};
use crate::engine::bits::{self, Bits};

impl Forest {
    /// Marks some rows of an archetype as dirty. Rows without a node are skipped.
    pub fn set_dirty_rows(&mut self, archetype: u32, rows: impl Iterator<Item = usize>) {
        let slots = self.rows.slots(archetype);
        self.dirty.set_each(rows.filter_map(|row| slots.get(row)).filter(is_slot));
    }

    /// Marks some rows of an archetype as moved. Rows without a node are skipped.
    pub fn set_moved_rows(&mut self, archetype: u32, rows: impl Iterator<Item = usize>) {
        let slots = self.rows.slots(archetype);
        self.moved.set_each(rows.filter_map(|row| slots.get(row)).filter(is_slot));
    }

    /// Marks rows of an archetype as dirty, a bit each: in the first word rows `first` to
    /// `first + 63`. Rows without a node are skipped.
    pub fn set_dirty_words(&mut self, archetype: u32, first: usize, words: &[u64]) {
        set_words(&mut self.dirty, self.rows.slots(archetype), first, words);
    }

    /// Marks rows of an archetype as moved, as [`set_dirty_words`](Self::set_dirty_words) does.
    pub fn set_moved_words(&mut self, archetype: u32, first: usize, words: &[u64]) {
        set_words(&mut self.moved, self.rows.slots(archetype), first, words);
    }

    /// Marks all rows of these archetypes as dirty.
    pub fn set_dirty_archetypes(&mut self, archetypes: &[u32]) {
        Self::set_archetypes(&self.rows, &mut self.dirty, archetypes);
    }

    /// Marks all rows of these archetypes as moved.
    pub fn set_moved_archetypes(&mut self, archetypes: &[u32]) {
        Self::set_archetypes(&self.rows, &mut self.moved, archetypes);
    }

    /// If the archetypes have seven of eight slots, all slots are marked at once: with 268,000 of
    /// 268,000 bones that takes 1 microsecond, where bit by bit takes 270, on one thread while all
    /// others wait. The other nodes are computed in vain, to the same bits.
    fn set_archetypes(rows: &RowTable, marks: &mut Bits, archetypes: &[u32]) {
        let slots = || archetypes.iter().map(|&archetype| rows.slots(archetype));
        let count: usize = slots().map(<[u32]>::len).sum();
        if count > 0 && count * 8 >= marks.len() * 7 {
            marks.set_all();
        } else {
            slots().for_each(|slots| marks.set_each(slots.iter().filter(is_slot)));
        }
    }

    /// Puts other marks, dirty and moved, instead of these, for a propagation of something
    /// else. Returns these.
    pub fn replace_marks(&mut self, [dirty, moved]: [Bits; 2]) -> [Bits; 2] {
        let len = self.nodes.len().div_ceil(64);
        assert!([&dirty, &moved].iter().all(|marks| marks.words().len() == len), "a bit a slot");
        [std::mem::replace(&mut self.dirty, dirty), std::mem::replace(&mut self.moved, moved)]
    }

    /// Whether any node may be marked.
    pub fn has_marked(&self) -> bool {
        self.dirty.maybe_any() || self.moved.maybe_any()
    }
}

/// Marks the slots whose bits are set, 64 slots a word. Behind the last row with a node there may
/// be none.
fn set_words(marks: &mut Bits, slots: &[u32], first: usize, words: &[u64]) {
    let slots = slots.get(first..).unwrap_or_default();
    let marked = (0..words.len())
        .filter(|&word| words[word] != 0)
        .flat_map(|word| bits::ones(words[word]).filter_map(move |bit| slots.get(word * 64 + bit)));
    marks.set_each(marked.filter(is_slot));
}

fn is_slot(slot: &&u32) -> bool {
    **slot != NONE
}
