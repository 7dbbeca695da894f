//! The links that no `Children` may have yet: for edits that need all children of an entity,
//! without reading each `Parent` of the world.
//!
//! A run leaves all links in `Children`, but for those on cycles. Then a link may be missing there
//! for two reasons, which an edit reads from the log and from versions, without a look:
//!
//! ```text
//!   the link is new         its entity came, or a `Parent` was written in its archetype
//!   the list is different   its entity came, or `Children` were written in its archetype:
//!                           then the forest says whose parent this was at the last pass
//! ```
//!
//! An edit looks at the rows of new links, and keeps them by parent for the next edit:
//!
//! ```text
//!  restart   the run has published all links             none is new, as of 480
//!  note      the counter is at 480                       nothing
//!  note      it is at 490: 3 came, and archetype 7 has   arrived: 3 entities
//!            version 485 of `Parent`                     written: 7
//!  take      an edit asks, and looks at these rows       new links, by parent
//!  keep      ... and has made one itself                 one more, as of 495
//! ```
//!
//! So 100 despawns in a row look at the archetypes once.

use std::collections::{HashMap, HashSet};

use legion::{Entity, World, storage::ArchetypeIndex, world::EntityHasher};
use smallvec::SmallVec;

use super::ChangeTracker;
use crate::{
    components::{Children, Parent, PreviousParent},
    engine::storage::{
        closing::{Closing, Origin},
        columns::{AnyStorage, Archetypes},
        log::{Calls, Cursor, EventKind, Log, PATIENCE},
        mask::{Mask, TransformComponent},
    },
};

/// Entities by the parent that they are linked to.
pub(crate) type ByParent = HashMap<Entity, SmallVec<[Entity; 4]>, EntityHasher>;

/// The links that no `Children` may have, as far as they are known, and up to where.
#[derive(Default)]
pub(crate) struct NewLinks {
    /// Children that were new when they were noted. Some may be gone or have another parent by now.
    pub by_parent: ByParent,
    /// The order of calls, as far as edits have read the log for it.
    pub calls: Calls,
    /// Entities that came to archetypes, not looked at yet.
    pub arrived: Vec<Entity>,
    /// Whether an edit has looked at those on cycles.
    pub knows_cycles: bool,
    /// Archetypes in which a `Parent`, or a record, may have been written.
    pub written: Vec<u32>,
    /// Entities whose `Children` may be others than the last pass has left.
    pub doubtful: HashSet<Entity, EntityHasher>,
    /// Archetypes in which any `Children` or `PreviousParent` may be, with that component.
    pub rewritten: SmallVec<[(u32, Mask); 4]>,
    /// Up to where edits have read the log.
    at: Cursor,
    /// Whether all are known, those of before, too.
    is_known: bool,
    /// How many edits there were.
    noted: usize,
    closing: Closing,
}

impl NewLinks {
    /// Whether a component of an archetype may differ from what the last pass has left.
    pub fn is_rewritten(&self, archetype: u32, component: Mask) -> bool {
        self.rewritten.contains(&(archetype, component))
    }

    /// Call when all links are in `Children`, but for those of entities on cycles: they have no
    /// effect until one of them is cut. The log begins anew.
    pub fn restart(&mut self, world: &mut World, tracker: &mut ChangeTracker) {
        *self = Self { at: tracker.trim(world), is_known: true, ..Self::default() };
    }

    /// An edit is over that has noted the links that it made: all are known. After more edits than
    /// there are entities nothing is kept, so that programs that never run the bundle again need no
    /// more memory.
    pub fn keep(&mut self, world: &mut World, tracker: &ChangeTracker) {
        (self.is_known, self.noted) = (true, self.noted + 1);
        tracker.log.lend(world, |log, _| {
            _ = self.read_on(log);
            if self.noted > log.limit {
                *self = Self::default();
            }
        });
    }

