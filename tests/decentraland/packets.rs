//! Packets of bounded size, and replicas that join late over a bad link.

use crate::common::{any_message, live::*, owned::Owned};
use legion_transform::{
    decentraland::{merge::*, wire::*},
    prelude::*,
};
use proptest::prelude::*;

fn keeping_all() -> Replica {
    let mut options = ReplicaOptions::default();
    options.keep_other_components = true;
    Replica::new(options)
}

fn size(bytes: usize) -> PacketSize {
    PacketSize::new(bytes).unwrap()
}

#[test]
fn a_packet_holds_at_least_a_transform() {
    assert_eq!(PacketSize::new(71), None);
    assert_eq!(PacketSize::new(72), Some(PacketSize::LEAST));
    assert_eq!(PacketSize::default(), PacketSize::SDK);
    let mut replica = Replica::default();
    let there = SceneEntity { network: 7, entity: EntityId(512) };
    replica.put_transform(there, &SceneTransform::IDENTITY).unwrap();
    let packets = replica.dump_packets(PacketSize::LEAST);
    assert_eq!((packets.packets, packets.too_large), (vec![replica.dump()], vec![]));
}

#[test]
fn what_is_too_large_is_told_and_stays_to_be_sent() {
    let mut replica = keeping_all();
    let door = SceneEntity::local(EntityId(512));
    replica.put(door.key(9), &[1; 100]).unwrap();
    replica.put(door.key(10), &[2; 10]).unwrap();
    replica.append(door.entity, 9, &[3; 90]).unwrap();
    replica.append(door.entity, 9, &[4]).unwrap();
    let too_large = [124, 114].map(|length| TooLarge { key: door.key(9), length });
    let small = replica.delta_packets(size(100));
    assert_eq!(small.too_large, too_large);
    assert_eq!(small.packets.concat().len(), 34 + 25);
    assert_eq!(replica.dump_packets(size(100)).too_large, too_large);
    let rest = replica.delta_packets(size(200));
    assert_eq!((rest.packets.concat().len(), rest.too_large), (124 + 114, vec![]));
    assert_eq!(replica.delta_packets(size(200)), Packets::default());
    let mut copy = keeping_all();
    for packet in small.packets.iter().chain(&rest.packets) {
        copy.merge_bytes(packet).unwrap();
    }
    assert_eq!(copy.dump(), replica.dump());
}

#[test]
fn packets_are_filled() {
    let mut replica = Replica::default();
    for id in 512..2512 {
        replica.put_transform(local(id), &at(id as f32, 0.0, 0.0, 0)).unwrap();
    }
    let packets = replica.dump_packets(PacketSize::SDK).packets;
    // 176 messages of 68 bytes are 11,968.
    assert_eq!(packets.len(), 2000_usize.div_ceil(176));
    assert_eq!(packets.concat(), replica.dump());
    assert_eq!(replica.delta_packets(PacketSize::SDK).packets, packets);
}

fn shuffle<T>(items: &mut [T], seed: &mut u64) {
    for i in (1..items.len()).rev() {
        items.swap(i, next(seed) as usize % (i + 1));
    }
}

fn next(seed: &mut u64) -> u32 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as u32
}

