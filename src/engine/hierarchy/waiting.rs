//! Children that wait for their parents.
//!
//! An entity with all that a child needs waits while its `Parent` names an entity that does not
//! exist yet, or has no `LocalToWorld` yet. The record tells a dead parent apart: it names only
//! parents that the bundle has linked:
//!
//! ```text
//!  Parent    PreviousParent   there is a ship   the entity
//!  ship      Some(ship)       no                loses its `Parent`: the ship has died
//!  ship      None             no                waits
//!  ship      None             yes               is linked
//! ```
//!
//! Where 1,000 entities come, 1,000 are looked up here, however many wait.

use std::{
    collections::{BTreeMap, HashMap},
    sync::OnceLock,
};

use legion::{Entity, world::EntityHasher};

use super::{Hierarchy, change::Read};
use crate::{engine::storage::captured, findings::Entities};

/// The children that wait, each with its parent.
#[derive(Default)]
pub(crate) struct Waiting {
    parents: HashMap<Entity, Entity, EntityHasher>,
    /// Child and parent, by the ids of parent and child.
    pairs: BTreeMap<(u64, u64), (Entity, Entity)>,
    /// All of them as findings, if nothing has changed since they were listed.
    listed: OnceLock<Entities>,
}

impl Waiting {
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The parent that a child waits for.
    pub fn parent(&self, child: Entity) -> Option<Entity> {
        self.parents.get(&child).copied()
    }

    /// The children that wait for an entity, in the order of their ids.
    pub fn children(&self, parent: Entity) -> impl Iterator<Item = Entity> + '_ {
        let parent = captured(&parent);
        self.pairs.range((parent, 0)..=(parent, u64::MAX)).map(|(_, pair)| pair.0)
    }

    /// An entity waits for this parent, or for none. Returns the parent that it waited for.
    pub fn set(&mut self, child: Entity, parent: Option<Entity>) -> Option<Entity> {
        let old = if self.is_empty() { None } else { self.parent(child) };
        if old != parent {
            let key = |parent: &Entity| (captured(parent), captured(&child));
            old.inspect(|old| _ = self.pairs.remove(&key(old)));
            match parent {
                Some(parent) => {
                    self.parents.insert(child, parent);
                    self.pairs.insert(key(&parent), (child, parent));
                }
                None => _ = self.parents.remove(&child),
            }
            self.listed.take();
        }
        old
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = Entity> + '_ {
        self.pairs.values().map(|pair| pair.0)
    }

    /// All of them, with their parents.
    pub fn listed(&self) -> Entities {
        let all = || self.pairs.values().map(|&(child, parent)| (child, Some(parent)));
        self.listed.get_or_init(|| all().collect()).clone()
    }
}

impl Hierarchy {
    /// The children that wait for entities that came, or that have `LocalToWorld` since.
    pub(super) fn awaited(&self, Read { columns, tracker }: Read<'_, '_>) -> Vec<Entity> {
        if self.waiting.is_empty() {
            return Vec::new();
        }
        let can_be_parent = |at: &u32| tracker[*at].meaning.can_be_parent();
        let came = tracker.touched().filter(can_be_parent).flat_map(|at| {
            let entities = columns.entities(at);
            tracker[at].recent_arrivals(entities.len()).map(|row| entities[row as usize])
        });
        let came = came.chain(self.came_bare.iter().copied());
        came.flat_map(|parent| self.waiting.children(parent)).collect()
    }

    /// Entities came with none of the crate's components.
    pub fn come_bare(&mut self, entities: &[Entity]) {
        if self.options.inserts_missing && !self.waiting.is_empty() {
            self.came_bare.extend_from_slice(entities);
        }
    }
}
