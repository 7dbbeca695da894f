//! Messages under the names that the other end knows: those of the network, or plain ones.
//!
//! ```text
//!  512 has NetworkEntity (7, 40), (7, 41) has NetworkParent (7, 40) and is 513 here
//!
//!  to a peer        a Transform of 512     => PUT_COMPONENT_NETWORK (7, 40)
//!  to a renderer    a Transform of (7, 41) => PUT_COMPONENT 513, with the parent 512
//! ```

use std::collections::BTreeSet;

use super::{
    cell::written,
    connection::{Connection, Names},
    dump::{Item, Part, Store},
    last_writer::{Write, is_outdone},
    replica::Replica,
};
use crate::wire::{
    EntityId, Key, Message, NETWORK_ENTITY, NETWORK_PARENT, SceneEntity, SceneTransform, TRANSFORM,
};

impl Replica {
    /// Writes items under the names that a connection wants.
    pub(super) fn write_renamed(
        &self,
        items: &[Item],
        connection: &Connection,
        send: &mut impl FnMut(&Message<'_>),
    ) {
        let names = connection.names();
        let mut keys: BTreeSet<Key> = BTreeSet::new();
        for item in items {
            match item.part {
                Part::Death => self.write_death(item.entity, names, send),
                Part::Component { id, store } => {
                    let key = item.entity.key(id);
                    // An older entry of the log says nothing of the value that is there now.
                    let is_current = match store {
                        Store::Transform(_) => true,
                        Store::Raw(epoch) => self.raw.epoch(key) == Some(epoch),
                    };
                    if is_current {
                        keys.insert(key);
                        self.add_renamed(key, names, &mut keys);
                    }
                }
            }
        }
        for &key in &keys {
            self.write_key(key, names, send);
        }
        // Appended values have plain names only.
        for group in items.chunk_by(|a, b| (a.entity, a.component()) == (b.entity, b.component())) {
            if let Part::Component { id, store: Store::Raw(_) } = group[0].part
                && self.name(group[0].entity, names) == Some(group[0].entity)
            {
                let is_new = |epoch| group.iter().any(|item| item.epoch() == Some(epoch));
                self.raw.write_appended(group[0].entity.key(id), is_new, &mut *send);
            }
        }
    }

    /// The components that have another name, or another parent, since this one changed.
    fn add_renamed(&self, key: Key, names: Names, keys: &mut BTreeSet<Key>) {
        let entity = key.scene_entity();
        if key.component == NETWORK_PARENT && names == Names::Plain {
            keys.extend(
                [Some(entity), self.networks.twin(entity)]
                    .into_iter()
                    .flatten()
                    .map(|entity| entity.key(TRANSFORM)),
            );
        }
        if key.component != NETWORK_ENTITY {
            return;
        }
        let named = self.networks.named(entity);
        for entity in [Some(entity), named].into_iter().flatten() {
            let components = self.all_of(entity).filter_map(|item| item.component());
            keys.extend(components.map(|(id, _)| entity.key(id)));
        }
        if let Some(named) = named.filter(|_| names == Names::Plain) {
            keys.extend(self.networks.tied(named).map(|child| child.key(TRANSFORM)));
        }
    }

    /// The name of an entity; `None` if the other end has none for it.
    pub(super) fn name(&self, entity: SceneEntity, names: Names) -> Option<SceneEntity> {
        match names {
            Names::AsTheyCame => Some(entity),
            Names::Networked if entity.network.is_some() => Some(entity),
            Names::Networked => Some(self.networks.twin(entity).unwrap_or(entity)),
            Names::Plain if entity.network.is_none() => Some(entity),
            Names::Plain => self.networks.local(entity),
        }
    }

    fn write_death(&self, dead: SceneEntity, names: Names, send: &mut impl FnMut(&Message<'_>)) {
        if let Some(SceneEntity { network, entity }) = self.name(dead, names) {
            send(&Message::DeleteEntity { network, entity });
        }
    }

    /// Writes a component under its name, unless that of the other entity that is one with it is
    /// the later.
    fn write_key(&self, key: Key, names: Names, send: &mut impl FnMut(&Message<'_>)) {
        let entity = key.scene_entity();
        let Some(name) = self.name(entity, names) else { return };
        let twin = self.networks.twin(entity);
        let theirs = twin.and_then(|twin| self.write_of(twin.key(key.component)));
        let ours = self.write_of(key);
        // Where both have the same, it goes once.
        let is_twice = entity.network.is_some() && ours == theirs;
        let later = ours.filter(|_| !is_outdone(ours, theirs) && !is_twice);
        let Some((timestamp, value)) = later else { return };
        let fixed;
        let value = match value {
            Some(value) if names == Names::Plain && key.component == TRANSFORM => {
                fixed = self.with_plain_parent(name, value);
                Some(&fixed[..])
            }
            value => value,
        };
        send(&written(name.key(key.component), timestamp, value));
    }

    /// The last write of a component, `Transform` or not.
    pub(super) fn write_of(&self, key: Key) -> Option<Write<'_>> {
        if key.component != TRANSFORM {
            return self.raw.last_write(key);
        }
        let slot = self.entities.slot(self.entities.find(key.scene_entity())?);
        slot.is_set().then(|| slot.write())
    }

    /// A `Transform` with the parent that is to be shown. One that has no plain name is the root.
    fn with_plain_parent(&self, name: SceneEntity, value: &[u8]) -> Vec<u8> {
        let mut value = value.to_vec();
        if let Some(parent) = self.network_parent(name) {
            let parent = self.networks.local(parent).map_or(EntityId::ROOT, |local| local.entity);
            value[SceneTransform::LEN - 4..].copy_from_slice(&parent.0.to_le_bytes());
        }
        value
    }
}
