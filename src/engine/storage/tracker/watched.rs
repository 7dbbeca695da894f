//! Components without a bit that the bundle reads or writes, users' own and `Frame`: in which
//! archetypes they were written. One that is perhaps written counts as written.
#![allow(unsafe_code)]

use std::any::type_name;

use legion::storage::{ArchetypeIndex, ComponentTypeId, Components, EntityLayout};

use super::ChangeTracker;
use crate::engine::storage::{
    closing::Origin,
    columns::{AnyStorage, Columns, Damage},
};

/// A user's own component.
pub(super) struct Watched {
    component: ComponentTypeId,
    name: &'static str,
    storage: fn(&Components) -> Option<&dyn AnyStorage>,
    /// The archetypes that have it, ascending, with its versions at the last look.
    versions: Vec<(u32, u64)>,
    /// The archetypes in which it may have been written, since they were last taken.
    pub written: Vec<u32>,
}

impl Watched {
    pub fn new<T: Send + Sync + 'static>() -> Self {
        Self {
            component: ComponentTypeId::of::<T>(),
            name: type_name::<T>(),
            storage: storage::<T>,
            versions: Vec::new(),
            written: Vec::new(),
        }
    }

    /// Takes note of a new archetype.
    pub fn meet(&mut self, archetype: u32, layout: &EntityLayout) {
        if layout.has_component_by_id(self.component) {
            self.versions.push((archetype, 0));
        }
    }

    /// Compares the versions with those of the last look. `origin` tells how a column of an
    /// archetype got another version. Returns a column that is not as long as its archetype, if
    /// there is one.
    pub fn look(
        &mut self,
        columns: &Columns<'_>,
        origin: impl Fn(u32, u64) -> Origin,
    ) -> Option<Damage> {
        let storage = (self.storage)(columns.world().components())?;
        let mut damage = None;
        for (archetype, seen) in &mut self.versions {
            let archetype = *archetype;
            let (now, rows) = storage.version_and_len(ArchetypeIndex(archetype));
            if std::mem::replace(seen, now) != now && origin(archetype, now) != Origin::Inserted {
                self.written.push(archetype);
            }
            if rows != columns.entities(archetype).len() {
                damage = Some(Damage::Column { archetype, component: self.name });
            }
        }
        damage
    }

    /// Bumps the version in an archetype that has it. That is not a write for the next look.
    pub fn bump(&mut self, columns: &mut Columns<'_>, archetype: u32) {
        let found = self.versions.binary_search_by_key(&archetype, |(archetype, _)| *archetype);
        let storage = (self.storage)(columns.world().components());
        let (Ok(found), Some(storage)) = (found, storage) else { return };
        // SAFETY: `columns` stands for the whole world, exclusively, and lends no slice of a column
        // of the user's own that is written: only pointers.
        unsafe { storage.bump(ArchetypeIndex(archetype)) };
        self.versions[found].1 = storage.version_and_len(ArchetypeIndex(archetype)).0;
    }
}

impl ChangeTracker {
    /// Before the first look: looks where a component without a bit is written, too.
    pub fn watching<T: Send + Sync + 'static>(mut self) -> Self {
        self.watched.push(Watched::new::<T>());
        self
    }

    fn watched<T: Send + Sync + 'static>(&mut self) -> Option<&mut Watched> {
        self.watched.iter_mut().find(|it| it.component == ComponentTypeId::of::<T>())
    }

    /// The archetypes in which a watched component may have been written since the last call, other
    /// than by an insertion; some perhaps twice.
    pub fn take_written<T: Send + Sync + 'static>(&mut self) -> Vec<u32> {
        self.watched::<T>().map_or_else(Vec::new, |it| std::mem::take(&mut it.written))
    }

    /// [`bump`](Self::bump) of a watched component.
    pub fn bump_watched<T: Send + Sync + 'static>(
        &mut self,
        columns: &mut Columns<'_>,
        archetype: u32,
    ) {
        self.watched::<T>().into_iter().for_each(|it| it.bump(columns, archetype));
        self.has_bumped = true;
    }
}

fn storage<T: Send + Sync + 'static>(components: &Components) -> Option<&dyn AnyStorage> {
    components.get_downcast::<T>().map(|storage| storage as &dyn AnyStorage)
}
