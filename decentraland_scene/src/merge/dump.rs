//! The state as messages: all of it, or what another end does not know yet.

use super::{connection::Connection, log::Stamp, replica::Replica, role::Role, slot::SlotIndex};
use crate::wire::{Key, Message, SceneEntity, SceneTransform, TRANSFORM};

/// An item of a dump. Their order is the order of a dump: by entity, its death first, then by
/// component.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    entity: SceneEntity,
    part: Part,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Death,
    Component { id: u32, store: Store },
}

/// What goes to a connection.
#[derive(Default)]
struct Unread {
    items: Vec<Item>,
    /// Players that left and are back. They go with the next delta.
    back: Vec<SceneEntity>,
}

/// Where a component's state is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Store {
    Transform(SlotIndex),
    /// As raw bytes, written in this epoch; in a dump all of them.
    Raw(u32),
}

impl Replica {
    /// The whole state as messages: a put for every live component, a deletion for every tombstone,
    /// a deletion for every entity number that has a dead version, and the appended values. Equal
    /// states dump equal bytes, and a replica that reads them as from a [host](Role::Host) has this
    /// state.
    ///
    /// A dump may be larger than a [`Reader`](crate::wire::Reader)'s limit. Then pass it in pieces,
    /// or make it in [packets](Self::dump_packets).
    #[must_use]
    pub fn dump(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.usage().bytes);
        self.write_dump(|message| message.encode(&mut out));
        out
    }

    /// What the other end does not know yet, in the same form and order: writes of our own, and
    /// messages of others. The first delta of a connection is the whole state. It takes for granted
    /// that the deltas arrive; if one may be lost, [resync](Connection::resync) now and then.
    ///
    /// Left out are what the other end sent last itself, what its filter refuses, and, unless this
    /// replica is a [host](Role::Host), the `Transform`s of reserved entities: others ignore them
    /// unless a host sends them. A host's delta has the deletions of players first, and a scene
    /// gets back what it wrote for players: it may have lost that to a deletion. A player who left
    /// and came back since the last delta leaves in this one and is back in the next one: scenes of
    /// the SDK carry out the deletions of a batch at its end.
    #[must_use]
    pub fn delta(&mut self, connection: &mut Connection) -> Vec<u8> {
        let unread = self.unread(connection);
        // Most are `Transform`s of no network.
        let mut out = Vec::with_capacity(unread.items.len() * (24 + SceneTransform::LEN));
        self.write_items(unread, connection, |message| message.encode(&mut out));
        out
    }

    pub(super) fn write_dump(&self, mut send: impl FnMut(&Message<'_>)) {
        let transforms = (0..).zip(self.entities.slots()).filter(|(_, slot)| slot.is_set());
        let transforms = transforms.map(|(index, slot)| Item::transform(slot.scene(), index));
        let deaths = self.entities.deaths().map(Item::death);
        let raw = self.raw.keys().map(|key| Item::raw(key, 0));
        let mut items: Vec<Item> = deaths.chain(transforms).chain(raw).collect();
        sort(&mut items);
        for item in items {
            match item.part {
                Part::Component { id, store: Store::Raw(_) } => {
                    self.raw.write_to(item.entity.key(id), |_| true, &mut send)
                }
                _ => send(&self.message(item)),
            }
        }
    }

    pub(super) fn write_delta(
        &mut self,
        connection: &mut Connection,
        send: impl FnMut(&Message<'_>),
    ) {
        let unread = self.unread(connection);
        self.write_items(unread, connection, send);
    }

    fn write_items(
        &mut self,
        Unread { items, back }: Unread,
        connection: &mut Connection,
        mut send: impl FnMut(&Message<'_>),
    ) {
        let mut send = |message: &Message<'_>| {
            if connection.wants(message) {
                send(message);
            }
        };
        // Items of one component lie together, by epoch.
        for group in items.chunk_by(|a, b| (a.entity, a.component()) == (b.entity, b.component())) {
            let item = group[0];
            match item.part {
                Part::Component { id, store: Store::Raw(_) } => {
                    let place = |epoch| group.binary_search_by_key(&Some(epoch), Item::epoch);
                    let is_wanted = |epoch| place(epoch).is_ok();
                    self.raw.write_to(item.entity.key(id), is_wanted, &mut send);
                }
                _ => send(&self.message(item)),
            }
        }
        (connection.cursor, connection.back) = (self.now(), back);
    }

    /// The changes that a connection has neither read nor sent.
    ///
    /// The departure of a player is not the last word: a scene may write for the player later. So
    /// departures come first, and what a scene wrote for players goes back to it: a departure that
    /// was under way meanwhile has taken it there.
    fn unread(&self, connection: &Connection) -> Unread {
        let epoch = self.clock.unread(&connection.cursor);
        let others = |stamp: Stamp| stamp.source != connection.source;
        let rules = self.options.role == Role::Host;
        let is_ours = |scene: SceneEntity| self.options.role.places(scene);
        // A new connection never heard of players who have left.
        let left = if rules && !connection.is_new() {
            self.entities.new_departures(epoch, connection.source)
        } else {
            Vec::new()
        };
        let is_back = |scene: &SceneEntity| {
            self.entities.find(*scene).is_some() && left.binary_search(scene).is_ok()
        };
        let deaths = self.entities.new_deaths(epoch).filter(|&(_, stamp)| others(stamp));
        let transforms = self
            .entities
            .changes(epoch)
            .filter(|(slot, entry)| others(entry.stamp) && is_ours(slot.scene()));
        let raw = self.raw.changes(epoch).filter(|entry| {
            others(entry.stamp) || rules && entry.item.scene_entity().is_reserved()
        });
        let mut items: Vec<Item> = left.iter().copied().map(Item::death).collect();
        let sorted_from = items.len();
        items.extend(
            deaths
                .map(|(dead, _)| Item::death(dead))
                .chain(transforms.map(|(slot, entry)| Item::transform(slot.scene(), entry.item)))
                .chain(raw.map(|entry| Item::raw(entry.item, entry.stamp.epoch))),
        );
        if !left.is_empty() {
            items.retain(|item| item.part == Part::Death || !is_back(&item.entity));
        }
        for &player in connection.back.iter().filter(|player| left.binary_search(player).is_err()) {
            items.extend(self.all_of(player));
        }
        sort(&mut items[sorted_from..]);
        items.dedup();
        let back = left.iter().copied().filter(is_back).collect();
        Unread { items, back }
    }

    /// All components of an entity.
    fn all_of(&self, scene: SceneEntity) -> impl Iterator<Item = Item> {
        let slot = self.entities.find(scene).filter(|&slot| self.entities.slot(slot).is_set());
        let transform = slot.map(|slot| Item::transform(scene, slot));
        let raw = self.raw.epochs_of(scene).map(|(key, epoch)| Item::raw(key, epoch));
        transform.into_iter().chain(raw)
    }

    /// A death or a `Transform`.
    fn message(&self, item: Item) -> Message<'_> {
        let SceneEntity { network, entity } = item.entity;
        match item.part {
            Part::Component { store: Store::Transform(index), .. } => {
                self.entities.slot(index).message()
            }
            _ => Message::DeleteEntity { network, entity },
        }
    }
}

/// What several connections wrote comes as that many runs in order, which a stable sort merges.
fn sort(items: &mut [Item]) {
    items.sort();
}

impl Item {
    fn death(entity: SceneEntity) -> Self {
        Self { entity, part: Part::Death }
    }

    fn transform(entity: SceneEntity, slot: SlotIndex) -> Self {
        let store = Store::Transform(slot);
        Self { entity, part: Part::Component { id: TRANSFORM, store } }
    }

    fn raw(key: Key, epoch: u32) -> Self {
        let part = Part::Component { id: key.component, store: Store::Raw(epoch) };
        Self { entity: key.scene_entity(), part }
    }

    /// The component; `None` for a death.
    fn component(&self) -> Option<(u32, bool)> {
        match self.part {
            Part::Death => None,
            Part::Component { id, store } => Some((id, matches!(store, Store::Raw(_)))),
        }
    }

    /// The epoch of a raw component.
    fn epoch(&self) -> Option<u32> {
        match self.part {
            Part::Component { store: Store::Raw(epoch), .. } => Some(epoch),
            _ => None,
        }
    }
}
