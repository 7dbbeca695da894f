//! Components other than `Transform`, for followers and by name.

use super::{log::ChangeCursor, replica::Replica};
use crate::wire::{Key, Message, SceneEntity};

impl Replica {
    /// Calls `follow` with what changed since the cursor was last used: in components other than
    /// `Transform`, in appended values, and with the entities that died. For a renderer of
    /// `GltfContainer` and the like, beside [`for_each_change`](Self::for_each_change) for
    /// `Transform`s; it has a cursor of its own.
    ///
    /// It gets messages, deaths first:
    ///
    /// - [`DeleteEntity`](Message::DeleteEntity): all components of this entity are gone; of a
    ///   plain one from number 512 on those of lower versions, too. Some entities may be unknown to
    ///   you.
    /// - [`PutComponent`](Message::PutComponent) and
    ///   [`DeleteComponent`](Message::DeleteComponent): the last write of a component, once each.
    /// - [`AppendValue`](Message::AppendValue): a value that was appended. Older ones than those
    ///   kept ([`Limits::values_per_key`](super::Limits::values_per_key)) go without a word.
    ///
    /// Where the cursor [begins anew](Self::begins_anew), it gets all components that there are,
    /// and all others are gone. It costs in proportion to what changed. `NetworkEntity` and
    /// `NetworkParent` come, too; others only if they are
    /// [kept](super::ReplicaOptions::keep_other_components).
    ///
    /// ```
    /// use decentraland_scene::{merge::*, wire::*};
    ///
    /// const GLTF_CONTAINER: u32 = 1041;
    /// let mut options = ReplicaOptions::default();
    /// options.keep_other_components = true;
    /// let (mut replica, mut cursor) = (Replica::new(options), ChangeCursor::default());
    /// let door = SceneEntity::local(EntityId(512));
    /// replica.put(door.key(GLTF_CONTAINER), b"door.glb")?;
    ///
    /// let mut models = Vec::new();
    /// replica.for_each_component_change(&mut cursor, |message| {
    ///     if let Message::PutComponent { component: GLTF_CONTAINER, data, .. } = *message {
    ///         models.push((message.scene_entity(), data.to_vec()));
    ///     }
    /// });
    /// assert_eq!(models, [(door, b"door.glb".to_vec())]);
    /// replica.for_each_component_change(&mut cursor, |_| panic!("nothing has changed"));
    /// # Ok::<(), WriteError>(())
    /// ```
    pub fn for_each_component_change(
        &mut self,
        cursor: &mut ChangeCursor,
        follow: impl FnMut(&Message<'_>),
    ) {
        self.follow_components(cursor, |_| true, follow);
    }

    /// [`for_each_component_change`](Self::for_each_component_change) for one component, and for
    /// the entities that died.
    pub fn for_each_change_of(
        &mut self,
        component: u32,
        cursor: &mut ChangeCursor,
        follow: impl FnMut(&Message<'_>),
    ) {
        self.follow_components(cursor, |key| key.component == component, follow);
    }

    fn follow_components(
        &mut self,
        cursor: &mut ChangeCursor,
        is_wanted: impl Fn(Key) -> bool,
        mut follow: impl FnMut(&Message<'_>),
    ) {
        let first = self.clock.unread(cursor);
        if self.begins_anew(cursor) {
            for key in self.raw.keys().filter(|&key| is_wanted(key)) {
                self.raw.write_to(key, |_| true, |message, _| follow(message));
            }
        } else {
            let deaths = self.entities.new_deaths(first).map(|(dead, _)| dead);
            for dead in deaths.chain(self.entities.new_departures(first, None)) {
                let SceneEntity { network, entity } = dead;
                follow(&Message::DeleteEntity { network, entity });
            }
            let changes = self.raw.changes(first).map(|entry| (entry.item, entry.stamp.epoch));
            let mut changes: Vec<(Key, u32)> = changes.filter(|(key, _)| is_wanted(*key)).collect();
            changes.sort_unstable();
            for group in changes.chunk_by(|a, b| a.0 == b.0) {
                let is_new = |epoch| group.binary_search_by_key(&epoch, |change| change.1).is_ok();
                self.raw.write_to(group[0].0, is_new, |message, _| follow(message));
            }
        }
        *cursor = self.now();
    }

    /// The appended values of a component with their timestamps, the oldest first; at the same time
    /// in the order of their bytes.
    pub fn values(&self, key: Key) -> impl Iterator<Item = (u32, &[u8])> {
        self.raw.values(key)
    }

    /// The entities that have a component other than `Transform`, and its value, in the order of
    /// their ids. It looks at all components of all entities.
    pub fn components(&self, component: u32) -> impl Iterator<Item = (SceneEntity, &[u8])> {
        let keys = self.raw.keys().filter(move |key| key.component == component);
        keys.filter_map(|key| Some((key.scene_entity(), self.raw.value(key)?)))
    }
}
