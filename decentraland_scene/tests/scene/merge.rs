//! The merge: rule by rule, and as a property of any messages in any order.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    encode_owned,
    messages::{Owned, any_message, encode},
};
use decentraland_scene::{merge::*, wire::*};
use proptest::prelude::*;

const DOOR: EntityId = EntityId(512);

fn value(x: f32) -> [u8; 44] {
    SceneTransform { position: [x, 0.0, 0.0], ..SceneTransform::IDENTITY }.to_bytes()
}

fn put(timestamp: u32, data: &[u8]) -> Message<'_> {
    Message::PutComponent { network: None, entity: DOOR, component: 1, timestamp, data }
}

fn delete(timestamp: u32) -> Message<'static> {
    Message::DeleteComponent { network: None, entity: DOOR, component: 1, timestamp }
}

fn delete_entity(entity: EntityId) -> Message<'static> {
    Message::DeleteEntity { network: None, entity }
}

fn keeping_all() -> Replica {
    let mut options = ReplicaOptions::default();
    options.keep_other_components = true;
    Replica::new(options)
}

/// All that a replica knows, as its first delta.
fn first_delta(replica: &mut Replica) -> Vec<u8> {
    replica.delta(&mut Connection::new(Role::Peer))
}

/// A replica that holds just this.
fn with(messages: &[Message<'_>]) -> Replica {
    let mut replica = keeping_all();
    messages
        .iter()
        .for_each(|message| assert_eq!(replica.merge(message, Role::Peer), Outcome::Accepted));
    replica
}

#[test]
fn the_higher_unsigned_timestamp_wins() {
    let (old, new) = (value(9.0), value(1.0));
    for (lower, higher) in [(0, 1), (1, 2), (0x7fff_ffff, 0x8000_0000), (0, u32::MAX)] {
        let mut replica = with(&[put(lower, &old)]);
        assert_eq!(replica.merge(&put(higher, &new), Role::Peer), Outcome::Accepted);
        assert_eq!(
            replica.merge(&put(lower, &old), Role::Peer),
            Outcome::Outdated { winner: put(higher, &new) }
        );
        assert_eq!(replica.dump(), encode(&[put(higher, &new)]));
        assert_eq!(
            replica.merge(&delete(lower), Role::Peer),
            Outcome::Outdated { winner: put(higher, &new) }
        );
    }
}

#[test]
fn on_a_tie_the_larger_bytes_win_not_the_larger_number() {
    // 1.0 is 0000803f and 2.0 is 00000040: the first byte that differs decides.
    let (one, two) = (value(1.0), value(2.0));
    let mut replica = with(&[put(5, &two)]);
    assert_eq!(replica.merge(&put(5, &one), Role::Peer), Outcome::Accepted);
    assert_eq!(
        replica.merge(&put(5, &two), Role::Peer),
        Outcome::Outdated { winner: put(5, &one) }
    );
    assert_eq!(replica.merge(&put(5, &one), Role::Peer), Outcome::Duplicate);
}

#[test]
fn on_a_tie_a_deletion_loses_to_any_value() {
    let one = value(1.0);
    let mut replica = with(&[delete(5)]);
    assert_eq!(replica.merge(&put(5, &one), Role::Peer), Outcome::Accepted);
    assert_eq!(replica.merge(&delete(5), Role::Peer), Outcome::Outdated { winner: put(5, &one) });
    assert_eq!(replica.merge(&delete(6), Role::Peer), Outcome::Accepted);
    assert_eq!(replica.merge(&delete(6), Role::Peer), Outcome::Duplicate);
    assert_eq!(replica.merge(&put(5, &one), Role::Peer), Outcome::Outdated { winner: delete(6) });

    // Of raw values even the empty one wins over a deletion, and the longer over the shorter.
    let raw = |data| Message::PutComponent {
        network: None,
        entity: DOOR,
        component: 9,
        timestamp: 5,
        data,
    };
    let mut replica = with(&[Message::DeleteComponent {
        network: None,
        entity: DOOR,
        component: 9,
        timestamp: 5,
    }]);
    for winner in [&[][..], &[9], &[1, 1], &[1, 2]] {
        assert_eq!(replica.merge(&raw(winner), Role::Peer), Outcome::Accepted);
    }
    assert_eq!(replica.merge(&raw(&[200]), Role::Peer), Outcome::Outdated { winner: raw(&[1, 2]) });
}

#[test]
fn a_deletion_of_what_is_unknown_keeps_its_timestamp() {
    let mut replica = with(&[delete(5)]);
    let one = value(1.0);
    assert_eq!(replica.merge(&put(4, &one), Role::Peer), Outcome::Outdated { winner: delete(5) });
    assert_eq!(
        replica.transform(SceneEntity::local(DOOR)),
        TransformState::Deleted { timestamp: 5 }
    );
}

#[test]
fn a_first_value_at_timestamp_0_is_accepted() {
    let one = value(1.0);
    let replica = with(&[put(0, &one)]);
    assert_eq!(
        replica.transform(SceneEntity::local(DOOR)),
        TransformState::Live { timestamp: 0, bytes: &one }
    );
    with(&[delete(0)]);
}

#[test]
fn network_0_is_a_network() {
    let one = value(1.0);
    let on = |network, id| Message::PutComponent {
        network,
        entity: EntityId(id),
        component: 1,
        timestamp: 3,
        data: &one,
    };
    // (network 0, entity 512) is not the scene's own 512, and (network 0, entity 1) is not the
    // player: nothing is reserved there.
    let messages = [on(None, 512), on(Some(0), 1), on(Some(0), 512), on(Some(4), 512)];
    let mut replica = with(&messages);
    assert_eq!(replica.dump(), encode(&messages));
    let player = SceneEntity::networked(0, EntityId::PLAYER);
    assert!(replica.put_transform(player, &SceneTransform::IDENTITY).is_ok());
    // A death is of one network, and for ever there.
    for (network, id) in [(Some(4), 512), (Some(0), 1)] {
        let death = Message::DeleteEntity { network, entity: EntityId(id) };
        assert_eq!(replica.merge(&death, Role::Peer), Outcome::Accepted);
        assert_eq!(replica.merge(&on(network, id), Role::Peer), Outcome::DeadEntity);
    }
    assert_eq!(replica.transforms().count(), 2);
}

#[test]
fn the_dead_stay_dead_and_take_lower_versions_along() {
    let one = value(1.0);
    let version = |v| EntityId::new(600, v);
    let put = |v, timestamp| Message::PutComponent {
        network: None,
        entity: version(v),
        component: 1,
        timestamp,
        data: &one,
    };
    let mut replica = with(&[put(0, 1), put(1, 1), put(2, 1), put(3, 1)]);
    assert_eq!(replica.merge(&delete_entity(version(1)), Role::Peer), Outcome::Accepted);
    for v in [0, 1] {
        assert_eq!(replica.merge(&put(v, u32::MAX), Role::Peer), Outcome::DeadEntity);
        assert_eq!(replica.transform(SceneEntity::local(version(v))), TransformState::Dead);
    }
    // Newer versions live on, and do not kill older ones by themselves.
    assert_eq!(replica.merge(&put(2, 2), Role::Peer), Outcome::Accepted);
    assert_eq!(replica.merge(&put(3, 2), Role::Peer), Outcome::Accepted);
    assert_eq!(replica.merge(&delete_entity(version(1)), Role::Peer), Outcome::Duplicate);
    assert_eq!(replica.merge(&delete_entity(version(0)), Role::Peer), Outcome::DeadEntity);
    assert_eq!(
        replica.merge(&delete_entity(EntityId::new(600, u16::MAX)), Role::Peer),
        Outcome::Accepted
    );
    assert_eq!(replica.dump(), encode(&[delete_entity(EntityId::new(600, u16::MAX))]));
}

#[test]
fn a_death_purges_other_components_too() {
    let raw = |component, data| Message::PutComponent {
        network: None,
        entity: DOOR,
        component,
        timestamp: 1,
        data,
    };
    let append = Message::AppendValue { entity: DOOR, component: 7, timestamp: 0, data: &[1] };
    let mut replica = with(&[raw(0, &[1]), raw(u32::MAX, &[2]), append]);
    let neighbour = Message::PutComponent {
        network: None,
        entity: EntityId(513),
        component: 0,
        timestamp: 1,
        data: &[3],
    };
    replica.merge(&neighbour, Role::Peer);
    replica.merge(&delete_entity(DOOR), Role::Peer);
    assert_eq!(replica.dump(), encode(&[delete_entity(DOOR), neighbour]));
    assert_eq!(replica.merge(&append, Role::Peer), Outcome::DeadEntity);
    assert_eq!(first_delta(&mut replica), replica.dump());
}

#[test]
fn a_transform_of_another_length_is_rejected_and_changes_nothing() {
    let one = value(1.0);
    let mut replica = with(&[put(5, &one)]);
    for length in [0, 40, 43, 45, 100] {
        let data = vec![0xff; length];
        assert_eq!(replica.merge(&put(9, &data), Role::Peer), Outcome::WrongLength { length });
        let mut report = MergeReport::default();
        let bytes = encode(&[put(9, &data), put(5, &one)]);
        replica.receive(&mut Connection::new(Role::Peer), &bytes, &mut report).unwrap();
        let fault = MergeFault::TransformLength { entity: SceneEntity::local(DOOR), length };
        assert_eq!((report.faults, report.fault_count, report.duplicates), (vec![fault], 1, 1));
    }
    assert_eq!(replica.dump(), encode(&[put(5, &one)]));
}

#[test]
fn other_components_are_counted_and_dropped_unless_asked_for() {
    let raw = Message::PutComponent {
        network: None,
        entity: DOOR,
        component: 1017,
        timestamp: 1,
        data: &[1, 2],
    };
    let append = Message::AppendValue { entity: DOOR, component: 1, timestamp: 0, data: &[3] };
    let bytes = encode(&[raw, append]);
    let mut dropping = Replica::default();
    assert_eq!(dropping.merge_bytes(&bytes, Role::Peer).unwrap().dropped, 2);
    assert!(dropping.dump().is_empty());
    assert_eq!(dropping.put(raw.key().unwrap(), &[1]).unwrap_err().kind, WriteErrorKind::NotKept);

    let mut keeping = keeping_all();
    assert_eq!(keeping.merge_bytes(&bytes, Role::Peer).unwrap().accepted, 2);
    assert_eq!(keeping.dump(), encode(&[append, raw]));
    assert_eq!(keeping.component(raw.key().unwrap()), Some(&[1, 2][..]));
    // An appended value is never a Transform.
    assert_eq!(keeping.transforms().count(), 0);
}

#[test]
fn appended_values_are_a_set() {
    let append =
        |timestamp, data| Message::AppendValue { entity: DOOR, component: 7, timestamp, data };
    let mut replica = with(&[append(1, &[2]), append(0, &[3]), append(1, &[1])]);
    assert_eq!(replica.merge(&append(1, &[1]), Role::Peer), Outcome::Duplicate);
    let all = encode(&[append(0, &[3]), append(1, &[1]), append(1, &[2])]);
    assert_eq!(replica.dump(), all);
    let mut to = Connection::new(Role::Peer);
    assert_eq!(replica.delta(&mut to), all);
    assert_eq!(replica.append(DOOR, 7, &[9]), Ok(append(2, &[9])));
    assert_eq!(replica.delta(&mut to), encode(&[append(2, &[9])]));
    replica.merge(&append(u32::MAX, &[]), Role::Peer);
    assert_eq!(replica.append(DOOR, 7, &[9]).unwrap_err().kind, WriteErrorKind::TimestampExhausted);
}

#[test]
fn a_bad_stream_keeps_the_state_before_it() {
    let one = value(1.0);
    let mut bytes = encode(&[put(1, &one)]);
    bytes.extend([7, 0, 0, 0, 1, 0, 0, 0]);
    bytes.extend(encode(&[delete(2)]));
    let (mut replica, mut from) = (keeping_all(), Connection::new(Role::Peer));
    let mut report = MergeReport::default();
    let fault = replica.receive(&mut from, &bytes, &mut report).unwrap_err();
    assert_eq!(fault, Fault { offset: 68, kind: FaultKind::LengthBelowHeader { length: 7 } });
    assert_eq!(report.faults, [MergeFault::Wire(fault)]);
    assert_eq!(replica.dump(), encode(&[put(1, &one)]));
}

#[test]
fn faults_are_counted_beyond_those_that_are_kept() {
    let mut replica = Replica::default();
    let report = replica.merge_bytes(&[8, 0, 0, 0, 99, 0, 0, 0].repeat(5000), Role::Peer).unwrap();
    assert_eq!((report.faults.len(), report.fault_count), (MergeReport::MAX_FAULTS, 5000));
}

#[test]
fn corrections_bring_the_sender_up_to_date() {
    let (old, new) = (value(1.0), value(2.0));
    let mut ours = with(&[put(8, &new)]);
    let mut theirs = with(&[put(7, &old)]);
    let mut report = MergeReport::default();
    ours.receive(&mut Connection::new(Role::Peer), &first_delta(&mut theirs), &mut report).unwrap();
    assert_eq!(report.corrections, encode(&[put(8, &new)]));
    theirs.merge_bytes(&report.corrections, Role::Peer).unwrap();
    assert_eq!(ours.dump(), theirs.dump());
}

#[test]
fn local_writes_count_up_and_never_wrap() {
    let scene = SceneEntity::local(DOOR);
    let one = value(1.0);
    let transform = SceneTransform::from_bytes(&one);
    let mut replica = keeping_all();
    assert_eq!(replica.put_transform(scene, &transform), Ok(put(1, &one)));
    assert_eq!(replica.delete_transform(scene), Ok(delete(2)));
    assert_eq!(replica.put(scene.key(1), &one), Ok(put(3, &one)));
    replica.merge(&put(u32::MAX - 1, &one), Role::Peer);
    assert_eq!(replica.delete(scene.key(1)), Ok(delete(u32::MAX)));
    replica.merge(&put(u32::MAX, &one), Role::Peer);
    let (before, transform) = (replica.clone(), SceneTransform::from_bytes(&value(2.0)));
    for error in [
        replica.put_transform(scene, &transform).unwrap_err(),
        replica.delete_transform(scene).unwrap_err(),
    ] {
        assert_eq!(
            error,
            WriteError { key: scene.key(1), kind: WriteErrorKind::TimestampExhausted }
        );
        assert!(error.to_string().contains("entity 512"), "{error}");
    }
    assert_eq!(replica.dump(), before.dump());

    // A refused write of an unknown entity leaves nothing behind either.
    assert_eq!(
        replica.put(scene.key(1), &[1]).unwrap_err().kind,
        WriteErrorKind::WrongLength { length: 1 }
    );
    assert_eq!(replica.delete_entity(scene), Ok(delete_entity(DOOR)));
    assert_eq!(replica.delete_entity(scene).unwrap_err().kind, WriteErrorKind::DeadEntity);
    // Entities with a reserved number are not deleted.
    for id in [0, 1, 511, 511 | 3 << 16] {
        let scene = SceneEntity::local(EntityId(id));
        assert_eq!(replica.delete_entity(scene).unwrap_err().kind, WriteErrorKind::Reserved);
    }
    assert_eq!(
        replica.put_transform(scene, &transform).unwrap_err().kind,
        WriteErrorKind::DeadEntity
    );
    assert_eq!(replica.put(scene.key(7), &[1]).unwrap_err().kind, WriteErrorKind::DeadEntity);
    assert_eq!(replica.append(DOOR, 7, &[1]).unwrap_err().kind, WriteErrorKind::DeadEntity);
}

#[test]
fn a_local_write_of_the_same_value_changes_nothing() {
    let scene = SceneEntity::local(DOOR);
    let (one, two) = (value(1.0), value(2.0));
    let mut replica = with(&[put(7, &one)]);
    let mut to = Connection::new(Role::Peer);
    let _ = replica.delta(&mut to);
    assert_eq!(replica.put(scene.key(1), &one), Ok(put(7, &one)));
    assert_eq!(replica.put(scene.key(1), &two), Ok(put(8, &two)));
    assert_eq!(replica.delete_transform(scene), Ok(delete(9)));
    assert_eq!(replica.delete_transform(scene), Ok(delete(9)));
    assert_eq!(replica.delta(&mut to), encode(&[delete(9)]));
    assert_eq!(replica.put(scene.key(1), &two), Ok(put(10, &two)));
    let _ = replica.delta(&mut to);

    // Even where the timestamp could not grow.
    replica.merge(&put(u32::MAX, &one), Role::Peer);
    assert_eq!(replica.put(scene.key(1), &one), Ok(put(u32::MAX, &one)));
    let _ = replica.delta(&mut to);

    let raw = |timestamp, data| Message::PutComponent {
        network: None,
        entity: DOOR,
        component: 9,
        timestamp,
        data,
    };
    let gone = Message::DeleteComponent { network: None, entity: DOOR, component: 9, timestamp: 2 };
    for _ in 0..2 {
        assert_eq!(replica.put(scene.key(9), &[1]), Ok(raw(1, &[1])));
    }
    for _ in 0..2 {
        assert_eq!(replica.delete(scene.key(9)), Ok(gone));
    }
    assert_eq!(replica.delta(&mut to), encode(&[gone]));
    assert_eq!(replica.put(scene.key(9), &[]), Ok(raw(3, &[])));
}

/// Whether a follower began anew, and the entities that changed, each with its timestamp unless it
/// is dead.
fn changes(
    replica: &mut Replica,
    cursor: &mut ChangeCursor,
) -> (bool, Vec<(SceneEntity, Option<u32>)>) {
    let mut changed = Vec::new();
    let began_anew = replica.begins_anew(cursor);
    replica.for_each_change(cursor, |scene, effective| {
        assert_ne!(effective.state, TransformState::Unknown);
        changed.push(match effective.state {
            TransformState::Live { timestamp, .. } | TransformState::Deleted { timestamp } => {
                (scene, Some(timestamp))
            }
            _ => (scene, None),
        });
    });
    changed.sort_unstable();
    (began_anew, changed)
}

#[test]
fn followers_do_not_disturb_one_another() {
    let one = value(1.0);
    let of = |id: u32, timestamp| Message::PutComponent {
        network: None,
        entity: EntityId(id),
        component: 1,
        timestamp,
        data: &one,
    };
    let changed = |replica: &mut Replica, cursor: &mut ChangeCursor| {
        let (everything, entities) = changes(replica, cursor);
        (everything, entities.iter().map(|(scene, _)| scene.entity.0).collect::<Vec<_>>())
    };
    let mut replica = with(&[of(512, 1)]);
    let (mut a, mut b) = (ChangeCursor::default(), ChangeCursor::default());
    assert_eq!(changed(&mut replica, &mut a), (true, vec![512]));
    replica.merge(&of(513, 1), Role::Peer);
    assert_eq!(changed(&mut replica, &mut b), (true, vec![512, 513]));
    replica.merge(&of(512, 2), Role::Peer);
    assert_eq!(changed(&mut replica, &mut a), (false, vec![512, 513]));
    replica.merge(&of(512, 3), Role::Peer);
    replica.merge(&delete_entity(EntityId(513)), Role::Peer);
    assert_eq!(changed(&mut replica, &mut b), (false, vec![512, 513]));
    assert_eq!(changed(&mut replica, &mut a), (false, vec![512, 513]));
    assert_eq!(changed(&mut replica, &mut a), (false, vec![]));
    // A clone goes its own way.
    let mut clone = replica.clone();
    assert_eq!(changed(&mut clone, &mut b), (true, vec![512]));
    assert_eq!(changed(&mut replica, &mut b), (true, vec![512]));
    // One that reads rarely is told everything, or everything that changed.
    for timestamp in 4..500 {
        replica.merge(&of(514, timestamp), Role::Peer);
        assert_eq!(changed(&mut replica, &mut a), (false, vec![514]));
    }
    assert!(changed(&mut replica, &mut b).1.contains(&514));
}

#[test]
fn changed_transforms_are_told_once() {
    let one = value(1.0);
    let mut replica = with(&[put(1, &one)]);
    let mut cursor = ChangeCursor::default();
    let door = SceneEntity::local(DOOR);
    assert_eq!(changes(&mut replica, &mut cursor), (true, vec![(door, Some(1))]));
    assert_eq!(changes(&mut replica, &mut cursor), (false, vec![]));
    replica.merge(&put(2, &one), Role::Peer);
    replica.merge(&delete(3), Role::Peer);
    replica.merge(&put(1, &one), Role::Peer); // loses
    assert_eq!(changes(&mut replica, &mut cursor), (false, vec![(door, Some(3))]));
    // Dies, and its place is taken before anybody asked.
    replica.merge(&put(4, &one), Role::Peer);
    replica.merge(&delete_entity(DOOR), Role::Peer);
    let next = EntityId::new(512, 1);
    replica.merge(
        &Message::PutComponent {
            network: None,
            entity: next,
            component: 1,
            timestamp: 0,
            data: &one,
        },
        Role::Peer,
    );
    let next = SceneEntity::local(next);
    let died_and_new = (false, vec![(door, None), (next, Some(0))]);
    assert_eq!(changes(&mut replica, &mut cursor), died_and_new);
    assert_eq!(changes(&mut replica, &mut cursor), (false, vec![]));
}

/// A timestamp, and the value by its length and bytes: in the order in which writes win.
type Write = (u32, Option<(usize, Vec<u8>)>);

/// The state by its definition, slowly: all messages as a set, of which each key takes the best.
#[derive(Default)]
struct Model {
    dead: BTreeMap<(Option<u32>, u32), u16>,
    best: BTreeMap<Key, Write>,
    appended: BTreeSet<(Key, u32, Vec<u8>)>,
}

/// The number and the version of an entity; in a network all of the id is the number.
fn split(scene: SceneEntity) -> ((Option<u32>, u32), u16) {
    match scene.network {
        None => ((None, scene.entity.number().into()), scene.entity.version()),
        network => ((network, scene.entity.0), 0),
    }
}

impl Model {
    fn of(messages: &[Owned]) -> Self {
        let mut model = Self::default();
        for message in messages {
            let scene = message.message().scene_entity();
            if let Owned::DeleteEntity { .. } = message
                && !scene.is_reserved()
            {
                let (number, version) = split(scene);
                let dead = model.dead.entry(number).or_default();
                *dead = version.max(*dead);
            }
        }
        for message in messages {
            let scene = message.message().scene_entity();
            let (number, version) = split(scene);
            if model.dead.get(&number).is_some_and(|&dead| version <= dead) {
                continue;
            }
            // The upper half of the timestamps is a host's.
            let timestamp = message.message().timestamp();
            if scene.is_reserved() && timestamp.is_some_and(|timestamp| timestamp >> 31 == 1) {
                continue;
            }
            let (component, write) = match message.clone() {
                Owned::DeleteEntity { .. } => continue,
                Owned::AppendValue { component, timestamp, data, .. } => {
                    model.appended.insert((scene.key(component), timestamp, data));
                    continue;
                }
                Owned::PutComponent { component: 1, data, .. } if data.len() != 44 => continue,
                Owned::PutComponent { component, timestamp, data, .. } => {
                    (component, (timestamp, Some((data.len(), data))))
                }
                Owned::DeleteComponent { component, timestamp, .. } => {
                    (component, (timestamp, None))
                }
            };
            if component == 1 && scene.is_reserved() {
                continue;
            }
            let best = model.best.entry(scene.key(component)).or_insert_with(|| write.clone());
            if *best < write {
                *best = write;
            }
        }
        model
    }

    fn dump(&self) -> Vec<u8> {
        let mut items = Vec::new();
        for (&(network, number), &version) in &self.dead {
            let entity = EntityId(number | u32::from(version) << 16);
            let message = Owned::DeleteEntity { network, entity };
            items.push(((network, entity, 0, 0), message));
        }
        for (key, (timestamp, value)) in &self.best {
            let Key { network, entity, component } = *key;
            let place = (network, entity, 1 + u64::from(component), 0);
            let timestamp = *timestamp;
            let message = match value.clone() {
                Some((_, data)) => {
                    Owned::PutComponent { network, entity, component, timestamp, data }
                }
                None => Owned::DeleteComponent { network, entity, component, timestamp },
            };
            items.push((place, message));
        }
        for (key, timestamp, data) in self.appended.clone() {
            let Key { network, entity, component } = key;
            let message = Owned::AppendValue { entity, component, timestamp, data };
            items.push(((network, entity, 1 + u64::from(component), 1), message));
        }
        items.sort_by_key(|item| item.0);
        encode_owned(items.iter().map(|item| &item.1))
    }
}

fn merged<'a>(messages: impl IntoIterator<Item = &'a Owned>) -> Replica {
    let mut replica = keeping_all();
    for message in messages {
        replica.merge(&message.message(), Role::Peer);
    }
    replica
}

