//! The work of a run, in counts.

use std::collections::HashMap;

use legion::{EntityStore, world::WorldId};

/// What one run of the bundle did in one world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunStats {
    /// Archetypes with transform components in which anything had happened. The others cost only a
    /// look at their versions.
    pub archetypes_touched: usize,
    /// Entities that got another parent or lost theirs.
    pub relinked: usize,
    /// Entities whose local matrix was computed and compared with the stored one.
    pub composed: usize,
    /// The number of these that were written: the ones that differ. In an archetype where nearly
    /// all changed the last time, all are written without a comparison.
    pub composed_changed: usize,
    /// Entities with a parent whose world matrix was computed and compared.
    pub propagated: usize,
    /// The number of these that differed and were written.
    pub propagated_changed: usize,
}

/// The counts of the last run in every world: a resource, put there by the bundle itself.
#[derive(Clone, Debug, Default)]
pub struct TransformStats {
    worlds: HashMap<WorldId, RunStats>,
}

impl TransformStats {
    /// The counts of the last run on `world` (a `World`, or the `SubWorld` of a system, which needs
    /// no access); all zero if there was none.
    #[must_use]
    pub fn of(&self, world: &impl EntityStore) -> RunStats {
        self.worlds.get(&world.id()).copied().unwrap_or_default()
    }

    pub(crate) fn set(&mut self, world: WorldId, stats: RunStats) {
        self.worlds.insert(world, stats);
    }

    pub(crate) fn forget(&mut self, world: WorldId) {
        self.worlds.remove(&world);
    }
}
