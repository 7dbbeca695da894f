//! Whatever a stream holds, what it costs is bounded: corrections, limits, and messages that are
//! meant to be dear.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    common::*,
    messages::{Owned, any_message, encode},
};
use decentraland_scene::{merge::*, wire::*};
use proptest::prelude::*;

fn limited(set: impl FnOnce(&mut Limits)) -> Replica {
    let mut options = ReplicaOptions::default();
    options.keep_other_components = true;
    set(&mut options.limits);
    Replica::new(options)
}

#[test]
fn a_key_is_corrected_once_a_report() {
    let large = vec![7; 1 << 15];
    let mut replica = limited(|_| {});
    replica.merge(&put(512, 9, 5, &large), Role::Peer);
    replica.merge(&put(513, TRANSFORM, 5, at(0.0, 0)), Role::Peer);
    let stale = encode(&[delete(512, 9, 1), delete(513, 1, 2)]).repeat(1000);
    let mut report = MergeReport::default();
    for _ in 0..3 {
        replica.receive(&mut Connection::new(Role::Peer), &stale, &mut report).unwrap();
    }
    assert_eq!((report.outdated, report.uncorrected), (6000, 0));
    assert_eq!(
        report.corrections,
        encode(&[put(512, 9, 5, &large), put(513, TRANSFORM, 5, at(0.0, 0))])
    );
    // Sent and cleared, the same report answers again.
    report.corrections.clear();
    replica
        .receive(&mut Connection::new(Role::Peer), &encode(&[delete(513, 1, 2)]), &mut report)
        .unwrap();
    assert_eq!(report.corrections, encode(&[put(513, TRANSFORM, 5, at(0.0, 0))]));
}

#[test]
fn corrections_have_a_limit() {
    let mut replica = limited(|limits| limits.correction_bytes = 150);
    for id in 512..612 {
        replica.merge(&put(id, TRANSFORM, 5, at(0.0, 0)), Role::Peer);
    }
    let stale: Vec<u8> = (512..612).flat_map(|id| encode(&[delete(id, 1, 1)])).collect();
    let report = replica.merge_bytes(&stale, Role::Peer).unwrap();
    assert_eq!(
        report.corrections,
        encode(&[put(512, TRANSFORM, 5, at(0.0, 0)), put(513, TRANSFORM, 5, at(0.0, 0))])
    );
    assert_eq!((report.outdated, report.uncorrected, report.fault_count), (100, 98, 0));
}

#[test]
fn a_broken_stream_returns_what_was_merged_and_its_corrections() {
    let mut replica = limited(|_| {});
    replica.merge(&put(512, TRANSFORM, 5, at(0.0, 0)), Role::Peer);
    let mut bytes = encode(&[put(513, TRANSFORM, 1, at(0.0, 0)), delete(512, 1, 1)]);
    bytes.extend([7, 0, 0, 0]);
    bytes.extend(encode(&[put(514, TRANSFORM, 1, at(0.0, 0))]));
    let BrokenStream { fault, report, .. } = replica.merge_bytes(&bytes, Role::Peer).unwrap_err();
    assert_eq!((fault.offset, fault.kind), (88, FaultKind::LengthBelowHeader { length: 7 }));
    assert_eq!(report.faults, [MergeFault::Wire(fault)]);
    assert_eq!(
        (report.accepted, report.outdated, report.fault_count, report.pending),
        (1, 1, 1, 0)
    );
    assert_eq!(report.corrections, encode(&[put(512, TRANSFORM, 5, at(0.0, 0))]));
    assert_eq!(replica.transforms().count(), 2);
}

#[test]
fn all_versions_of_a_number_in_any_order() {
    const ALL: u32 = 1 << 16;
    let version = |version: u32| 600 | version << 16;
    let orders: [fn(u32) -> u32; 3] = [|i| i, |i| ALL - 1 - i, |i| i * 40_503 % ALL];
    let (value, mut dumps) = (at(0.0, 0), BTreeSet::new());
    for order in orders {
        let mut replica = limited(|_| {});
        for i in 0..ALL {
            assert_eq!(
                replica.merge(&put(version(order(i)), TRANSFORM, 1, value), Role::Peer),
                Outcome::Accepted
            );
        }
        dumps.insert(replica.dump());
        assert_eq!(
            (replica.usage().entities, replica.alive_version(600)),
            (65_536, Some(u16::MAX))
        );
        // Deaths, one after the other.
        for i in 0..1000 {
            assert_eq!(replica.merge(&death(version(i)), Role::Peer), Outcome::Accepted);
        }
        assert_eq!((replica.usage().entities, replica.dead_version(600)), (64_536, Some(999)));
        assert_eq!(replica.merge(&death(version(ALL - 1)), Role::Peer), Outcome::Accepted);
        assert_eq!((replica.usage().entities, replica.alive_version(600)), (0, None));
        assert_eq!(replica.dump(), encode(&[death(version(ALL - 1))]));
    }
    assert_eq!(dumps.len(), 1);
}

