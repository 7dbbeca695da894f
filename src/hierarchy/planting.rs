//! Putting entities into preorder.

use super::forest::{CYCLE, NONE};
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

/// The indices of the seedlings, each subtree in one run, parents first, siblings in the order given.
pub(super) fn preorder(seedlings: &[Seedling]) -> Vec<u32> {
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

    let mut order = Vec::with_capacity(seedlings.len());
    let mut open = Vec::new();
    for (index, seedling) in seedlings.iter().enumerate() {
        if matches!(seedling.soil, Soil::Seedling(_)) {
            continue;
        }
        open.push(index as u32);
        while let Some(index) = open.pop() {
            order.push(index);
            let children = &children[offsets[index as usize] as usize..offsets[index as usize + 1] as usize];
            open.extend(children.iter().rev());
        }
    }
    order
}
