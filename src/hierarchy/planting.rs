//! Putting entities into preorder, and into the forest.

use std::sync::atomic::AtomicU32;

use super::forest::{CYCLE, Forest, MAX_POSITIONS, NONE, NOWHERE, Node};
use crate::raw::slices::Row;

/// What an entity hangs off, while it is being planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Soil {
    /// Nothing: it is a root.
    Root,
    /// A cycle: it counts as a root.
    Cycle,
    /// An entity that has its position already.
    Planted(u32),
    /// Another seedling, by index.
    Seedling(u32),
}

/// An entity on its way into the forest.
pub(crate) struct Seedling {
    pub row: Row,
    pub soil: Soil,
    /// Where it was planted.
    pub position: u32,
}

impl Seedling {
    pub fn parent_position(&self, seedlings: &[Self]) -> u32 {
        match self.soil {
            Soil::Root => NONE,
            Soil::Cycle => CYCLE,
            Soil::Planted(position) => position,
            Soil::Seedling(index) => seedlings[index as usize].position,
        }
    }
}

impl Forest {
    /// Plants seedlings, in holes where these are large enough, and writes their positions into them. Their parents must not be
    /// holes by then.
    pub fn plant(&mut self, seedlings: &mut [Seedling]) {
        let (order, tops) = preorder(seedlings);
        assert!(self.len() + seedlings.len() < MAX_POSITIONS as usize, "more than 2^31 entities in hierarchies");
        if self.groups.is_empty() {
            self.groups.push(0);
        }
        let mut end = self.len() as u32;
        for subtree in subtrees(&order, &tops) {
            let len = subtree.len() as u32;
            let parent = seedlings[subtree[0] as usize].parent_position(seedlings);
            let start = self.take_room(parent, len).unwrap_or_else(|| {
                end += len;
                end - len
            });
            for (position, &index) in (start..).zip(subtree) {
                seedlings[index as usize].position = position;
            }
        }
        // A hole that is filled costs nothing any more.
        let reused = seedlings.len() - (end as usize - self.len());
        self.waste = self.waste.saturating_sub(reused);
        self.grow(end as usize);
        for subtree in subtrees(&order, &tops) {
            self.settle(subtree, seedlings);
        }
    }

    /// Adds holes behind all others.
    fn grow(&mut self, len: usize) {
        self.holes.grow(len, len - self.len());
        self.child_counts.resize(len, 0);
        self.marks.resize_with(len, || AtomicU32::new(0));
        for _ in self.len()..len {
            self.dirty.push(false);
            self.moved.push(false);
        }
        self.nodes.resize(len, Node { row: NOWHERE, parent: NONE, end: 0 });
    }

    /// Fills the holes that were found for a subtree.
    fn settle(&mut self, subtree: &[u32], seedlings: &[Seedling]) {
        let start = seedlings[subtree[0] as usize].position;
        for (position, &index) in (start..).zip(subtree) {
            let seedling = &seedlings[index as usize];
            let parent = seedling.parent_position(seedlings);
            self[position] = Node { row: seedling.row, parent, end: position + 1 };
            self.child_counts[position as usize] = 0;
            self.dirty.set(position);
            if parent < MAX_POSITIONS {
                self.child_counts[parent as usize] += 1;
            }
        }
        for position in (start + 1..start + subtree.len() as u32).rev() {
            let (end, parent) = (self[position].end, self[position].parent);
            let parent_end = &mut self[parent].end;
            *parent_end = end.max(*parent_end);
        }
        let parent = self[start].parent;
        let within = if parent < MAX_POSITIONS && self.is_in_run(start, parent) { parent } else { NONE };
        if parent < MAX_POSITIONS && within == NONE {
            self.attach(start, parent);
        }
        self.fill(start, subtree.len() as u32, within);
    }

    /// Takes note of a subtree that stands apart from its parent.
    fn attach(&mut self, position: u32, parent: u32) {
        self.attached.entry(u64::from(parent)).or_default().push(position);
        if parent >= *self.groups.last().expect("plant made one") {
            self.groups.push(position);
            self.holes.begin_group();
        }
        self.waste += 1;
    }
}

fn subtrees<'a>(order: &'a [u32], tops: &'a [u32]) -> impl Iterator<Item = &'a [u32]> {
    let ends = tops.iter().skip(1).copied().chain([order.len() as u32]);
    tops.iter().zip(ends).map(|(&start, end)| &order[start as usize..end as usize])
}

/// The indices of the seedlings, each subtree in one run, parents first, siblings in the order given; and where in that order
/// each subtree begins.
fn preorder(seedlings: &[Seedling]) -> (Vec<u32>, Vec<u32>) {
    // Children by parent, as one array with an offset for each parent.
    let mut offsets = vec![0_u32; seedlings.len() + 1];
    for seedling in seedlings {
        if let Soil::Seedling(parent) = seedling.soil {
            offsets[parent as usize + 1] += 1;
        }
    }
    for i in 1..offsets.len() {
        offsets[i] += offsets[i - 1];
    }
    let mut next = offsets.clone();
    let mut children = vec![0_u32; offsets.last().map_or(0, |&all| all as usize)];
    for (index, seedling) in seedlings.iter().enumerate() {
        if let Soil::Seedling(parent) = seedling.soil {
            let slot = &mut next[parent as usize];
            children[*slot as usize] = index as u32;
            *slot += 1;
        }
    }

    let (mut order, mut tops) = (Vec::with_capacity(seedlings.len()), Vec::new());
    let mut open = Vec::new();
    for (index, seedling) in seedlings.iter().enumerate() {
        if matches!(seedling.soil, Soil::Seedling(_)) {
            continue;
        }
        tops.push(order.len() as u32);
        open.push(index as u32);
        while let Some(index) = open.pop() {
            order.push(index);
            let children = &children[offsets[index as usize] as usize..offsets[index as usize + 1] as usize];
            open.extend(children.iter().rev());
        }
    }
    (order, tops)
}
