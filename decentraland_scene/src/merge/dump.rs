//! The state as messages: all of it, or the changes.

use super::{replica::Replica, slot::SlotIndex};
use crate::wire::{Key, Message, SceneEntity, TRANSFORM};

/// An item of a dump. Their order is the order of a dump: by entity, its death first, then by
/// component, its value before the values appended to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    entity: SceneEntity,
    source: Source,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Death,
    Component { id: u32, store: Store },
}

/// Where a component's state is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Store {
    Transform(SlotIndex),
    Raw,
}

impl Replica {
    /// The whole state as messages: a put for every live component, a deletion for every tombstone,
    /// a deletion for every entity number that has a dead version, and the appended values. Equal
    /// states dump equal bytes, and a replica that reads them has this state.
    ///
    /// A dump may be larger than a [`Reader`](crate::wire::Reader)'s limit. Then pass
    /// it in pieces, or make it in [packets](Self::dump_packets).
    #[must_use]
    pub fn dump(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.usage().bytes);
        self.write_dump(|message| message.encode(&mut out));
        out
    }

    /// The changes since the last delta, in the same form and order: local writes and merged
    /// messages. To send only local writes, send the messages that they return.
    #[must_use]
    pub fn delta(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_delta(|message| {
            message.encode(&mut out);
            true
        });
        out
    }

    pub(super) fn write_dump(&self, mut send: impl FnMut(&Message<'_>)) {
        let transforms = (0..).zip(self.entities.slots()).filter(|(_, slot)| slot.is_set());
        let transforms = transforms.map(|(index, slot)| Item::transform(slot.scene, index));
        let deaths = self.entities.deaths().map(Item::death);
        for item in sorted(deaths.chain(transforms).chain(self.raw.keys().map(Item::raw))) {
            match item.source {
                Source::Component { id, store: Store::Raw } => {
                    self.raw.dump(item.entity.key(id), &mut send)
                }
                _ => send(&self.message(item)),
            }
        }
    }

    /// Components that `send` refuses count as unsent. It must not refuse `Transform`s and deaths.
    pub(super) fn write_delta(&mut self, mut send: impl FnMut(&Message<'_>) -> bool) {
        let deaths = self.entities.take_unsent_deaths().into_iter().map(Item::death);
        let transforms = self.entities.take_unsent();
        let transforms = transforms
            .into_iter()
            .map(|index| Item::transform(self.entities.slot(index).scene, index));
        for item in sorted(
            deaths.chain(transforms).chain(self.raw.take_unsent().into_iter().map(Item::raw)),
        ) {
            match item.source {
                Source::Component { id, store: Store::Raw } => {
                    self.raw.send(item.entity.key(id), &mut send)
                }
                _ => _ = send(&self.message(item)),
            }
        }
    }

    /// A death or a `Transform`.
    fn message(&self, item: Item) -> Message<'_> {
        match item.source {
            Source::Component { store: Store::Transform(index), .. } => {
                self.entities.slot(index).message()
            }
            _ => Message::DeleteEntity {
                network: item.entity.network_id(),
                entity: item.entity.entity,
            },
        }
    }
}

fn sorted(items: impl Iterator<Item = Item>) -> Vec<Item> {
    let mut items: Vec<Item> = items.collect();
    items.sort_unstable();
    items
}

impl Item {
    fn death(entity: SceneEntity) -> Self {
        Self { entity, source: Source::Death }
    }

    fn transform(entity: SceneEntity, slot: SlotIndex) -> Self {
        Self { entity, source: Source::Component { id: TRANSFORM, store: Store::Transform(slot) } }
    }

    fn raw(key: Key) -> Self {
        Self {
            entity: key.scene_entity(),
            source: Source::Component { id: key.component, store: Store::Raw },
        }
    }
}