fn many() -> impl Strategy<Value = Vec<Owned>> {
    prop::collection::vec(any_message(), 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::soak::cases(120)))]

    #[test]
    fn the_state_is_the_best_of_every_key(messages in many()) {
        prop_assert_eq!(merged(&messages).dump(), Model::of(&messages).dump());
    }

    #[test]
    fn order_duplicates_and_batches_do_not_matter(
        messages in many(),
        other in any::<prop::sample::Index>(),
        seed in any::<u64>(),
        piece in 1usize..300,
    ) {
        let expected = merged(&messages).dump();
        // Some twice, then in another order, then cut into pieces anywhere.
        let mut shuffled = messages.clone();
        shuffled.extend(messages.iter().skip(other.index(messages.len() + 1)).cloned());
        shuffle(&mut shuffled, seed);
        let (mut replica, mut from) = (keeping_all(), Connection::new(Role::Peer));
        let mut report = MergeReport::default();
        for piece in encode_owned(&shuffled).chunks(piece) {
            replica.receive(&mut from, piece, &mut report).unwrap();
        }
        prop_assert_eq!(replica.dump(), expected);
        prop_assert_eq!(report.messages() + report.fault_count, shuffled.len() as u64);
    }

    #[test]
    fn merging_states_is_associative_and_idempotent(a in many(), b in many(), c in many()) {
        let [a, b, c] = [a, b, c].map(|messages| merged(&messages).dump());
        let join = |dumps: &[&[u8]]| {
            let mut replica = keeping_all();
            for dump in dumps {
                prop_assert_eq!(replica.merge_bytes(dump, Role::Peer).unwrap().fault_count, 0);
            }
            Ok(replica.dump())
        };
        let left = join(&[&join(&[&a, &b])?, &c])?;
        prop_assert_eq!(&left, &join(&[&a, &join(&[&b, &c])?])?);
        prop_assert_eq!(&left, &join(&[&c, &b, &a])?);
        prop_assert_eq!(&left, &join(&[&left, &left])?);
    }

    #[test]
    fn a_dump_read_back_is_the_same_state(messages in many(), later in many()) {
        let mut original = merged(&messages);
        let mut copy = keeping_all();
        copy.merge_bytes(&original.dump(), Role::Peer).unwrap();
        prop_assert_eq!(copy.dump(), original.dump());
        for message in &later {
            let message = message.message();
            let outcome = original.merge(&message, Role::Peer);
            prop_assert_eq!(outcome, copy.merge(&message, Role::Peer));
        }
    }

    #[test]
    fn deltas_add_up_to_the_state_and_hold_nothing_old(
        steps in prop::collection::vec(many(), 1..5),
    ) {
        let (mut source, mut follower) = (keeping_all(), keeping_all());
        let mut to = Connection::new(Role::Peer);
        for step in steps {
            let before = source.dump();
            for message in &step {
                source.merge(&message.message(), Role::Peer);
            }
            let delta = source.delta(&mut to);
            let report = follower.merge_bytes(&delta, Role::Peer).unwrap();
            prop_assert_eq!(report.accepted, report.messages());
            prop_assert_eq!(follower.dump(), source.dump());
            prop_assert_eq!(delta.is_empty(), before == source.dump());
            prop_assert_eq!(source.delta(&mut to), Vec::<u8>::new());
        }
    }

    #[test]
    fn corrections_make_two_replicas_equal(ours in many(), theirs in many()) {
        let (mut ours, mut theirs) = (merged(&ours), merged(&theirs));
        let mut report = MergeReport::default();
        ours.receive(&mut Connection::new(Role::Peer), &theirs.dump(), &mut report).unwrap();
        // What they have and we had not came with the dump; what we had better goes back; the rest
        // they never sent.
        theirs.merge_bytes(&report.corrections, Role::Peer).unwrap();
        let mut again = MergeReport::default();
        ours.receive(&mut Connection::new(Role::Peer), &theirs.dump(), &mut again).unwrap();
        prop_assert_eq!(again.corrections, Vec::<u8>::new());
    }

    #[test]
    fn arbitrary_bytes_never_panic_and_leave_a_state_that_dumps(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let mut replica = keeping_all();
        let _ = replica.merge_bytes(&bytes, Role::Peer);
        let mut copy = keeping_all();
        copy.merge_bytes(&replica.dump(), Role::Peer).unwrap();
        prop_assert_eq!(copy.dump(), replica.dump());
    }
}

fn shuffle<T>(items: &mut [T], mut seed: u64) {
    for i in (1..items.len()).rev() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(i, (seed >> 33) as usize % (i + 1));
    }
}
