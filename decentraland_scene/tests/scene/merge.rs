//! The merge: a property of any messages in any order, with the outcome of each; and writes of our
//! own, and followers.

use crate::{
    common::*,
    messages::{Owned, any_message, encode},
    model::Model,
};
use decentraland_scene::{merge::*, wire::*};
use proptest::prelude::*;

/// A replica that holds just this.
fn with(messages: &[Message<'_>]) -> Replica {
    let mut replica = keeping_all();
    for message in messages {
        assert_eq!(replica.merge(message, Role::Peer), Outcome::Accepted);
    }
    replica
}

/// What loses, and what wins over it, in other clients, too.
#[test]
fn the_known_answers() {
    let (one, two) = (at(1.0, 0), at(2.0, 0));
    let transform = |timestamp, data| put(DOOR, TRANSFORM, timestamp, data);
    let raw = |data| put(DOOR, 9, 5, data);
    let table = [
        // Timestamps have no sign.
        (transform(0, two), transform(1, one)),
        (transform(0x7fff_ffff, two), transform(0x8000_0000, one)),
        (transform(0, two), transform(u32::MAX, one)),
        // 1.0 is 0000803f and 2.0 is 00000040: the first byte that differs decides.
        (transform(5, two), transform(5, one)),
        // A deletion loses to any value of its timestamp, also to the empty one.
        (delete(DOOR, TRANSFORM, 5), transform(5, one)),
        (transform(5, one), delete(DOOR, TRANSFORM, 6)),
        (delete(DOOR, TRANSFORM, 0), transform(0, one)),
        (delete(DOOR, 9, 5), raw(&[])),
        // The longer value wins.
        (raw(&[]), raw(&[9])),
        (raw(&[200]), raw(&[1, 1])),
        (raw(&[1, 1]), raw(&[1, 2])),
    ];
    for (loser, winner) in table {
        let mut replica = with(&[loser, winner]);
        assert_eq!(replica.merge(&loser, Role::Peer), Outcome::Outdated { winner });
        assert_eq!(replica.merge(&winner, Role::Peer), Outcome::Duplicate);
        assert_eq!(replica.dump(), encode(&[winner]));
    }
}

#[test]
fn a_transform_of_another_length_is_a_fault() {
    let mut replica = with(&[put(DOOR, TRANSFORM, 5, at(1.0, 0))]);
    let before = replica.dump();
    for length in [0, 40, 43, 45, 100] {
        let data = vec![0xff; length];
        let bytes = [encode(&[put(DOOR, TRANSFORM, 9, &data)]), before.clone()].concat();
        let report = receive(&mut replica, &mut Connection::new(Role::Peer), &bytes);
        let fault = MergeFault::TransformLength { entity: DOOR.scene(), length };
        assert_eq!((report.faults, report.fault_count, report.duplicates), (vec![fault], 1, 1));
    }
    assert_eq!(replica.dump(), before);
}

#[test]
fn other_components_are_counted_and_dropped_unless_asked_for() {
    let (raw, append) = (put(DOOR, 1017, 1, &[1, 2]), append(512, 1, 0, &[3]));
    let (bytes, key) = (encode(&[raw, append]), raw.key().unwrap());
    let mut dropping = Replica::default();
    assert_eq!(dropping.merge_bytes(&bytes, Role::Peer).unwrap().dropped, 2);
    assert!(dropping.dump().is_empty());
    assert_eq!(dropping.put(key, &[1]).unwrap_err().kind, WriteErrorKind::NotKept);

    let mut keeping = keeping_all();
    assert_eq!(keeping.merge_bytes(&bytes, Role::Peer).unwrap().accepted, 2);
    assert_eq!(keeping.dump(), encode(&[append, raw]));
    assert_eq!(keeping.component(key), Some(&[1, 2][..]));
    // An appended value is never a Transform.
    assert_eq!(keeping.transforms().count(), 0);
}

#[test]
fn faults_are_counted_beyond_those_that_are_kept() {
    let mut replica = Replica::default();
    let report = replica.merge_bytes(&[8, 0, 0, 0, 99, 0, 0, 0].repeat(5000), Role::Peer).unwrap();
    assert_eq!((report.faults.len(), report.fault_count), (MergeReport::MAX_FAULTS, 5000));
}

#[test]
fn local_writes_count_up_and_never_wrap() {
    use WriteErrorKind::{DeadEntity, Reserved, TimestampExhausted, WrongLength};
    let (scene, one, two) = (DOOR.scene(), at(1.0, 0), at(2.0, 0));
    let transform = |timestamp| put(DOOR, TRANSFORM, timestamp, one);
    let gone = |timestamp| delete(DOOR, TRANSFORM, timestamp);
    let value = SceneTransform::from_bytes(one);
    let mut replica = keeping_all();
    assert_eq!(replica.put_transform(scene, &value), Ok(transform(1)));
    assert_eq!(replica.delete_transform(scene), Ok(gone(2)));
    assert_eq!(replica.put(scene.key(1), one), Ok(transform(3)));
    replica.merge(&transform(u32::MAX - 1), Role::Peer);
    assert_eq!(replica.delete(scene.key(1)), Ok(gone(u32::MAX)));
    replica.merge(&transform(u32::MAX), Role::Peer);
    let (before, value) = (replica.dump(), SceneTransform::from_bytes(two));
    let errors = [
        replica.put_transform(scene, &value).map(|_| ()),
        replica.delete_transform(scene).map(|_| ()),
    ];
    for error in errors.map(Result::unwrap_err) {
        assert_eq!(error, WriteError { key: scene.key(1), kind: TimestampExhausted });
        assert!(error.to_string().contains("entity 512"), "{error}");
    }
    assert_eq!(replica.dump(), before);
    // Appended values, too.
    replica.merge(&append(512, 7, 1, &[2]), Role::Peer);
    assert_eq!(replica.append(DOOR, 7, &[9]), Ok(append(512, 7, 2, &[9])));
    replica.merge(&append(512, 7, u32::MAX, &[]), Role::Peer);
    assert_eq!(replica.append(DOOR, 7, &[9]).unwrap_err().kind, TimestampExhausted);

    let refused = replica.put(scene.key(1), &[1]).unwrap_err().kind;
    assert_eq!(refused, WrongLength { length: 1 });
    assert_eq!(replica.delete_entity(scene), Ok(death(DOOR)));
    assert_eq!(replica.delete_entity(scene).unwrap_err().kind, DeadEntity);
    // Entities with a reserved number are not deleted.
    for id in [0, 1, 511, 511 | 3 << 16] {
        assert_eq!(replica.delete_entity(local(id)).unwrap_err().kind, Reserved);
    }
    assert_eq!(replica.put_transform(scene, &value).unwrap_err().kind, DeadEntity);
    assert_eq!(replica.put(scene.key(7), &[1]).unwrap_err().kind, DeadEntity);
    assert_eq!(replica.append(DOOR, 7, &[1]).unwrap_err().kind, DeadEntity);
}

#[test]
fn a_local_write_of_the_same_value_changes_nothing() {
    let (one, two) = (at(1.0, 0), at(2.0, 0));
    let mut replica = keeping_all();
    let mut to = Connection::new(Role::Peer);
    for (component, values) in [(TRANSFORM, [&one[..], two]), (9, [&[1], &[]])] {
        let key = DOOR.scene().key(component);
        let [first, second] = values;
        replica.merge(&put(DOOR, component, 7, first), Role::Peer);
        let _ = replica.delta(&mut to);
        assert_eq!(replica.put(key, first), Ok(put(DOOR, component, 7, first)));
        assert!(replica.delta(&mut to).is_empty());
        assert_eq!(replica.put(key, second), Ok(put(DOOR, component, 8, second)));
        for _ in 0..2 {
            assert_eq!(replica.delete(key), Ok(delete(DOOR, component, 9)));
        }
        assert_eq!(replica.delta(&mut to), encode(&[delete(DOOR, component, 9)]));
        assert_eq!(replica.put(key, second), Ok(put(DOOR, component, 10, second)));
        // Even where the timestamp could not grow.
        let last = put(DOOR, component, u32::MAX, first);
        replica.merge(&last, Role::Peer);
        assert_eq!(replica.put(key, first), Ok(last));
    }
}

#[test]
fn followers_do_not_disturb_one_another() {
    let of = |id: u32, timestamp| put(id, TRANSFORM, timestamp, at(1.0, 0));
    // Whether it began anew, and who changed.
    let changed = |replica: &mut Replica, cursor: &mut ChangeCursor| {
        let (began_anew, mut changed) = (replica.begins_anew(cursor), Vec::new());
        replica.for_each_change(cursor, |scene, effective| {
            assert_ne!(effective.state, TransformState::Unknown);
            changed.push(scene.entity.0);
        });
        changed.sort_unstable();
        (began_anew, changed)
    };
    let mut replica = with(&[of(512, 1)]);
    let (mut a, mut b) = (ChangeCursor::default(), ChangeCursor::default());
    assert_eq!(changed(&mut replica, &mut a), (true, vec![512]));
    replica.merge(&of(513, 1), Role::Peer);
    assert_eq!(changed(&mut replica, &mut b), (true, vec![512, 513]));
    replica.merge(&of(512, 2), Role::Peer);
    assert_eq!(changed(&mut replica, &mut a), (false, vec![512, 513]));
    replica.merge(&of(512, 3), Role::Peer);
    replica.merge(&of(512, 1), Role::Peer); // loses
    replica.merge(&death(513), Role::Peer);
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
        let (mut replica, mut model) = (keeping_all(), Model::default());
        // All of them twice, so that many are known.
        for message in messages.iter().chain(&messages).map(Owned::message) {
            prop_assert_eq!(replica.merge(&message, Role::Peer), model.merge(&message));
            let scene = message.scene_entity();
            prop_assert_eq!(replica.transform(scene), model.transform(scene));
        }
        prop_assert_eq!(replica.dump(), model.dump());
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
}
