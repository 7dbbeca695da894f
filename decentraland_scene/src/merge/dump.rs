//! The state as messages: all of it, and the parts of which it is made.

use super::{
    connection::Connection,
    log::{Source, Stamp},
    replica::Replica,
    role::Role,
    slot::SlotIndex,
};
use crate::wire::{Key, Message, SceneEntity, TRANSFORM};

/// An item of a dump. Their order is the order of a dump: by entity, its death first, then by
/// component.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Item {
    pub entity: SceneEntity,
    pub part: Part,
    /// Where it came from last.
    pub source: Source,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Death,
    Component { id: u32, store: Store },
}

/// Where a component's state is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Store {
    Transform(SlotIndex),
    /// As raw bytes, written in this epoch; in a dump all of them.
    Raw(u32),
}

/// What goes to a connection.
#[derive(Default)]
pub(super) struct Unread {
    pub items: Vec<Item>,
    /// Players that left and are back. They go with the next delta.
    pub back: Vec<SceneEntity>,
}

impl Replica {
    /// The whole state as messages: a put for every live component, a deletion for every tombstone,
    /// a deletion for every entity number that has a dead version, and the appended values. A host
    /// has deletions of the players that left among them, the last one of each number. Equal states
    /// dump equal bytes, and a replica with this role that reads them as from a [host](Role::Host)
    /// has this state.
    ///
    /// A dump may be larger than a [`Reader`](crate::wire::Reader)'s limit. Then pass it in pieces,
    /// or make it in [packets](Self::dump_packets).
    #[must_use]
    pub fn dump(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.usage().bytes);
        self.write_dump(|message| message.encode(&mut out));
        out
    }

    pub(super) fn write_dump(&self, mut send: impl FnMut(&Message<'_>)) {
        let none = Stamp { epoch: 0, source: 0 };
        let transforms = (0..).zip(self.entities.slots()).filter(|(_, slot)| slot.is_set());
        let transforms = transforms.map(|(index, slot)| Item::transform(slot.scene(), index, 0));
        let deaths = self.entities.deaths(self.options.role).map(|dead| Item::death(dead, 0));
        let raw = self.raw.keys().map(|key| Item::raw(key, none));
        let mut items: Vec<Item> = deaths.chain(transforms).chain(raw).collect();
        sort(&mut items);
        for item in items {
            match item.part {
                Part::Component { id, store: Store::Raw(_) } => {
                    let key = item.entity.key(id);
                    self.raw.write_to(key, |_| true, |message, _| send(message));
                }
                _ => send(&self.message(item)),
            }
        }
    }

    /// The changes that a connection has not read. The ones from `leaves_out` are left out.
    ///
    /// The departure of a player is not the last word: a scene may write for the player later. So
    /// departures come first, and what a scene wrote for players goes back to it: a departure that
    /// was under way meanwhile has taken it there.
    pub(super) fn unread(&self, connection: &Connection, leaves_out: Option<Source>) -> Unread {
        let epoch = self.clock.unread(&connection.cursor);
        let others = |stamp: Stamp| Some(stamp.source) != leaves_out;
        let is_ours = |scene: SceneEntity| self.options.role.places(scene);
        let left = self.departures_for(connection, leaves_out);
        let is_back = |scene: &SceneEntity| {
            self.entities.find(*scene).is_some() && left.binary_search(scene).is_ok()
        };
        let deaths = self.entities.new_deaths(epoch).filter(|&(_, stamp)| others(stamp));
        let transforms = self
            .entities
            .changes(epoch)
            .filter(|(slot, entry)| others(entry.stamp) && is_ours(slot.scene()))
            .map(|(slot, entry)| Item::transform(slot.scene(), entry.item, entry.stamp.source));
        let raw = self
            .raw
            .changes(epoch)
            .filter(|entry| others(entry.stamp) || self.returns(entry.item.scene_entity()))
            .filter(|entry| self.may_write(self.options.role, entry.item));
        let mut items: Vec<Item> = left.iter().map(|&player| Item::death(player, 0)).collect();
        let sorted_from = items.len();
        items.extend(
            deaths
                .map(|(dead, stamp)| Item::death(dead, stamp.source))
                .chain(transforms)
                .chain(raw.map(|entry| Item::raw(entry.item, entry.stamp))),
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

    /// The players of whose departure a connection has to hear. A new one never heard of them.
    pub(super) fn departures_for(
        &self,
        connection: &Connection,
        leaves_out: Option<Source>,
    ) -> Vec<SceneEntity> {
        if self.options.role != Role::Host || connection.is_new() {
            return Vec::new();
        }
        self.entities.new_departures(self.clock.unread(&connection.cursor), leaves_out)
    }

    /// Whether a connection may have to hear of departures.
    pub(super) fn has_departures_for(&self, connection: &Connection) -> bool {
        let since = self.clock.unread(&connection.cursor);
        let is_told = self.options.role == Role::Host && !connection.is_new();
        is_told && self.entities.departures.may_be_new_since(since)
    }

    /// Whether what a scene wrote for an entity goes back to it.
    pub(super) fn returns(&self, scene: SceneEntity) -> bool {
        self.options.role == Role::Host && scene.is_reserved()
    }

    /// All components of an entity.
    pub(super) fn all_of(&self, scene: SceneEntity) -> impl Iterator<Item = Item> {
        let slot = self.entities.find(scene).filter(|&slot| self.entities.slot(slot).is_set());
        let transform = slot.map(|slot| Item::transform(scene, slot, 0));
        let raw = self.raw.epochs_of(scene);
        let raw = raw.map(|(key, epoch)| Item::raw(key, Stamp { epoch, source: 0 }));
        transform.into_iter().chain(raw)
    }

    /// A death or a `Transform`.
    pub(super) fn message(&self, item: Item) -> Message<'_> {
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
    fn death(entity: SceneEntity, source: Source) -> Self {
        Self { entity, part: Part::Death, source }
    }

    fn transform(entity: SceneEntity, slot: SlotIndex, source: Source) -> Self {
        let store = Store::Transform(slot);
        Self { entity, part: Part::Component { id: TRANSFORM, store }, source }
    }

    fn raw(key: Key, Stamp { epoch, source }: Stamp) -> Self {
        let part = Part::Component { id: key.component, store: Store::Raw(epoch) };
        Self { entity: key.scene_entity(), part, source }
    }

    /// The component; `None` for a death.
    pub fn component(&self) -> Option<(u32, bool)> {
        match self.part {
            Part::Death => None,
            Part::Component { id, store } => Some((id, matches!(store, Store::Raw(_)))),
        }
    }

    /// The epoch of a raw component.
    pub fn epoch(&self) -> Option<u32> {
        match self.part {
            Part::Component { store: Store::Raw(epoch), .. } => Some(epoch),
            _ => None,
        }
    }
}
