//! Where a run's time went, in counts.

use std::collections::HashMap;

use legion::{World, world::WorldId};

/// What one run of the bundle did in one world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunStats {
    /// Archetypes with transform components in which anything had happened; the rest cost a look at
    /// their versions.
    pub archetypes_touched: usize,
    /// Entities that were linked to another parent, or cut off one.
    pub relinked: usize,
    /// Entities whose local matrix was computed and compared with what was stored.
    pub composed: usize,
    /// Of these, how many were written: those that came out different, or all where nearly
    /// everything changed the last time too, so that they were not compared.
    pub composed_changed: usize,
    /// Entities below others whose world matrix was computed from the parent's and compared.
    pub propagated: usize,
    /// Of these, how many came out different and were written.
    pub propagated_changed: usize,
}

/// The counts of the last run in every world: a resource, put there by the bundle itself.
#[derive(Clone, Debug, Default)]
pub struct TransformStats {
    worlds: HashMap<WorldId, RunStats>,
}

impl TransformStats {
    /// What the last run did in `world`; all zero if there was none.
    #[must_use]
    pub fn of(&self, world: &World) -> RunStats {
        self.worlds.get(&world.id()).copied().unwrap_or_default()
    }

    pub(crate) fn set(&mut self, world: WorldId, stats: RunStats) {
        self.worlds.insert(world, stats);
    }

    pub(crate) fn forget(&mut self, world: WorldId) {
        self.worlds.remove(&world);
    }
}
