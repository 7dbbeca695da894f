//! Users' components that the bundle reads or writes: in which archetypes they were written.
//!
//! The [tracker](super::tracker) asks at each look, by the same rule as for the crate's own: a
//! version that an insertion alone has moved is no write. Any other is one, also in doubt.
#![allow(unsafe_code)]

use legion::storage::{ArchetypeIndex, Components};

use super::{any_storage::AnyStorage, closing::Origin, columns::Columns};

/// A component of users' own, with its versions as last seen.
pub(super) struct Watched {
    storage: fn(&Components) -> Option<&dyn AnyStorage>,
    /// By archetype.
    versions: Vec<u64>,
    /// The archetypes in which it may have been written, since they were last taken.
    pub written: Vec<u32>,
}

impl Watched {
    pub fn new<T: Send + Sync + 'static>() -> Self {
        Self { storage: storage::<T>, versions: Vec::new(), written: Vec::new() }
    }

    /// Compares the versions in these archetypes, ascending, with those last seen. `origin` tells
    /// how a column of an archetype got another version.
    pub fn look(
        &mut self,
        components: &Components,
        archetypes: &[u32],
        origin: impl Fn(u32, u64) -> Origin,
    ) {
        let Some(storage) = (self.storage)(components) else { return };
        self.versions.resize(archetypes.last().map_or(0, |&last| last as usize + 1), 0);
        for &archetype in archetypes {
            let (now, _) = storage.look(ArchetypeIndex(archetype));
            let seen = &mut self.versions[archetype as usize];
            if std::mem::replace(seen, now) != now && origin(archetype, now) != Origin::Inserted {
                self.written.push(archetype);
            }
        }
    }

    /// Moves the version in an archetype. That is no write for the next look.
    pub fn bump(&mut self, columns: &mut Columns<'_>, archetype: u32) {
        let Some(storage) = (self.storage)(columns.world().components()) else { return };
        // SAFETY: `columns` stands for the whole world, exclusively, and lends no slice of a column
        // of users' own that is written: only pointers.
        unsafe { storage.bump(ArchetypeIndex(archetype)) };
        self.versions[archetype as usize] = storage.look(ArchetypeIndex(archetype)).0;
    }
}

fn storage<T: Send + Sync + 'static>(components: &Components) -> Option<&dyn AnyStorage> {
    components.get_downcast::<T>().map(|storage| storage as &dyn AnyStorage)
}
