//! Checks of all that the [module](super) promises.

use super::{Forest, MAX_SLOTS, NONE, children::Kin, free, rows::ArchetypeSlots};
use crate::engine::storage::Row;

impl Forest {
    /// # Panics
    /// If the forest breaks one of the module's promises.
    pub fn validate(&self) {
        self.validate_lengths();
        self.validate_extents();
        self.validate_rows();
        let linked = (0..self.nodes.len() as u32).filter(|&slot| self.is_linked(slot)).count();
        let listed: usize =
            (0..self.nodes.len() as u32).map(|slot| self.validate_children(slot)).sum();
        assert_eq!(linked, listed, "nodes with a parent, and children in lists");
    }

    fn validate_lengths(&self) {
        let len = self.nodes.len();
        assert!(len < MAX_SLOTS as usize);
        assert_eq!([self.kin.len(), self.stamps.len()], [len; 2]);
        assert_eq!(
            [self.dirty.words().len(), self.dirty_below.words().len()],
            [len.div_ceil(64); 2]
        );
        assert_eq!(
            self.freed,
            self.nodes.iter().filter(|node| node.is_free()).count(),
            "free slots"
        );
        let slots = 0..len as u32;
        let is_detached = |&slot: &u32| {
            let node = self.nodes[slot as usize];
            !node.is_linked() && !node.is_free() && self.kin[slot as usize].previous != NONE
        };
        assert_eq!(self.detached, slots.filter(is_detached).count(), "roots in extents of others");
    }

    /// Extents nest, free slots' extents too, and parents come first.
    fn validate_extents(&self) {
        let len = self.nodes.len() as u32;
        assert_eq!(self.segments.first().copied().unwrap_or(0), 0);
        assert!(
            self.segments.is_sorted_by(|a, b| a < b)
                && self.segments.last().is_none_or(|&last| last < len)
        );
        let (mut open, mut gaps, mut segment): (Vec<u32>, _, _) = (Vec::new(), Vec::new(), 0);
        for (slot, node) in (0..).zip(&self.nodes) {
            while open.last().is_some_and(|&top| self.nodes[top as usize].end <= slot) {
                open.pop();
            }
            if self.segments.get(segment + 1) == Some(&slot) {
                segment += 1;
                assert!(open.is_empty(), "segment {segment} begins in an extent, at {slot}");
            }
            let around = open.last().copied();
            let limit =
                around.map_or(self.segment(segment).end(), |top| self.nodes[top as usize].end);
            assert!(
                slot < node.end && node.end <= limit,
                "the extent of {slot} leaves another or its segment"
            );
            // Free slots inside of a gap are in the extent of its first one.
            let above = around.unwrap_or(NONE);
            if node.is_free() && (above == NONE || !self.nodes[above as usize].is_free()) {
                let class = if above == NONE { free::class(self.gap(slot)) } else { 0 };
                gaps.push((above, class, slot));
            }
            open.push(slot);
            self.validate_parent(slot, around, self.segment(segment).start());
        }
        self.validate_gaps(gaps);
    }

    /// `around` is the top of the shortest extent around a slot, `segment` the start of its
    /// segment.
    fn validate_parent(&self, slot: u32, around: Option<u32>, segment: u32) {
        let node = &self.nodes[slot as usize];
        if node.is_free() {
            return;
        }
        if !node.is_linked() {
            let above = self.kin[slot as usize].previous;
            assert_eq!(
                around.unwrap_or(NONE),
                above,
                "{slot} is a root, not right below that node"
            );
        } else if node.parent >= segment {
            assert_eq!(around, Some(node.parent), "{slot} is not right below its parent");
        } else {
            assert_eq!(
                around, None,
                "{slot} is in an extent, and its parent in an earlier segment"
            );
        }
    }

    /// The lists hold these gaps, each with its list, and no slot of them is taken.
    fn validate_gaps(&self, mut gaps: Vec<(u32, usize, u32)>) {
        let mut listed = Vec::new();
        let below = (0..).zip(&self.kin).map(|(above, links)| (above, 0, links.first_gap));
        let classes = (0..).zip(&self.gaps).map(|(class, &top)| (NONE, class, top));
        for (above, class, mut top) in below.chain(classes) {
            while top != NONE {
                listed.push((above, class, top));
                assert!(listed.len() <= gaps.len(), "the list of {top} has no end");
                top = self.kin[top as usize].next;
            }
        }
        gaps.sort_unstable();
        listed.sort_unstable();
        assert_eq!(gaps, listed, "gaps with their lists");
        let slots = |&(_, _, top): &(u32, usize, u32)| {
            &self.nodes[top as usize..][..self.gap(top) as usize]
        };
        assert!(gaps.iter().flat_map(slots).all(|node| node.is_free()), "a node is in a gap");
    }

    /// The table by row is the inverse of the nodes' rows.
    fn validate_rows(&self) {
        for (slot, node) in (0..).zip(&self.nodes) {
            if node.is_free() {
                assert_eq!(node.row, Row::NOWHERE, "{slot} is free");
            } else if node.row != Row::NOWHERE {
                assert_eq!(self.slot(node.row), slot, "the table at the row of {slot}");
            }
        }
        for (archetype, ArchetypeSlots { slots, taken }) in (0..).zip(&self.rows.archetypes) {
            assert_eq!(
                *taken,
                slots.iter().filter(|&&slot| slot != NONE).count(),
                "rows taken in archetype {archetype}"
            );
            for (row, &slot) in (0..).zip(slots).filter(|&(_, &slot)| slot != NONE) {
                assert_eq!(self.row(slot), Row { archetype, row }, "the row of {slot}");
            }
        }
    }

    /// The list of children leads forwards and backwards through nodes with this parent. Returns
    /// how many there are.
    fn validate_children(&self, parent: u32) -> usize {
        let Kin { first_child, next, .. } = self.kin[parent as usize];
        if !self.is_linked(parent) && !self.nodes[parent as usize].is_free() {
            assert_eq!(next, NONE, "{parent} has a sibling without a parent");
        }
        let children: Vec<u32> = self.children(parent).take(self.nodes.len() + 1).collect();
        assert!(children.len() <= self.nodes.len(), "the children of {parent} have no end");
        assert!(
            children.is_empty() || !self.nodes[parent as usize].is_free(),
            "{parent} is free and has children"
        );
        assert_eq!(children.first().copied().unwrap_or(NONE), first_child);
        for (number, &child) in children.iter().enumerate() {
            assert_eq!(self.parent(child), Some(parent), "the parent of {child}");
            let before = if number == 0 { children.last() } else { children.get(number - 1) };
            assert_eq!(
                Some(&self.kin[child as usize].previous),
                before,
                "what comes before {child}"
            );
        }
        children.len()
    }
}
