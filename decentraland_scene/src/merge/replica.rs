//! A replica: its state, and questions about it.

use super::{
    authoritative::Authoritative,
    encoded::Encoded,
    entities::Entities,
    limits::{Budget, Limits, Usage},
    log::{ChangeCursor, Clock},
    looks::Looks,
    networks::Networks,
    numbers::{NumberRange, Reusable},
    raw::RawStore,
    role::Role,
    slot::{State, TransformState},
};
use crate::wire::{Key, SceneEntity, SceneTransform};

/// Options: what a [`Replica`] keeps, and how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplicaOptions {
    /// The part that this program has in the scene: what it may write itself.
    pub role: Role,
    /// Keep components other than `Transform`, and appended values, as raw bytes: they are merged,
    /// dumped and sent on. Otherwise they are counted and dropped, except `NetworkEntity` and
    /// `NetworkParent`.
    pub keep_other_components: bool,
    /// How much is kept.
    pub limits: Limits,
    /// Where [new entities](Replica::new_entity) get their numbers from.
    pub numbers: NumberRange,
    /// The components of other players (3 to 511) that only a host writes: what a scene or a peer
    /// writes there has no effect, whatever its timestamp. By default
    /// [`HOST_COMPONENTS`](Self::HOST_COMPONENTS). The `Transform` is always among them.
    pub host_components: &'static [u32],
}

impl ReplicaOptions {
    /// What a renderer says of a player: `AvatarBase`, `AvatarEmoteCommand`, `PlayerIdentityData`
    /// and `AvatarEquippedData`.
    pub const HOST_COMPONENTS: &'static [u32] = &[1087, 1088, 1089, 1091];
}

impl Default for ReplicaOptions {
    fn default() -> Self {
        Self {
            role: Role::default(),
            keep_other_components: false,
            limits: Limits::default(),
            numbers: NumberRange::default(),
            host_components: Self::HOST_COMPONENTS,
        }
    }
}

/// One replica of a scene's state.
///
/// A `Transform` and a tombstone cost about 120 bytes each. A merge is two memory accesses, in
/// scenes of every size. A clone is a replica of its own.
#[derive(Clone, Debug)]
pub struct Replica {
    pub(super) options: ReplicaOptions,
    pub(super) entities: Entities,
    pub(super) raw: RawStore,
    pub(super) networks: Networks,
    pub(super) looks: Looks,
    pub(super) clock: Clock,
    pub(super) budget: Budget,
    pub(super) encoded: Encoded,
    pub(super) authoritative: Authoritative,
    /// The last round of corrections; see [`corrections`](super::corrections).
    pub(super) round: u64,
}

impl Default for Replica {
    /// An empty one, with the default options.
    fn default() -> Self {
        Self::new(ReplicaOptions::default())
    }
}

impl Replica {
    /// An empty one.
    #[must_use]
    pub fn new(options: ReplicaOptions) -> Self {
        Self {
            options,
            entities: Entities::new(Reusable::new(options.numbers, options.role)),
            raw: RawStore::default(),
            networks: Networks::default(),
            looks: Looks::default(),
            clock: Clock::default(),
            budget: Budget::new(options.limits),
            encoded: Encoded::default(),
            authoritative: Authoritative::default(),
            round: 0,
        }
    }

    /// The part that this program has in the scene.
    #[must_use]
    pub fn role(&self) -> Role {
        self.options.role
    }

    /// How much is kept.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.budget.usage
    }

    /// The merged state of an entity's `Transform`. See [`effective`](Self::effective) for the one
    /// that is to be shown.
    #[must_use]
    pub fn transform(&self, entity: SceneEntity) -> TransformState<'_> {
        match self.entities.find(entity) {
            Some(slot) => self.entities.slot(slot).transform(),
            None if self.entities.is_dead(entity) => TransformState::Dead,
            None => TransformState::Unknown,
        }
    }

    /// The raw value of another component, if it is live and other components are kept.
    #[must_use]
    pub fn component(&self, key: Key) -> Option<&[u8]> {
        self.raw.value(key)
    }

    /// The entities that have a `Transform` and its value as it came, in no particular order.
    pub fn transforms(&self) -> impl Iterator<Item = (SceneEntity, &[u8; SceneTransform::LEN])> {
        self.entities
            .slots()
            .iter()
            .filter(|slot| slot.state == State::Live)
            .map(|slot| (slot.scene(), &slot.bytes))
    }

    /// The cursor of a reader that has read everything.
    pub(super) fn now(&mut self) -> ChangeCursor {
        self.renew_clock();
        self.clock.read_all()
    }

    /// Begins anew if epochs are used up, as another replica to all readers. Call it before epochs
    /// end: a server with 100 clients and 60 batches a second from each has used them up in 8 days.
    pub(super) fn renew_clock(&mut self) {
        if self.clock.is_exhausted() {
            self.clock = Clock::default();
            self.looks = Looks::default();
            self.entities.log_all(&mut self.clock);
            self.raw.log_all(&mut self.clock);
            self.authoritative.begin_anew(&self.clock);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        merge::{Connection, MergeReport, Role},
        wire::{EntityId, Message, TRANSFORM},
    };

    #[test]
    fn epochs_that_are_used_up_begin_anew() {
        let (mut replica, mut cursor) = (Replica::default(), ChangeCursor::default());
        let mut end = Connection::new(Role::Peer);
        replica.clock.skip_to(u32::MAX - 6);
        for id in 512..530 {
            let entity = SceneEntity::local(EntityId(id));
            replica.put_transform(entity, &SceneTransform::IDENTITY).unwrap();
            let begins_anew = replica.begins_anew(&cursor);
            let mut seen = 0;
            replica.for_each_change(&mut cursor, |_, _| seen += 1);
            let all = id as usize - 511;
            assert_eq!(seen, if begins_anew { all } else { 1 });
            // Of what it knows, the other end gets nothing or all.
            let delta = replica.delta(&mut end).len();
            assert!(delta == 68 || delta == 68 * all, "{delta}");
        }
        assert!(replica.clock.epoch() < 100);
        assert_eq!(replica.delta(&mut Connection::new(Role::Peer)), replica.dump());
    }

    #[test]
    fn epochs_are_used_up_by_what_is_received() {
        let mut replica = Replica::default();
        let mut ends = [(); 3].map(|()| Connection::new(Role::Peer));
        let mut reader = Connection::new(Role::Peer);
        replica.clock.skip_to(u32::MAX - 6);
        for id in 512..530 {
            let mut bytes = Vec::new();
            let (component, data) = (TRANSFORM, &SceneTransform::IDENTITY.to_bytes());
            let entity = EntityId(id);
            Message::PutComponent { network: None, entity, component, timestamp: 1, data }
                .encode(&mut bytes);
            let end = &mut ends[id as usize % 3];
            replica.receive(end, &bytes, &mut MergeReport::default()).unwrap();
            if id == 513 {
                assert!(replica.delta(&mut reader) == replica.dump());
            }
        }
        assert!(replica.clock.epoch() < 100);
        // The reader begins anew.
        assert!(replica.delta(&mut reader) == replica.dump());
    }
}
