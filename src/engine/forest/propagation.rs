//! The forest as propagation reads it. Propagation begins at marks: *dirty* nodes have to be
//! computed and compared; *moved* nodes have changed already, or may have, so only the nodes below
//! them have to follow.

use std::sync::atomic::{AtomicU8, Ordering};

use super::{Forest, MAX_SLOTS, NONE, Node};
use crate::engine::bits::Bits;

/// The forest as threads read it while worlds are propagated. The [module](super) lists what they
/// rely on.
#[derive(Clone, Copy)]
pub(crate) struct PropagationView<'a> {
    nodes: &'a [Node],
    stamps: &'a [AtomicU8],
    stamp: u8,
    dirty: &'a Bits,
    dirty_below: &'a Bits,
    #[cfg_attr(
        not(feature = "parallel"),
        allow(dead_code, reason = "only threads split the order")
    )]
    pub(super) has_detached: bool,
}

impl<'a> PropagationView<'a> {
    /// In a slot's stamp: the world has other bits than before the propagation.
    pub const DIFFERS: u8 = 1 << 7;

    pub fn nodes(&self) -> &'a [Node] {
        self.nodes
    }

    /// By slot: the number of the last propagation that changed this node or was to go on below
    /// it. If it is [`stamp`](Self::stamp), with or without [`DIFFERS`](Self::DIFFERS), this one
    /// did.
    pub fn stamps(&self) -> &'a [AtomicU8] {
        self.stamps
    }

    pub fn stamp(&self) -> u8 {
        self.stamp
    }

    /// The dirty nodes, a bit a slot, 64 a word.
    pub fn dirty(&self) -> &'a [u64] {
        self.dirty.words()
    }

    /// The nodes that are dirty below, a bit a slot, 64 a word.
    pub fn dirty_below(&self) -> &'a [u64] {
        self.dirty_below.words()
    }

    /// Whether any node may be dirty below.
    pub fn any_dirty_below(&self) -> bool {
        self.dirty_below.maybe_any()
    }

    /// The first slot from `slot` on that is dirty or dirty below; a number behind all slots if
    /// there is none.
    #[inline(always)]
    pub fn next_marked(&self, slot: u32) -> u32 {
        self.dirty.next_of_either(self.dirty_below, slot)
    }
}

impl Forest {
    /// Begins a propagation: no slot has its stamp. After 127 propagations all stamps are cleared
    /// once, and the count begins again at 1.
    pub fn begin_propagation(&mut self) {
        if self.propagation == PropagationView::DIFFERS - 1 {
            self.stamps.iter_mut().for_each(|stamp| *stamp.get_mut() = 0);
            self.propagation = 0;
        }
        self.propagation += 1;
    }

    pub fn propagation(&self) -> PropagationView<'_> {
        PropagationView {
            nodes: &self.nodes,
            stamps: &self.stamps,
            stamp: self.propagation,
            dirty: &self.dirty,
            dirty_below: &self.dirty_below,
            has_detached: self.detached > 0,
        }
    }

    /// Makes the top of each extent of a segment dirty whose parent, in an earlier segment,
    /// changed.
    pub fn wake_segment(&mut self, segment: usize) {
        let range = self.segment(segment);
        let (mut slot, mut looked_at) = (range.start(), 0);
        while slot < range.end() {
            let Node { parent, end, .. } = self.nodes[slot as usize];
            let is_stamped = |parent: u32| {
                let stamp = self.stamps[parent as usize].load(Ordering::Relaxed);
                stamp & !PropagationView::DIFFERS == self.propagation
            };
            if parent < MAX_SLOTS && is_stamped(parent) {
                self.dirty.set(slot);
            }
            slot = end;
            looked_at += 1;
        }
        self.looked_at += looked_at;
    }

    /// Whether the world of a slot changed in the last propagation; false for [`NONE`].
    pub fn has_changed(&self, slot: u32) -> bool {
        let stamp = self.stamps.get(slot as usize).map(|stamp| stamp.load(Ordering::Relaxed));
        stamp == Some(self.propagation | PropagationView::DIFFERS)
    }

    /// Ends a propagation: no node is marked.
    pub fn end_propagation(&mut self) {
        self.dirty.clear_all();
        self.dirty_below.clear_all();
    }

    /// Marks some rows of an archetype as dirty. Rows without a node are skipped; behind the last
    /// one with a node there may be more.
    pub fn set_dirty_rows(&mut self, archetype: u32, rows: impl Iterator<Item = usize>) {
        let slots = self.rows.slots(archetype);
        self.dirty.set_each(rows.filter_map(|row| slots.get(row)).filter(is_slot));
    }

    /// Marks some rows of an archetype as dirty below, as [`set_dirty_rows`](Self::set_dirty_rows)
    /// does.
    pub fn set_dirty_below(&mut self, archetype: u32, rows: impl Iterator<Item = usize>) {
        let slots = self.rows.slots(archetype);
        self.dirty_below.set_each(rows.filter_map(|row| slots.get(row)).filter(is_slot));
    }

    /// Marks all rows of these archetypes: of the first list as dirty, of the second as dirty
    /// below.
    ///
    /// If the archetypes have seven of eight slots, all slots are marked at once: with 268,000 of
    /// 268,000 bones that takes 1 microsecond, where bit by bit takes 270, on one thread while all
    /// others wait. The other nodes are computed in vain, to the same bits.
    pub fn set_archetypes(&mut self, [dirty, dirty_below]: &[Vec<u32>; 2]) {
        for (marks, archetypes) in [(&mut self.dirty, dirty), (&mut self.dirty_below, dirty_below)]
        {
            let slots = || archetypes.iter().map(|&archetype| self.rows.slots(archetype));
            let count: usize = slots().map(<[u32]>::len).sum();
            if count > 0 && count * 8 >= marks.len() * 7 {
                marks.set_all();
            } else {
                slots().for_each(|slots| marks.set_each(slots.iter().filter(is_slot)));
            }
        }
    }

    /// Puts other marks, dirty and dirty below, instead of these, for a propagation of something
    /// else. Returns these.
    pub fn replace_marks(&mut self, [dirty, dirty_below]: [Bits; 2]) -> [Bits; 2] {
        let len = self.nodes.len().div_ceil(64);
        assert!(
            [&dirty, &dirty_below].iter().all(|marks| marks.words().len() == len),
            "a bit a slot"
        );
        [
            std::mem::replace(&mut self.dirty, dirty),
            std::mem::replace(&mut self.dirty_below, dirty_below),
        ]
    }

    /// Whether any node may be marked.
    pub fn has_marked(&self) -> bool {
        self.dirty.maybe_any() || self.dirty_below.maybe_any()
    }
}

fn is_slot(slot: &&u32) -> bool {
    **slot != NONE
}
