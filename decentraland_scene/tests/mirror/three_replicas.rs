//! Many random messages, in other orders, batches and duplicates on three replicas, end in the same
//! bytes and the same bits.

use crate::{
    common::{Owned, encode, live::*},
    soak::soak,
};
use decentraland_scene::{merge::*, wire::*};

/// A small generator of our own, so that a seed means the same scene for ever.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (((self.0 >> 32) * u64::from(below)) >> 32) as u32
    }

    fn number(&mut self) -> f32 {
        (self.next(4001) as f32 - 2000.0) / 1000.0
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.next(i as u32 + 1) as usize);
        }
    }
}

/// Entities are about a tenth of the messages; parents are anybody, so that there are cycles all
/// the time.
fn messages(count: usize, random: &mut Random) -> Vec<Owned> {
    let entities = (count / 10).clamp(10, 40_000) as u32;
    let entity = |random: &mut Random| {
        let version = if random.next(10) == 0 { 1 } else { 0 };
        EntityId::new(512 + random.next(entities) as u16, version)
    };
    let mut message = || {
        let network = (random.next(20) == 0).then_some(7);
        let (id, timestamp) = (entity(random), random.next(6));
        match random.next(100) {
            0 => Owned::DeleteEntity { network, entity: id },
            1..8 => Owned::DeleteComponent { network, entity: id, component: 1, timestamp },
            8..10 => Owned::PutComponent {
                network,
                entity: id,
                component: 9,
                timestamp,
                data: vec![timestamp as u8],
            },
            _ => {
                let parent = if random.next(3) == 0 { EntityId::ROOT } else { entity(random) };
                let mut number = || random.number();
                let transform = SceneTransform {
                    position: std::array::from_fn(|_| number()),
                    rotation: std::array::from_fn(|_| number()),
                    scale: std::array::from_fn(|_| number()),
                    parent,
                };
                Owned::PutComponent {
                    network,
                    entity: id,
                    component: 1,
                    timestamp,
                    data: transform.to_bytes().to_vec(),
                }
            }
        }
    };
    (0..count).map(|_| message()).collect()
}

#[test]
fn three_replicas_end_in_the_same_bytes_and_bits() {
    let count = soak(3_000);
    let mut random = Random(0x5eed);
    let messages = messages(count, &mut random);
    let mut ends = Vec::new();
    for replica in 0..3 {
        let mut order: Vec<usize> = (0..count).collect();
        order.extend((0..count).filter(|_| random.next(5) == 0));
        random.shuffle(&mut order);
        let stream: Vec<u8> =
            order.iter().flat_map(|&index| encode(&[messages[index].message()])).collect();

        let (mut live, mut report) = (Live::default(), MergeReport::default());
        let mut rest = &stream[..];
        let mut runs = 0;
        while !rest.is_empty() {
            // Runs are fewer where there is more to do in each, so that a long soak ends.
            let piece = (1 + random.next(200 * 68 * (1 + count as u32 / 20_000))) as usize;
            let (piece, left) = rest.split_at(piece.min(rest.len()));
            live.replica.receive(&mut live.peer, piece, &mut report).unwrap();
            live.update();
            (rest, runs) = (left, runs + 1);
        }
        assert_eq!(
            (report.messages(), report.fault_count, report.pending),
            (order.len() as u64, 0, 0)
        );
        println!(
            "replica {replica}: {} messages in {runs} runs, {} accepted, {} transforms live, {} \
             entities in the world",
            order.len(),
            report.accepted,
            live.replica.transforms().count(),
            live.mirror.entities().count(),
        );
        ends.push((live.replica.dump(), live.matrices()));
    }
    assert!(ends[0].1.len() > count / 30, "the scene is not empty");
    for end in &ends[1..] {
        assert!(ends[0].0 == end.0, "dumps differ");
        assert!(ends[0].1 == end.1, "matrices differ");
    }
}
