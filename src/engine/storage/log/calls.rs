//! The order of calls: new children stand in it, behind the old ones.
//!
//! ```text
//!  calls                              events                          number
//!  world.push_child(mars, ..)  moon   In moon                         1
//!  world.set_parent(ship, mars)       Out ship, In ship, Linked ship  4
//!  io.Parent = mars, in place                                         none: behind, by rows
//!  world.set_parent(rock, mars)       Linked rock                     5
//!
//!  Children of mars                   moon  ship  rock  io
//! ```
//!
//! Mostly all that came with a `Parent` came to the ends of archetypes, one after the other. Then
//! the rows tell the same, and nothing is kept.

use std::collections::HashMap;

use legion::{Entity, storage::Archetype, world::EntityHasher};

use super::events::{Burst, Cursor, EventKind, Events};
use crate::components::Parent;

/// When entities got their links, as far as calls or events tell: by the number of the event.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// Children that came with a `Parent`.
    came: HashMap<Entity, usize, EntityHasher>,
    /// Children to which edits gave a new parent. They may have been children of this one before.
    linked: HashMap<Entity, usize, EntityHasher>,
    /// Parents whose lists edits wrote.
    listed: HashMap<Entity, usize, EntityHasher>,
    /// Up to where events were read.
    at: Cursor,
}

impl Calls {
    /// Reads on, where no events have been lost since the last reading.
    pub(in crate::engine::storage) fn read(&mut self, events: &Events, archetypes: &[Archetype]) {
        self.read_on(events, |at| {
            let archetype = archetypes.get(at as usize);
            archetype.is_some_and(|it| it.layout().has_component::<Parent>())
        });
    }

    /// All events, where the rows do not tell the order.
    pub(in crate::engine::storage) fn of(
        events: &Events,
        has_parent: impl Fn(u32) -> bool,
    ) -> Self {
        let mut calls = Self::default();
        if !are_in_order(&events.bursts, &has_parent) {
            calls.read_on(events, has_parent);
        }
        calls
    }

    /// An entity that comes with a `Parent` is linked then, and stays so while it goes from one
    /// such archetype to another.
    fn read_on(&mut self, events: &Events, has_parent: impl Fn(u32) -> bool) {
        let mut before = self.at.entities;
        for (burst, entities, _) in events.behind(self.at) {
            let numbered = (before + 1..).zip(entities).map(|(number, &it)| (it, number));
            match burst.kind {
                EventKind::Inserted if has_parent(burst.archetype) => {
                    self.came.reserve(entities.len());
                    numbered.for_each(|(it, number)| _ = self.came.entry(it).or_insert(number));
                }
                EventKind::Inserted => {
                    for it in entities {
                        self.came.remove(it);
                        self.linked.remove(it);
                    }
                }
                EventKind::Linked => self.linked.extend(numbered),
                EventKind::Listed => self.listed.extend(numbered),
                EventKind::Created | EventKind::Removed | EventKind::Edited => {}
            }
            before += entities.len();
        }
        self.at = events.end();
    }

    pub fn is_empty(&self) -> bool {
        self.came.is_empty() && self.linked.is_empty()
    }

    /// The place of an entity among others; the last one, if nothing tells.
    pub fn place(&self, child: Entity) -> usize {
        let number = self.linked.get(&child).or_else(|| self.came.get(&child));
        number.copied().unwrap_or(usize::MAX)
    }

    /// Whether an entity is the last child of its parent, though it may have been one before: no
    /// edit has written the list since.
    pub fn is_last(&self, child: Entity, parent: Entity) -> bool {
        self.linked.get(&child).is_some_and(|number| Some(number) > self.listed.get(&parent))
    }

    /// All that may be the last ones.
    pub fn last(&self) -> impl Iterator<Item = Entity> + '_ {
        self.linked.keys().copied()
    }
}

/// Whether the rows tell the order: what came with a `Parent` went from one archetype to the next,
/// and stands there in the order in which it came.
fn are_in_order(bursts: &[Burst], has_parent: impl Fn(u32) -> bool) -> bool {
    let mut last: Option<u32> = None;
    bursts.iter().all(|&Burst { kind, archetype: at, .. }| match kind {
        EventKind::Inserted if has_parent(at) => last.replace(at) <= Some(at),
        EventKind::Removed => last < Some(at),
        EventKind::Linked | EventKind::Listed => false,
        _ => true,
    })
}