#[test]
fn keys_that_are_written_in_turns_cost_the_same_each_time() {
    // Within one batch: if the log kept each write, each would look at all before it.
    let tie = NetworkEntity::default().to_bytes();
    let writes = (1..=300_000).map(|time| put(512 + time % 2, NETWORK_PARENT, time, &tie));
    let bytes = encode(&writes.collect::<Vec<_>>());
    let mut replica = Replica::default();
    assert_eq!(replica.merge_bytes(&bytes, Role::Peer).unwrap().accepted, 300_000);
    assert_eq!(replica.delta(&mut Connection::new(Role::Peer)), replica.dump());
}

/// A stream of short messages that lose to long values gets no more than four times what it sends,
/// and 64 KiB.
#[test]
fn corrections_do_not_amplify() {
    let mut replica = limited(|_| {});
    let value = vec![7; 1 << 20];
    for id in 600..620 {
        let put = put(id, 9, 5, &value);
        assert_eq!(replica.merge(&put, Role::Host), Outcome::Accepted);
    }
    let (mut from, mut sent, mut answered) = (Connection::new(Role::Peer), 0, 0);
    for round in 0..2000 {
        let stale = encode(&[delete(600 + round % 20, 9, 1)]);
        let mut report = MergeReport::default();
        replica.receive(&mut from, &stale, &mut report).unwrap();
        assert_eq!(report.outdated, 1);
        assert_eq!(report.uncorrected, u64::from(report.corrections.is_empty()));
        sent += stale.len();
        answered += report.corrections.len();
    }
    assert!(answered <= (64 << 10) + 4 * sent, "{answered} for {sent}");
    // Who has sent as much is answered.
    let long = put(600, 9, 4, &value);
    let mut report = MergeReport::default();
    replica.receive(&mut from, &encode(&[long]), &mut report).unwrap();
    assert_eq!((report.uncorrected, report.corrections.len()), (0, 24 + value.len()));
}

/// What fills a replica can be deleted, appended values, too.
#[test]
fn a_full_replica_deletes_what_fills_it() {
    let append = |timestamp| append(600, 1063, timestamp, &[7; 100]);
    let mut replica = limited(|limits| limits.bytes = 1240);
    for timestamp in 1..=10 {
        assert_eq!(replica.merge(&append(timestamp), Role::Peer), Outcome::Accepted);
    }
    let full = Outcome::OverLimit { limit: LimitKind::Bytes };
    assert_eq!(replica.merge(&append(11), Role::Peer), full);
    assert_eq!(replica.usage().bytes, 1240);
    assert_eq!(replica.merge(&death(600), Role::Peer), Outcome::Accepted);
    let Usage { bytes, appended_values, entities, .. } = replica.usage();
    assert_eq!((bytes, appended_values, entities), (12, 0, 0));
    assert_eq!(replica.dump().len(), 12);
}

#[test]
fn what_exceeds_a_limit_is_a_fault_that_names_it() {
    let mut replica = limited(|limits| limits.entities = 0);
    let report = replica.merge_bytes(&encode(&[put(512, 9, 1, &[1])]), Role::Peer).unwrap();
    let (entity, component, limit) = (local(512), Some(9), LimitKind::Entities);
    let fault = MergeFault::OverLimit { entity, component, limit };
    assert_eq!((report.faults[0], report.fault_count, report.accepted), (fault, 1, 0));
    assert!(fault.to_string().contains("Limits::entities"), "{fault}");
}

