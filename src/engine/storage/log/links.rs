//! The links made since the last run, which no `Children` has: for edits that need all children of
//! an entity, at once and not by reading each `Parent` of the world.
//!
//! ```text
//!  settle    the run has published all links             none is new, as of 480
//!  note      the counter is at 480                       nothing
//!  note      it is at 490: 3 came, and archetype 7 has   arrived: 3 entities
//!            version 485 of `Parent`                     written: 7
//!  take      an edit asks, and looks at these rows       new links, by parent
//!  keep      ... and has made one itself                 one more, as of 495
//! ```
//!
//! While nothing but such edits happens, each of them reads the counter and no row: 100 despawns in
//! a row look at the archetypes once. A list of `Children` that a user may have written can lack a child. Then nothing is known until
//! an edit has searched the world, or the run has settled it.

use std::collections::HashMap;

use legion::{
    Entity, World,
    storage::{Archetype, ArchetypeIndex},
    world::EntityHasher,
};
use smallvec::SmallVec;

use super::{EventKind, Log, Reader, events::KEPT, shared::lend};
use crate::{
    components::{Children, Parent, PreviousParent},
    engine::storage::{
        any_storage::AnyStorage,
        closing::{Closing, Origin},
        columns::Archetypes,
        mask::{Mask, TransformComponent},
    },
};

/// Entities by the parent that they are linked to.
pub(crate) type ByParent = HashMap<Entity, SmallVec<[Entity; 4]>, EntityHasher>;

/// The links made since the last run, as far as they are known.
#[derive(Default)]
pub(crate) struct NewLinks {
    /// Children that were new when they were noted. Some may be gone or have another parent by now.
    pub by_parent: ByParent,
    /// Entities that came to archetypes, and those on cycles, not looked at yet.
    pub arrived: Vec<Entity>,
    /// Archetypes in which a `Parent` may have been written. One may be among them twice.
    pub written: Vec<u32>,
}

/// The new links of a world, and up to where they are known.
#[derive(Default)]
pub(super) struct KnownLinks {
    /// Of use only if something is known.
    new: NewLinks,
    /// Up to where edits have read the log.
    at: Reader,
    /// Whether the links of before are known.
    is_known: bool,
    /// How many edits there were.
    noted: usize,
    closing: Closing,
    /// The archetypes that have relations, and how many were looked at for that.
    related: Vec<(ArchetypeIndex, Mask)>,
    archetypes: usize,
}

impl KnownLinks {
    /// Nothing is known any more.
    pub fn forget(&mut self) {
        self.is_known = false;
    }

    /// All links before this place are in `Children`, but for these entities: links on a cycle have
    /// no effect until one of them is cut.
    pub fn settle(&mut self, at: Reader, cyclic: &[Entity]) {
        let NewLinks { by_parent, arrived, written } = &mut self.new;
        arrived.clear();
        arrived.shrink_to(KEPT);
        arrived.extend(cyclic.iter().copied());
        written.clear();
        if !by_parent.is_empty() {
            *by_parent = ByParent::default();
        }
        (self.at, self.is_known, self.noted) = (at, true, 0);
    }

    /// A relation in an archetype may have been written. `false` if nothing is known any more.
    fn take_written(&mut self, archetype: u32, relations: Mask) -> bool {
        if relations.has_any(Mask::CHILDREN | Mask::PREVIOUS_PARENT) {
            self.forget();
        } else if relations.has(Mask::PARENT) {
            self.new.written.push(archetype);
        }
        self.is_known
    }

    /// Takes the archetypes in that were made since the last call.
    fn meet_new_archetypes(&mut self, all: &[Archetype]) {
        for archetype in &all[self.archetypes.min(all.len())..] {
            let mask = Mask::of(archetype.layout());
            if mask.has_any(Mask::RELATIONS) {
                self.related.push((archetype.index(), mask));
            }
        }
        self.archetypes = all.len();
    }
}

impl Log {
    /// Notes what happened since edits have read the log: which rows have to be looked at for new
    /// links.
    fn note(&mut self, world: &World) {
        let (from, to) = (self.links.at, self.read_on());
        if !self.links.is_known || (from.bursts, from.bumps) == (to.bursts, to.bumps) {
            return;
        }
        let links = &mut self.links;
        let archetypes = Archetypes::of(world).list;
        links.meet_new_archetypes(archetypes);
        let columns = |at: u32| archetypes[at as usize].layout().component_types().len() as u64;
        links.closing.forget(archetypes.len());
        let bursts = &self.events.bursts[from.bursts..];
        links.closing.close(bursts, from.bumps..to.bumps, columns);
        // Only insertions have bumped versions, as far as all bumps are explained.
        if links.closing.is_closed() {
            return;
        }
        let storages = relations(world);
        for number in 0..links.related.len() {
            let (archetype, mask) = links.related[number];
            let is_written = |(component, storage): &(Mask, Option<&dyn AnyStorage>)| {
                let version = storage.map_or(0, |storage| storage.version_and_len(archetype).0);
                mask.has(*component)
                    && version > from.value
                    && links.closing.origin(archetype.0, version) != Origin::Inserted
            };
            let written = storages.iter().filter(|it| is_written(it));
            let written = written.fold(Mask::NONE, |all, (component, _)| all | *component);
            if !links.take_written(archetype.0, written) {
                return;
            }
        }
    }

    /// Reads the log on, for edits: the entities that came. Returns its end.
    fn read_on(&mut self) -> Reader {
        let to = self.end();
        let from = std::mem::replace(&mut self.links.at, to);
        if self.is_lost || from.losses != self.losses {
            self.links.forget();
        } else if self.links.is_known {
            let events = self.events.behind(from);
            let inserted = events.filter(|(burst, _)| burst.kind == EventKind::Inserted);
            let entities = inserted.flat_map(|(_, entities)| entities.iter().copied());
            self.links.new.arrived.extend(entities);
        }
        to
    }

    /// An edit is over, and has noted the links that it made. After more edits than there are
    /// entities nothing is kept, so that programs that never run the bundle again need no more
    /// memory.
    fn end_edit(&mut self) {
        (self.links.is_known, self.links.noted) = (true, self.links.noted + 1);
        self.read_on();
        if self.links.noted > self.limit {
            self.links = KnownLinks::default();
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

/// Takes the new links of a world out, for an edit. `None` if all of it has to be searched.
pub(crate) fn take_links(world: &mut World) -> Option<NewLinks> {
    lend(world, |log, world| {
        log.note(world);
        // Unknown meanwhile, so also if a panic ends the edit.
        let is_known = std::mem::take(&mut log.links.is_known);
        let new = std::mem::take(&mut log.links.new);
        is_known.then_some(new)
    })?
}

/// The edit is over: these are the new links.
pub(crate) fn keep_links(world: &mut World, by_parent: ByParent) {
    lend(world, |log, _| {
        log.links.new = NewLinks { by_parent, ..NewLinks::default() };
        log.end_edit();
    });
}

/// Runs an edit that makes a link, and adds the link to the new ones if they are known.
pub(crate) fn note_link<R, E>(
    world: &mut World,
    child: Entity,
    parent: Entity,
    edit: impl FnOnce(&mut World) -> Result<R, E>,
) -> Result<R, E> {
    let is_known = lend(world, |log, world| {
        log.note(world);
        log.links.is_known
    });
    let made = edit(world)?;
    if is_known == Some(true) {
        lend(world, |log, _| {
            if log.links.is_known {
                log.links.new.by_parent.entry(parent).or_default().push(child);
                log.end_edit();
            }
        });
    }
    Ok(made)
}
