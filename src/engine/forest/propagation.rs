//! The forest as propagation reads it.

use std::sync::atomic::{AtomicU8, Ordering};

use super::{Forest, MAX_SLOTS, Node};
use crate::engine::bits::Bits;

/// The forest as threads read it while worlds are propagated. The [module](super) lists what they
/// rely on.
#[derive(Clone, Copy)]
pub(crate) struct PropagationView<'a> {
    nodes: &'a [Node],
    stamps: &'a [AtomicU8],
    stamp: u8,
    dirty: &'a Bits,
    moved: &'a Bits,
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

    /// The propagation in which the children last had to follow, by slot. In an entry that is
    /// [`stamp`](Self::stamp), with or without [`DIFFERS`](Self::DIFFERS), it is this one.
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

    /// The moved nodes, a bit a slot, 64 a word.
    pub fn moved(&self) -> &'a [u64] {
        self.moved.words()
    }

    /// Whether any node may have moved.
    pub fn any_moved(&self) -> bool {
        self.moved.maybe_any()
    }

    /// The first slot from `slot` on that is dirty or moved; a number behind all slots if there is
    /// none.
    #[inline(always)]
    pub fn next_marked(&self, slot: u32) -> u32 {
        self.dirty.next_of_either(self.moved, slot)
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
            moved: &self.moved,
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

    /// Whether the world of a slot changed in the last propagation; false for
    /// [`NONE`](super::NONE).
    pub fn has_changed(&self, slot: u32) -> bool {
        let stamp = self.stamps.get(slot as usize).map(|stamp| stamp.load(Ordering::Relaxed));
        stamp == Some(self.propagation | PropagationView::DIFFERS)
    }

    /// Ends a propagation: no node is marked.
    pub fn end_propagation(&mut self) {
        self.dirty.clear_all();
        self.moved.clear_all();
    }
}
