//! Components other than `Transform`: a follower of them, by all and by one, and the values of a
//! key.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    common::*,
    messages::{Owned, any_message},
};
use decentraland_scene::{merge::*, wire::*};
use proptest::prelude::*;

const CLICKS: u32 = 1063;

#[test]
fn the_values_of_a_key_come_in_their_order() {
    let mut replica = of_role(Role::Scene);
    let [door, chest] = [512, 513].map(|id| SceneEntity::local(EntityId(id)));
    for (timestamp, data) in [(3, b"c"), (1, b"b"), (1, b"a"), (3, b"c")] {
        let entity = door.entity;
        let message = Message::AppendValue { entity, component: CLICKS, timestamp, data };
        replica.merge(&message, Role::Peer);
    }
    let values: Vec<_> = replica.values(door.key(CLICKS)).collect();
    assert_eq!(values, [(1, &b"a"[..]), (1, b"b"), (3, b"c")]);
    assert_eq!(replica.values(chest.key(CLICKS)).count(), 0);

    replica.put(chest.key(1041), b"chest.glb").unwrap();
    replica.put(door.key(1041), b"door.glb").unwrap();
    replica.put(door.key(1042), b"other").unwrap();
    let all: Vec<_> = replica.components(1041).collect();
    assert_eq!(all, [(door, &b"door.glb"[..]), (chest, b"chest.glb")]);
    replica.delete(door.key(1041)).unwrap();
    assert_eq!(replica.components(1041).count(), 1);
}

/// What a follower has: the values by key, and the appended ones.
#[derive(Clone, Debug, Default, PartialEq)]
struct Followed {
    values: BTreeMap<Key, Vec<u8>>,
    appended: BTreeSet<(Key, u32, Vec<u8>)>,
}

impl Followed {
    fn follow(&mut self, message: &Message<'_>) {
        let (key, data) = (message.key(), message.data().to_vec());
        match (*message, key) {
            (Message::PutComponent { .. }, Some(key)) => _ = self.values.insert(key, data),
            (Message::DeleteComponent { .. }, Some(key)) => _ = self.values.remove(&key),
            (Message::AppendValue { timestamp, .. }, Some(key)) => {
                assert!(self.appended.insert((key, timestamp, data)), "{message:?} comes twice");
            }
            _ => {
                let dead = message.scene_entity();
                let dies = |key: &Key| {
                    let [it, dead] = [key.scene_entity(), dead];
                    let has_versions = dead.network.is_none() && !dead.is_reserved();
                    it == dead
                        || has_versions
                            && it.network.is_none()
                            && it.entity.number() == dead.entity.number()
                            && it.entity.version() <= dead.entity.version()
                };
                self.values.retain(|key, _| !dies(key));
                self.appended.retain(|(key, ..)| !dies(key));
            }
        }
    }

    fn of(&self, component: u32) -> Self {
        let mut some = self.clone();
        some.values.retain(|key, _| key.component == component);
        some.appended.retain(|(key, ..)| key.component == component);
        some
    }
}

/// Messages about few components of few entities, players among them.
fn any_component() -> impl Strategy<Value = Owned> {
    (any_message(), 0u32..3).prop_map(|(mut message, which)| {
        match &mut message {
            Owned::PutComponent { component, .. }
            | Owned::DeleteComponent { component, .. }
            | Owned::AppendValue { component, .. } => *component = CLICKS + which,
            Owned::DeleteEntity { .. } => {}
        }
        message
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::soak::cases(200)))]

    #[test]
    fn a_follower_of_components_knows_them(
        messages in prop::collection::vec((any_component(), any::<bool>()), 0..60),
    ) {
        let mut replica = of_role(Role::Scene);
        let (mut all, mut one) = (Followed::default(), Followed::default());
        let mut cursors = [ChangeCursor::default(); 2];
        for (message, reads) in messages {
            replica.merge(&message.message(), Role::Host);
            if !reads {
                continue;
            }
            if replica.begins_anew(&cursors[0]) {
                (all, one) = Default::default();
            }
            replica.for_each_component_change(&mut cursors[0], |message| all.follow(message));
            replica.for_each_change_of(CLICKS, &mut cursors[1], |message| one.follow(message));
            let mut anew = Followed::default();
            let mut cursor = ChangeCursor::default();
            replica.for_each_component_change(&mut cursor, |message| anew.follow(message));
            prop_assert_eq!(&all, &anew);
            prop_assert_eq!(&one, &anew.of(CLICKS));
            for (key, value) in &anew.values {
                prop_assert_eq!(replica.component(*key), Some(&value[..]));
            }
            for key in anew.appended.iter().map(|(key, ..)| *key) {
                let here = anew.appended.iter().filter(|(other, ..)| *other == key);
                let here = here.map(|(_, timestamp, data)| (*timestamp, &data[..]));
                prop_assert!(replica.values(key).eq(here));
            }
        }
    }
}