#[test]
fn what_is_not_written_makes_no_entity() {
    // An appended value where none are kept.
    let mut replica = limited(|limits| limits.values_per_key = 0);
    assert_eq!(replica.merge(&append(512, 9, 1, &[1]), Role::Peer), Outcome::Dropped);
    assert!(!replica.is_alive(SceneEntity::local(DOOR)));
    assert_eq!(replica.usage(), Usage::default());
    // A `Transform` that would have to be later than the latest, of the entity that is one with it.
    let there = SceneEntity::networked(7, EntityId(40));
    let tie = NetworkEntity { network: 7, entity: EntityId(40) }.to_bytes();
    replica.merge(&put(512, NETWORK_ENTITY, 1, &tie), Role::Peer);
    replica.merge(&put(512, TRANSFORM, u32::MAX, at(0.0, 0)), Role::Peer);
    let before = replica.usage();
    let refused = replica.put_transform(there, &SceneTransform::IDENTITY).unwrap_err();
    assert_eq!(refused.kind, WriteErrorKind::TimestampExhausted);
    assert!(!replica.is_alive(there));
    assert_eq!(replica.usage(), before);
}

#[test]
fn local_writes_are_refused_likewise() {
    let mut replica =
        limited(|limits| (limits.entities, limits.bytes_per_key, limits.tombstones) = (1, 2, 1));
    let scene = |id| SceneEntity::local(EntityId(id));
    replica.put(scene(512).key(9), &[1]).unwrap();
    replica.delete_transform(scene(512)).unwrap();
    let (dump, usage) = (replica.dump(), replica.usage());
    let kind = |limit| WriteErrorKind::OverLimit { limit };
    let errors = [
        (
            replica.put_transform(scene(513), &SceneTransform::IDENTITY).unwrap_err(),
            LimitKind::Entities,
        ),
        (replica.put(scene(513).key(9), &[1]).unwrap_err(), LimitKind::Entities),
        (replica.put(scene(512).key(9), &[1, 2, 3]).unwrap_err(), LimitKind::BytesPerKey),
        (replica.append(DOOR, 9, &[1, 2]).unwrap_err(), LimitKind::BytesPerKey),
        (replica.delete(scene(512).key(9)).unwrap_err(), LimitKind::Tombstones),
        (replica.delete_entity(scene(513)).unwrap_err(), LimitKind::Tombstones),
    ];
    for (error, limit) in errors {
        assert_eq!(error.kind, kind(limit));
        assert!(error.to_string().contains(&format!("Limits::{limit}")), "{error}");
    }
    assert_eq!((replica.dump(), replica.usage()), (dump, usage));
    // A death that frees as much as it costs.
    replica.delete_entity(scene(512)).unwrap();
    assert_eq!((replica.usage().entities, replica.usage().tombstones), (0, 1));
}

/// What is kept, counted in a dump.
fn counted(dump: &[u8]) -> Usage {
    let (mut entities, mut networks) = (BTreeSet::new(), BTreeSet::new());
    let mut usage = Usage::default();
    usage.bytes = dump.len();
    for message in Reader::new(usize::MAX).read(dump).unwrap() {
        let message = message.unwrap();
        let scene = message.scene_entity();
        match message {
            Message::DeleteEntity { .. } => usage.tombstones += 1,
            Message::DeleteComponent { .. } => usage.tombstones += 1,
            Message::AppendValue { .. } => usage.appended_values += 1,
            _ => {}
        }
        networks.insert(scene.network);
        if !matches!(message, Message::DeleteEntity { .. }) {
            entities.insert(scene);
        }
    }
    networks.remove(&None);
    (usage.entities, usage.networks) = (entities.len(), networks.len());
    usage
}

/// The limits that a dump is beyond.
fn exceeded(dump: &[u8], limits: &Limits) -> Vec<LimitKind> {
    let (usage, mut keys) = (counted(dump), BTreeMap::new());
    for message in Reader::new(usize::MAX).read(dump).unwrap() {
        let message = message.unwrap();
        let is_append = matches!(message, Message::AppendValue { .. });
        if let Some(key) = message.key().filter(|key| is_append || key.component != TRANSFORM) {
            *keys.entry(key).or_default() += message.data().len();
        }
    }
    let longest = keys.into_values().max().unwrap_or(0);
    let all = [
        (LimitKind::Entities, usage.entities, limits.entities),
        (LimitKind::Tombstones, usage.tombstones, limits.tombstones),
        (LimitKind::Networks, usage.networks, limits.networks),
        (LimitKind::BytesPerKey, longest, limits.bytes_per_key),
        (LimitKind::Bytes, usage.bytes, limits.bytes),
        (LimitKind::AppendedValues, usage.appended_values, limits.appended_values),
    ];
    all.into_iter().filter(|(_, used, limit)| used > limit).map(|(kind, ..)| kind).collect()
}

