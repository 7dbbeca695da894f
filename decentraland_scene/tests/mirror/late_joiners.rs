//! Replicas that join late, over a link that delays, repeats and loses packets.

use crate::common::live::*;
use decentraland_scene::merge::*;
use legion_transform::prelude::*;

fn shuffle<T>(items: &mut [T], seed: &mut u64) {
    for i in (1..items.len()).rev() {
        items.swap(i, next(seed) as usize % (i + 1));
    }
}

fn next(seed: &mut u64) -> u32 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as u32
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
                live.set(id, Translation::new(id as f32, 0.5, 0.0));
                // Its parent may be gone from the world, and it from the scene.
                if let Ok(edited) = live.mirror.transform_of(&live.world, local(id)) {
                    _ = live.replica.put_transform(local(id), &edited);
                }
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
    let size = PacketSize::new(300).unwrap();
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
            let delta = first.replica.delta_packets(&mut first.peer, size).packets;
            for (joined, (late, link)) in [20, 45].into_iter().zip(late.iter_mut().zip(&mut links))
            {
                if tick >= joined {
                    link.send(tick, delta.iter().cloned());
                    // The whole state now and then, for what was lost and what was before.
                    if (tick - joined) % 5 == 0 {
                        link.send(tick, first.replica.dump_packets(size).packets);
                    }
                }
                for packet in link.arrived(tick) {
                    let report = late.replica.merge_bytes(&packet, Role::Peer).unwrap();
                    assert_eq!(report.fault_count, 0);
                    first.replica.merge_bytes(&report.corrections, Role::Peer).unwrap();
                }
                late.update();
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