fn many() -> impl Strategy<Value = Vec<Owned>> {
    prop::collection::vec(any_message(), 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn packets_in_any_order_and_again_and_again_are_the_dump(
        messages in many(),
        bytes in 72usize..400,
        mut seed in any::<u64>(),
    ) {
        let mut replica = keeping_all();
        messages.iter().for_each(|message| _ = replica.merge(&message.message()));
        let Packets { mut packets, too_large } = replica.dump_packets(size(bytes));
        prop_assert_eq!(too_large, vec![]);
        prop_assert!(packets.iter().all(|packet| (1..=bytes).contains(&packet.len())));
        prop_assert_eq!(packets.concat(), replica.dump());
        packets.extend(packets.clone());
        shuffle(&mut packets, &mut seed);
        let mut copy = keeping_all();
        for packet in &packets {
            let report = copy.merge_bytes(packet).unwrap();
            prop_assert_eq!((report.fault_count, report.pending), (0, 0));
        }
        prop_assert_eq!(copy.dump(), replica.dump());
        prop_assert_eq!(replica.delta_packets(size(bytes)).packets.concat(), replica.dump());
    }
}

/// Packets under way: they come late, in another order, some twice, and some never.
#[derive(Default)]
struct BadLink {
    packets: Vec<(u32, Vec<u8>)>,
    seed: u64,
}

impl BadLink {
    fn send(&mut self, tick: u32, packets: impl IntoIterator<Item = Vec<u8>>) {
        for packet in packets {
            // One in five is lost, one in five comes twice.
            for _ in 0..[0, 1, 1, 1, 2][next(&mut self.seed) as usize % 5] {
                self.packets.push((tick + 1 + next(&mut self.seed) % 8, packet.clone()));
            }
        }
    }

    fn arrived(&mut self, tick: u32) -> Vec<Vec<u8>> {
        let mut arrived: Vec<_> =
            self.packets.extract_if(.., |(arrives, _)| *arrives <= tick).collect();
        shuffle(&mut arrived, &mut self.seed);
        arrived.into_iter().map(|(_, packet)| packet).collect()
    }
}

/// Some edits of a live scene: moves, other parents, deletions and new entities.
fn edit(live: &mut Live, seed: &mut u64) {
    for _ in 0..3 {
        let id = 512 + next(seed) % 40;
        match next(seed) % 8 {
            0 => _ = live.replica.delete_transform(local(id)),
            1 => _ = live.replica.delete_entity(local(id)),
            2 => _ = live.replica.put(local(id).key(9), &[id as u8; 60]),
            3 => {
                let entity = live.replica.new_entity().unwrap();
                live.replica.put_transform(entity, &at(1.0, 0.0, 0.0, id)).unwrap();
            }
            4 if live.mirror.entity(local(id)).is_some() => {
                live.set(id, Translation::new(id as f32, 0.5, 0.0))
            }
            _ => {
                let parent = 512 + next(seed) % 40;
                _ = live
                    .replica
                    .put_transform(local(id), &at(next(seed) as f32 / 1e9, 1.0, 0.0, parent));
            }
        }
    }
}

#[test]
fn late_joiners_over_a_bad_link_end_like_everybody_else() {
    for seed in 0..20 {
        let mut random = seed;
        let mut first = Live::default();
        let (mut late, mut links) =
            ([Live::default(), Live::default()], [BadLink::default(), BadLink::default()]);
        for (number, link) in links.iter_mut().enumerate() {
            link.seed = seed * 2 + number as u64;
        }
        for tick in 0..120_u32 {
            if tick < 60 {
                edit(&mut first, &mut random);
            }
            let _ = first.mirror.send_edits(&mut first.replica, &first.world);
            let delta = first.replica.delta_packets(size(300)).packets;
            for (joined, (late, link)) in [20, 45].into_iter().zip(late.iter_mut().zip(&mut links))
            {
                if tick >= joined {
                    link.send(tick, delta.iter().cloned());
                    // The whole state now and then, for what was lost and what was before.
                    if (tick - joined) % 5 == 0 {
                        link.send(tick, first.replica.dump_packets(size(300)).packets);
                    }
                }
                for packet in link.arrived(tick) {
                    let report = late.replica.merge_bytes(&packet).unwrap();
                    assert_eq!(report.fault_count, 0);
                    first.replica.merge_bytes(&report.corrections).unwrap();
                }
                late.update();
                // It sends nothing: it did nothing.
                assert_eq!(
                    late.mirror.send_edits(&mut late.replica, &late.world),
                    Default::default()
                );
            }
            first.update();
        }
        for late in &late {
            assert!(late.replica.dump() == first.replica.dump(), "seed {seed}: dumps differ");
            assert_eq!(late.matrices(), first.matrices(), "seed {seed}");
        }
        assert!(first.matrices().len() > 20);
    }
}
