//! Packets of bounded size.

use crate::{
    common::*,
    messages::{Owned, any_message},
};
use decentraland_scene::{merge::*, wire::*};
use proptest::prelude::*;

fn size(bytes: usize) -> PacketSize {
    PacketSize::new(bytes).unwrap()
}

#[test]
fn a_packet_holds_at_least_a_transform() {
    assert_eq!(PacketSize::new(71), None);
    assert_eq!(PacketSize::new(72), Some(PacketSize::LEAST));
    assert_eq!(PacketSize::default(), PacketSize::SDK);
    let mut replica = Replica::default();
    let there = SceneEntity::networked(7, EntityId(512));
    replica.put_transform(there, &SceneTransform::IDENTITY).unwrap();
    let packets = replica.dump_packets(PacketSize::LEAST);
    assert_eq!((packets.packets, packets.too_large), (vec![replica.dump()], vec![]));
}

#[test]
fn what_is_too_large_is_told() {
    let mut replica = keeping_all();
    let mut to = Connection::new(Role::Peer);
    let door = SceneEntity::local(EntityId(512));
    replica.put(door.key(9), &[1; 100]).unwrap();
    replica.put(door.key(10), &[2; 10]).unwrap();
    replica.append(door.entity, 9, &[3; 90]).unwrap();
    replica.append(door.entity, 9, &[4]).unwrap();
    let too_large = [124, 114].map(|length| TooLarge { key: door.key(9), length });
    assert_eq!(replica.dump_packets(size(100)).too_large, too_large);
    let small = replica.delta_packets(&mut to, size(100));
    assert_eq!(small.too_large, too_large);
    assert_eq!(small.packets.concat().len(), 25 + 34);
    // Told once; another way is up to the sender.
    assert_eq!(replica.delta_packets(&mut to, size(200)), Packets::default());
    to.resync();
    assert_eq!(replica.delta_packets(&mut to, size(200)).packets.concat(), replica.dump());
}

#[test]
fn packets_are_filled() {
    let mut replica = Replica::default();
    for id in 512..2512 {
        let transform = SceneTransform { position: [id as f32; 3], ..SceneTransform::IDENTITY };
        replica.put_transform(SceneEntity::local(EntityId(id)), &transform).unwrap();
    }
    let packets = replica.dump_packets(PacketSize::SDK).packets;
    // 176 messages of 68 bytes are 11,968.
    assert_eq!(packets.len(), 2000_usize.div_ceil(176));
    assert_eq!(packets.concat(), replica.dump());
    assert_eq!(
        replica.delta_packets(&mut Connection::new(Role::Peer), PacketSize::SDK).packets,
        packets
    );
}

fn many() -> impl Strategy<Value = Vec<Owned>> {
    prop::collection::vec(any_message(), 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::soak::cases(150)))]

    #[test]
    fn packets_in_any_order_and_again_and_again_are_the_dump(
        messages in many(),
        bytes in 72usize..400,
        seed in any::<u64>(),
    ) {
        let mut replica = keeping_all();
        messages.iter().for_each(|message| _ = replica.merge(&message.message(), Role::Peer));
        let Packets { mut packets, too_large, .. } = replica.dump_packets(size(bytes));
        prop_assert_eq!(too_large, vec![]);
        prop_assert!(packets.iter().all(|packet| (1..=bytes).contains(&packet.len())));
        prop_assert_eq!(packets.concat(), replica.dump());
        packets.extend(packets.clone());
        shuffle(&mut packets, seed);
        let mut copy = keeping_all();
        for packet in &packets {
            let report = copy.merge_bytes(packet, Role::Peer).unwrap();
            prop_assert_eq!((report.fault_count, report.pending), (0, 0));
        }
        prop_assert_eq!(copy.dump(), replica.dump());
        let mut to = Connection::new(Role::Peer);
        let delta = replica.delta_packets(&mut to, size(bytes)).packets.concat();
        prop_assert_eq!(delta, replica.dump());
    }
}
