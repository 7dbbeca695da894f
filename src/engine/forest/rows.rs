//! The slot of each row.
//!
//! ```text
//! rows of archetype 3:   0   1   2   3
//! slots:                 7   -   4   5      row 1 has no node
//! ```

use super::{Forest, NONE};
use crate::engine::storage::Row;

/// Slots by archetype and row: the inverse of the nodes' rows. It keeps rows distinct, because a
/// row has one entry.
#[derive(Default)]
pub(super) struct RowTable {
    pub archetypes: Vec<ArchetypeSlots>,
}

#[derive(Default)]
pub(super) struct ArchetypeSlots {
    /// By row; [`NONE`] for an entity outside of the forest.
    pub slots: Vec<u32>,
    /// How many entries are not [`NONE`].
    pub taken: usize,
}

impl RowTable {
    fn archetype(&mut self, archetype: u32) -> &mut ArchetypeSlots {
        let index = archetype as usize;
        if self.archetypes.len() <= index {
            self.archetypes.resize_with(index + 1, ArchetypeSlots::default);
        }
        &mut self.archetypes[index]
    }

    /// The slots of an archetype's rows; empty if none is taken.
    pub fn slots(&self, archetype: u32) -> &[u32] {
        match self.archetypes.get(archetype as usize) {
            Some(archetype) if archetype.taken > 0 => &archetype.slots,
            _ => &[],
        }
    }

    /// Enters a slot. Returns whether the row was free.
    fn enter(&mut self, row: Row, slot: u32) -> bool {
        let archetype = self.archetype(row.archetype);
        if archetype.slots.len() <= row.row as usize {
            archetype.slots.resize(row.row as usize + 1, NONE);
        }
        let entry = &mut archetype.slots[row.row as usize];
        if *entry != NONE {
            return false;
        }
        *entry = slot;
        archetype.taken += 1;
        true
    }

    /// Removes the slot of a row. Returns it, or [`NONE`].
    fn take(&mut self, row: Row) -> u32 {
        let Some(archetype) = self.archetypes.get_mut(row.archetype as usize) else { return NONE };
        let slot = archetype
            .slots
            .get_mut(row.row as usize)
            .map_or(NONE, |slot| std::mem::replace(slot, NONE));
        archetype.taken -= usize::from(slot != NONE);
        if archetype.taken == 0 {
            // Most archetypes that lose their last node never get a new one.
            archetype.slots = Vec::new();
        }
        slot
    }

    /// All slots, in the order of archetypes and rows.
    pub fn all(&self) -> impl Iterator<Item = u32> + '_ {
        let used = self.archetypes.iter().filter(|archetype| archetype.taken > 0);
        used.flat_map(|archetype| archetype.slots.iter().copied().filter(|&slot| slot != NONE))
    }
}

impl Forest {
    /// The rows of all nodes and of their parents, in the order of rows.
    #[cfg(debug_assertions)]
    pub fn pairs(&self) -> Vec<(Row, Option<Row>)> {
        let parent = |slot| self.parent(slot).map(|parent| self.row(parent));
        self.rows.all().map(|slot| (self.row(slot), parent(slot))).collect()
    }

    /// The slot of the entity at a row, or [`NONE`].
    pub fn slot(&self, row: Row) -> u32 {
        let archetype = self.rows.archetypes.get(row.archetype as usize);
        archetype.and_then(|it| it.slots.get(row.row as usize)).copied().unwrap_or(NONE)
    }

    /// The slots of an archetype's rows, [`NONE`] for entities outside of the forest. Empty if all
    /// are outside.
    pub fn slots(&self, archetype: u32) -> &[u32] {
        self.rows.slots(archetype)
    }

    /// Sets the row of a node, which may be new, and frees its old one. If the new row has a node
    /// already, nothing changes, and the result is false.
    #[must_use]
    pub fn set_row(&mut self, slot: u32, row: Row) -> bool {
        if row == Row::NOWHERE || self.nodes[slot as usize].is_free() || !self.rows.enter(row, slot)
        {
            return false;
        }
        let old = std::mem::replace(&mut self.nodes[slot as usize].row, row);
        self.rows.take(old);
        true
    }

    /// Takes the row away from its node. Returns the node's slot, or [`NONE`].
    pub fn take_row(&mut self, row: Row) -> u32 {
        let slot = self.rows.take(row);
        if slot != NONE {
            self.nodes[slot as usize].row = Row::NOWHERE;
        }
        slot
    }
}

impl Forest {
    /// The entity of a row goes, and the one of row `last` takes its place. Returns the slot of its
    /// node, or [`NONE`].
    pub fn leave(&mut self, from: Row, last: u32) -> u32 {
        if self.rows.slots(from.archetype).is_empty() {
            return NONE;
        }
        let slot = self.take_row(from);
        let moved = self.slot(Row { row: last, ..from });
        if moved != NONE {
            let is_free = self.set_row(moved, from);
            debug_assert!(is_free, "the row was just left");
        }
        self.rows.archetype(from.archetype).slots.truncate(last as usize);
        slot
    }
}
