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
//! a row look at the archetypes once. A look of the tracker has found out already what `note` asks.
//! A list of `Children` that a user may have written can lack a child. Then nothing is known until
//! an edit has searched the world, or the run has settled it.

use std::collections::HashMap;

use legion::{
    Entity, World,
    storage::{Archetype, ArchetypeIndex},
    world::EntityHasher,
};
use smallvec::SmallVec;

use super::{EventKind, Log, Window, shared::lend, window::KEPT};
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
    /// Versions of relations above this one have not been looked at. `None`: nothing is known.
    as_of: Option<u64>,
    /// How many bursts and entities of the window have been looked at.
    seen: (usize, usize),
    /// The same of the window that was handed out last.
    seen_before: (usize, usize),
    /// How many of the bumps in the gap of the next burst were before `as_of`.
    spent: u64,
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
        self.as_of = None;
    }

    /// The window is handed out.
    pub fn begin_window(&mut self) {
        self.seen_before = std::mem::take(&mut self.seen);
        self.spent = 0;
    }

    /// Takes the entities that came behind these bursts and entities of a window.
    fn take_arrived(&mut self, window: &Window, (bursts, entities): (usize, usize)) {
        let mut entities = &window.entities[entities..];
        for burst in window.bursts[bursts..].iter().filter(|burst| burst.kind != EventKind::Created)
        {
            let (these, rest) = entities.split_at(burst.len as usize);
            entities = rest;
            if burst.kind == EventKind::Inserted {
                self.new.arrived.extend(these.iter().copied());
            }
        }
    }

    /// A relation in an archetype may have been written. `false` if nothing is known any more.
    fn take_written(&mut self, archetype: u32, relations: Mask) -> bool {
        if relations.has_any(Mask::CHILDREN | Mask::PREVIOUS_PARENT) {
            self.forget();
        } else if relations.has(Mask::PARENT) {
            self.new.written.push(archetype);
        }
        self.as_of.is_some()
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
    /// All links are in `Children`, but for these entities: links on a cycle have no effect until
    /// one of them is cut.
    pub(super) fn settle(&mut self, cyclic: &[Entity]) {
        self.stamp();
        let NewLinks { by_parent, arrived, written } = &mut self.links.new;
        arrived.clear();
        arrived.shrink_to(KEPT);
        arrived.extend(cyclic.iter().copied());
        written.clear();
        if !by_parent.is_empty() {
            *by_parent = ByParent::default();
        }
        self.links.noted = 0;
    }

    /// All up to now is known, but for the entities that came.
    fn stamp(&mut self) {
        let (_, value) = self.peek();
        let (links, window) = (&mut self.links, &self.window);
        links.take_arrived(window, links.seen);
        links.seen = (window.bursts.len(), window.entities.len());
        links.spent = self.peeked;
        links.as_of = (!window.is_lost).then_some(value);
    }

    /// An edit is over. After more edits than there are entities nothing is kept, so that programs
    /// that never run the bundle again need no more memory.
    fn end_edit(&mut self) {
        self.links.noted += 1;
        if self.links.noted > self.limit {
            (self.links.new, self.links.noted) = (NewLinks::default(), 0);
            self.links.forget();
        } else {
            self.stamp();
        }
    }

    /// A look of the tracker has taken this window, and found these relations written.
    pub(super) fn note_look(
        &mut self,
        window: &Window,
        mut written: impl Iterator<Item = (u32, Mask)>,
    ) {
        let links = &mut self.links;
        if links.as_of.is_none() {
            return;
        }
        links.as_of = (!window.is_lost).then_some(self.last.value);
        links.take_arrived(window, links.seen_before);
        let _ = written.all(|(archetype, relations)| links.take_written(archetype, relations));
    }

    /// Notes which rows have to be looked at for new links.
    fn note(&mut self, world: &World) {
        let Some(as_of) = self.links.as_of else { return };
        let (gap, _) = self.peek();
        let (links, window) = (&mut self.links, &self.window);
        let bursts = &window.bursts[links.seen.0..];
        if gap == 0 && bursts.is_empty() {
            return;
        }
        let archetypes = Archetypes::of(world).list;
        links.meet_new_archetypes(archetypes);
        let columns = |at: u32| archetypes[at as usize].layout().component_types().len() as u64;
        links.closing.forget(archetypes.len());
        links.closing.close(bursts, links.spent, columns);
        let storages = relations(world);
        for number in 0..links.related.len() {
            let (archetype, mask) = links.related[number];
            let is_written = |(component, storage): &(Mask, Option<&dyn AnyStorage>)| {
                let version = storage.map_or(0, |storage| storage.version_and_len(archetype).0);
                mask.has(*component)
                    && version > as_of
                    && links.closing.origin(archetype.0, version) != Origin::Inserted
            };
            let written = storages.iter().filter(|it| is_written(it));
            let written = written.fold(Mask::NONE, |all, (component, _)| all | *component);
            if !links.take_written(archetype.0, written) {
                return;
            }
        }
        self.stamp();
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
        log.links.as_of.take().map(|_| std::mem::take(&mut log.links.new))
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
        log.links.as_of.is_some()
    });
    let made = edit(world)?;
    if is_known == Some(true) {
        lend(world, |log, _| {
            if log.links.as_of.is_none() {
                return;
            }
            log.links.new.by_parent.entry(parent).or_default().push(child);
            log.end_edit();
        });
    }
    Ok(made)
}
