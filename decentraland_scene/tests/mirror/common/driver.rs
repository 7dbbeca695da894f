//! Two worlds that edit one scene, driven by bytes: whatever the order of edits, runs and messages,
//! both sides end alike. Property tests and the fuzz target share it.

#[path = "bytes.rs"]
mod bytes;
#[path = "side.rs"]
mod side;

use decentraland_scene::merge::*;

use super::live::*;
use bytes::Bytes;
use side::Side;

/// Drives two sides by bytes.
pub fn drive(bytes: &[u8]) {
    let bytes = &mut Bytes { rest: bytes, numbers: 6 };
    let mut limits = Limits::default();
    let mode = bytes.below(4);
    // With two or three, the same entity is edited again and again.
    bytes.numbers = [6, 6, 3, 2][usize::from(bytes.below(4))];
    if mode == 3 {
        (limits.entities, limits.tombstones, limits.bytes_per_key) = (4, 2, 3);
    }
    let size = PacketSize::new(72 + usize::from(bytes.next())).unwrap_or_default();
    let mut sides = [Side::new(limits, mode == 1), Side::new(limits, false)];
    while !bytes.rest.is_empty() {
        let step = bytes.next();
        let (number, step) = (usize::from(step & 1), step >> 1);
        let mut sent = Vec::new();
        let side = &mut sides[number];
        match step % 12 {
            0..3 => sent.push(side.edit(bytes)),
            3..6 => side.live.run(),
            6 | 7 => side.apply(),
            8 => {
                let index = bytes.next();
                if let Some(packet) =
                    side.inbox.get(usize::from(index) % side.inbox.len().max(1)).cloned()
                {
                    sent.push(side.merge(&packet));
                }
            }
            9 => sent.push(side.write(bytes)),
            10 if bytes.below(2) == 0 => sent.extend(side.live.replica.dump_packets(size).packets),
            10 => {
                let Live { replica, peer, .. } = &mut side.live;
                sent.extend(replica.delta_packets(peer, size).packets);
            }
            _ => side.restart(bytes),
        }
        assert!(sent.len() < 2 || sent.iter().all(|packet| packet.len() <= size.bytes()));
        sides[1 - number].inbox.extend(sent.into_iter().filter(|packet| !packet.is_empty()));
    }
    if mode == 3 {
        for side in &sides {
            let usage = side.live.replica.usage();
            assert!(usage.entities <= limits.entities && usage.tombstones <= limits.tombstones);
        }
    } else {
        settle(&mut sides);
    }
}

/// Lets everything arrive: both sides end in the same bytes and the same matrices.
fn settle(sides: &mut [Side; 2]) {
    sides.iter_mut().for_each(Side::tidy);
    for number in [0, 1, 0, 1] {
        let dump = sides[1 - number].live.replica.dump();
        let side = &mut sides[number];
        side.merge(&dump);
        side.live.update();
    }
    let dump = sides[0].live.replica.dump();
    for side in sides {
        // A root entity of the identity makes 0 of -0.
        let mut fresh = Side::new(Limits::default(), side.below_root).live;
        fresh.replica.merge_bytes(&dump, Role::Peer).expect("a dump is a good stream");
        fresh.update();
        assert!(side.live.replica.dump() == dump, "dumps differ");
        assert_eq!(side.live.mirror.findings().len(), fresh.mirror.findings().len());
        let found = side.live.matrices();
        for (scene, matrix) in fresh.matrices() {
            assert_eq!(found.get(&scene), Some(&matrix), "{scene}");
        }
    }
}
