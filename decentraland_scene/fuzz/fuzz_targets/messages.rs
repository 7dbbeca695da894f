//! Messages of all types, that of type 7 in both of its lengths, from and to programs of all roles,
//! with all names and authorities, as packets, checked ones and corrections: the state dumps and
//! reads back as itself, its size is known, a follower knows all that is shown, and a shared delta
//! equals that of each.
#![no_main]

use std::collections::BTreeMap;

use decentraland_scene::{merge::*, wire::*};
use libfuzzer_sys::fuzz_target;

/// The bytes that decide what happens.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn below(&mut self, limit: u8) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0) % limit)
    }

    fn of<T: Copy, const N: usize>(&mut self, choices: [T; N]) -> T {
        choices[self.below(N as u8)]
    }
}

fn reference(id: u32) -> Vec<u8> {
    NetworkEntity { network: 7, entity: EntityId(id) }.to_bytes().to_vec()
}

/// A message as bytes.
fn message(from: &mut Choices<'_>) -> Vec<u8> {
    const IDS: [u32; 10] =
        [0, 1, 40, 40 | 1 << 16, 512, 513, 512 | 1 << 16, 512 | 2 << 16, 34_465, 100_001];
    let kind = from.below(9);
    let entity = EntityId(from.of(IDS));
    let component = from.of([TRANSFORM, TRANSFORM, 1087, NETWORK_ENTITY, NETWORK_PARENT]);
    let timestamp = from.of([0, 1, 2, 3, (1 << 31) - 1, 1 << 31, u32::MAX]);
    let data = match (component, from.below(8)) {
        (_, 0) => vec![1, 2, 3],
        (NETWORK_ENTITY | NETWORK_PARENT, _) => reference(from.of(IDS)),
        (_, x) => {
            let (position, parent) = ([x as f32, 0.0, 0.0], EntityId(from.of(IDS)));
            let value = SceneTransform { position, parent, ..SceneTransform::IDENTITY };
            value.to_bytes().to_vec()
        }
    };
    let (network, data) = (Some(from.of([7, 7, 0])), &data[..]);
    let plain = None;
    let message = match kind {
        0 => Message::PutComponent { network: plain, entity, component, timestamp, data },
        1 => Message::DeleteComponent { network: plain, entity, component, timestamp },
        2 => Message::DeleteEntity { network: plain, entity },
        3 => Message::AppendValue { entity, component, timestamp, data },
        4 => Message::PutComponent { network, entity, component, timestamp, data },
        5 => Message::DeleteComponent { network, entity, component, timestamp },
        6 | 7 => Message::DeleteEntity { network, entity },
        _ => Message::AuthoritativePutComponent { entity, component, timestamp, data },
    };
    let mut bytes = Vec::new();
    message.write(&mut bytes).expect("a short message");
    if kind == 7 {
        // As SDKs write it up to 7.27.
        bytes[0] = 12;
    }
    bytes
}

fn replica(role: Role, limits: Limits) -> Replica {
    let mut options = ReplicaOptions::default();
    (options.role, options.keep_other_components, options.limits) = (role, true, limits);
    Replica::new(options)
}

const ENDS: usize = 5;

fn ends() -> [Connection; ENDS] {
    let renderer = Connection::new(Role::Host).with_names(Names::Plain);
    [
        Connection::new(Role::Scene),
        Connection::new(Role::Host),
        Connection::new(Role::Peer),
        renderer.with_authority(Authority::Ours),
        Connection::new(Role::Scene).with_authority(Authority::Theirs),
    ]
}

type Shown = BTreeMap<SceneEntity, (Option<Vec<u8>>, SceneEntity)>;

fn shown(effective: EffectiveTransform<'_>) -> Option<(Option<Vec<u8>>, SceneEntity)> {
    match effective.state {
        TransformState::Live { bytes, .. } => Some((Some(bytes.to_vec()), effective.parent)),
        TransformState::Deleted { .. } => Some((None, effective.parent)),
        _ => None,
    }
}

fn follow(replica: &mut Replica, cursor: &mut ChangeCursor, followed: &mut Shown) {
    if replica.begins_anew(cursor) {
        followed.clear();
    }
    replica.for_each_change(cursor, |entity, effective| {
        match shown(effective) {
            Some(shown) => followed.insert(entity, shown),
            None => followed.remove(&entity),
        };
    });
    let mut anew = Shown::new();
    replica.for_each_change(&mut ChangeCursor::default(), |entity, effective| {
        anew.extend(shown(effective).map(|shown| (entity, shown)));
    });
    assert_eq!(*followed, anew);
}

/// Each in one of the ways in which a packet may come.
fn receive(replica: &mut Replica, end: &mut Connection, how: usize, bytes: &[u8]) {
    let report = &mut MergeReport::default();
    match how {
        0 => replica.receive(end, bytes, report).expect("a good stream"),
        1 => replica.receive_packet(end, bytes, report),
        2 => replica.receive_corrections(end, bytes, report),
        _ => replica.receive_packet_checked(end, bytes, report, |message, _| {
            match message.data().len() {
                3 => Check::Refuse,
                12 => Check::Correct(reference(40)),
                44 => Check::Correct(vec![0; 44]),
                _ => Check::Accept,
            }
        }),
    }
    let mut client = self::replica(Role::Scene, Limits::default());
    let read = client.merge_bytes(&report.authoritative, Role::Host).expect("a good stream");
    assert_eq!((read.fault_count, read.pending), (0, 0));
}

fn drive(data: &[u8]) {
    let mut from = Choices(data.iter());
    let role = from.of([Role::Host, Role::Scene, Role::Peer]);
    let mut limits = Limits::default();
    if from.below(4) == 0 {
        (limits.bytes, limits.entities, limits.tombstones) = (700, 6, 4);
    }
    let (mut shared, mut single) = (replica(role, limits), replica(role, limits));
    let (mut shared_ends, mut single_ends) = (ends(), ends());
    let (mut cursor, mut followed) = (ChangeCursor::default(), Shown::new());
    while !from.0.as_slice().is_empty() {
        match from.below(10) {
            0..6 => {
                let (end, how, bytes) = (from.below(ENDS as u8), from.below(4), message(&mut from));
                for (replica, ends) in
                    [(&mut shared, &mut shared_ends), (&mut single, &mut single_ends)]
                {
                    receive(replica, &mut ends[end], how, &bytes);
                }
            }
            6 => {
                let bytes = message(&mut from);
                let reports = [&mut shared, &mut single].map(|own| own.merge_bytes(&bytes, role));
                assert_eq!(reports[0], reports[1]);
            }
            7 => {
                let size = PacketSize::new(1 << 20).expect("large enough");
                for (first, second) in shared_ends.iter_mut().zip(&mut single_ends) {
                    let delta = shared.delta(first);
                    let packets = single.delta_packets(second, size);
                    assert_eq!(delta, packets.packets.concat());
                    let read = replica(Role::Scene, Limits::default())
                        .merge_bytes(&delta, Role::Host)
                        .expect("a good stream");
                    assert_eq!((read.fault_count, read.pending), (0, 0));
                }
            }
            _ => follow(&mut shared, &mut cursor, &mut followed),
        }
        assert_eq!(shared.usage().bytes, shared.dump().len());
    }
    follow(&mut shared, &mut cursor, &mut followed);
    let dump = shared.dump();
    assert_eq!(dump, single.dump());
    let mut copy = replica(role, Limits::default());
    copy.merge_bytes(&dump, Role::Host).expect("a good stream");
    assert_eq!(copy.dump(), dump);
}

fuzz_target!(|data: &[u8]| drive(&data[..data.len().min(400)]));