fn any_limits() -> impl Strategy<Value = Limits> {
    let limit = |most: usize| prop_oneof![1 => Just(usize::MAX), 2 => 0..most];
    (limit(6), limit(5), limit(2), limit(46), limit(500), limit(4)).prop_map(|limits| {
        let mut set = Limits::default();
        (
            set.entities,
            set.tombstones,
            set.networks,
            set.bytes_per_key,
            set.bytes,
            set.appended_values,
        ) = limits;
        set
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::soak::cases(150)))]

    /// What is refused would be beyond the limit, and leaves no trace.
    #[test]
    fn limits_hold_and_refuse_nothing_else(
        messages in prop::collection::vec(any_message(), 0..80),
        limits in any_limits(),
    ) {
        let (mut replica, mut unlimited) = (limited(|set| *set = limits), limited(|_| {}));
        for message in messages.iter().chain(&messages).map(Owned::message) {
            match replica.merge(&message, Role::Peer) {
                Outcome::OverLimit { limit } => {
                    let mut beyond = unlimited.clone();
                    beyond.merge(&message, Role::Peer);
                    let is_long = message.data().len() > limits.bytes_per_key;
                    let is_beyond = exceeded(&beyond.dump(), &limits).contains(&limit);
                    prop_assert!(is_beyond || limit == LimitKind::BytesPerKey && is_long);
                }
                _ => _ = unlimited.merge(&message, Role::Peer),
            }
            let dump = replica.dump();
            prop_assert_eq!(replica.usage(), counted(&dump));
            prop_assert_eq!(exceeded(&dump, &limits), vec![]);
            prop_assert_eq!(dump, unlimited.dump());
        }
        let delta = |replica: &mut Replica| first_delta(replica, Role::Peer);
        prop_assert_eq!(delta(&mut unlimited), delta(&mut replica));
    }
}

#[test]
fn reports_that_take_turns_are_corrected_once_each() {
    let mut replica = limited(|_| {});
    for id in 512..520 {
        replica.merge(&put(id, TRANSFORM, 5, at(0.0, 0)), Role::Peer);
    }
    replica.merge(&put(512, 9, 5, &[1]), Role::Peer);
    let mut stale: Vec<u8> = (512..520).flat_map(|id| encode(&[delete(id, 1, 1)])).collect();
    stale.extend(encode(&[delete(512, 9, 1)]));
    let mut reports = [MergeReport::default(), MergeReport::default()];
    for _ in 0..3 {
        for report in &mut reports {
            replica.receive(&mut Connection::new(Role::Peer), &stale, report).unwrap();
        }
    }
    for mut report in reports {
        assert_eq!((report.outdated, report.corrections.len()), (27, 8 * 68 + 25));
        // A report of another replica is not mistaken for this one's.
        let mut other = replica.clone();
        other.merge(&put(600, TRANSFORM, 5, at(0.0, 0)), Role::Peer);
        other.receive(&mut Connection::new(Role::Peer), &stale, &mut report).unwrap();
        other
            .receive(&mut Connection::new(Role::Peer), &encode(&[delete(600, 1, 1)]), &mut report)
            .unwrap();
        assert_eq!(report.corrections.len(), 9 * 68 + 25);
    }
}

#[test]
fn a_slot_that_was_corrected_is_another_entity_s_later() {
    let mut replica = limited(|_| {});
    let mut report = MergeReport::default();
    let mut merge = |bytes: Vec<u8>| {
        replica.receive(&mut Connection::new(Role::Peer), &bytes, &mut report).unwrap()
    };
    merge(encode(&[put(512, TRANSFORM, 5, at(0.0, 0)), delete(512, 1, 1), death(512)]));
    merge(encode(&[put(513, TRANSFORM, 5, at(0.0, 0)), delete(513, 1, 1), delete(513, 1, 1)]));
    assert_eq!(
        report.corrections,
        encode(&[put(512, TRANSFORM, 5, at(0.0, 0)), put(513, TRANSFORM, 5, at(0.0, 0))])
    );
}