    /// Reads the order of calls on, if all links [are known](Self::are_known), or from the start.
    pub fn read_calls(&mut self, world: &mut World, tracker: &ChangeTracker) {
        let read = |log: &mut Log, world: &World| {
            let known = Some(&log.events).filter(|_| !log.is_lost);
            known.into_iter().for_each(|it| self.calls.read(it, Archetypes::of(world).list));
        };
        tracker.log.lend(world, read);
    }

    /// Notes which rows have to be looked at for new links. Returns whether all are known.
    pub fn are_known(&mut self, world: &mut World, tracker: &ChangeTracker) -> bool {
        tracker.log.lend(world, |log, world| {
            log.limit = world.len() + PATIENCE; // recorded again, if they were lost
            let (from, to) = (self.at, self.read_on(log));
            if self.is_known && (from.bursts, from.bumps) != (to.bursts, to.bumps) {
                self.take_written(log, world, from, tracker);
            }
        });
        self.is_known
    }

    /// Reads the log on: the entities that came. Returns its end.
    fn read_on(&mut self, log: &mut Log) -> Cursor {
        let to = log.end();
        let from = std::mem::replace(&mut self.at, to);
        self.is_known &= from.losses == to.losses;
        if !self.is_known {
            *self = Self { at: to, noted: self.noted, ..Self::default() };
            return to;
        }
        let events = log.events.behind(from);
        let inserted = events.filter(|(burst, ..)| burst.kind == EventKind::Inserted);
        self.arrived.extend(inserted.flat_map(|(_, entities, _)| entities.iter().copied()));
        to
    }

    /// Finds the archetypes in which relations may have been written since a place in the log.
    fn take_written(
        &mut self,
        log: &Log,
        world: &World,
        from: Cursor,
        ChangeTracker { sheets, relevant, .. }: &ChangeTracker,
    ) {
        let archetypes = Archetypes::of(world).list;
        let columns = |at: u32| archetypes[at as usize].layout().component_types().len() as u64;
        self.closing.forget(archetypes.len());
        let bursts = &log.events.bursts[from.bursts..];
        self.closing.close(bursts, from.bumps..self.at.bumps, columns);
        // Only insertions have bumped versions, as far as all bumps are explained.
        if self.closing.is_closed() {
            return;
        }
        let (storages, new) = (relations(world), sheets.len()..archetypes.len());
        let known = relevant.iter().map(|&index| (index, sheets[index as usize].mask));
        let new = new.map(|index| (index as u32, Mask::of(archetypes[index].layout())));
        for (archetype, mask) in known.chain(new).filter(|(_, mask)| mask.has_any(Mask::RELATIONS))
        {
            let is_written = |(component, storage): &(Mask, Option<&dyn AnyStorage>)| {
                let archetype_index = ArchetypeIndex(archetype);
                let version = storage.map_or(0, |it| it.version_and_len(archetype_index).0);
                mask.has(*component)
                    && version > from.value
                    && self.closing.origin(archetype, version) != Origin::Inserted
            };
            let written = storages.iter().filter(|it| is_written(it));
            let written = written.fold(Mask::NONE, |all, (component, _)| all | *component);
            // With another record, a child may wait for a parent that it was linked to.
            let links = Mask::PARENT | Mask::PREVIOUS_PARENT;
            if written.has_any(links) && !self.written.contains(&archetype) {
                self.written.push(archetype);
            }
            for component in [Mask::CHILDREN, Mask::PREVIOUS_PARENT] {
                if written.has(component) && !self.is_rewritten(archetype, component) {
                    self.rewritten.push((archetype, component));
                }
            }
        }
    }
}

/// The storages of relations.
fn relations(world: &World) -> [(Mask, Option<&dyn AnyStorage>); 3] {
    fn of<T: TransformComponent>(world: &World) -> (Mask, Option<&dyn AnyStorage>) {
        let storage = world.components().get_downcast::<T>();
        (T::MASK, storage.map(|storage| storage as &dyn AnyStorage))
    }
    [of::<Parent>(world), of::<Children>(world), of::<PreviousParent>(world)]
}
