//! Any bytes, cut anywhere: the reader neither panics nor hangs nor keeps more than its limit, the
//! cuts do not matter, and what was merged dumps and reads back as the same state.
#![no_main]

use decentraland_scene::{
    merge::{Connection, MergeReport, PacketSize, Replica, ReplicaOptions, Role},
    wire::Reader,
};
use libfuzzer_sys::fuzz_target;

const LIMIT: usize = 4096;

fn replica() -> Replica {
    let mut options = ReplicaOptions::default();
    options.keep_other_components = true;
    options.role = Role::Host;
    Replica::new(options)
}

/// Merges the bytes in pieces of this length.
fn merge(bytes: &[u8], piece: usize) -> (Vec<u8>, MergeReport) {
    let (mut replica, mut report) = (replica(), MergeReport::default());
    let mut from = Connection::with_reader(Role::Host, Reader::new(LIMIT));
    for piece in bytes.chunks(piece) {
        let ended = replica.receive(&mut from, piece, &mut report).is_err();
        assert!(from.pending() <= LIMIT);
        if ended {
            break;
        }
    }
    (replica.dump(), report)
}

fuzz_target!(|data: &[u8]| {
    let Some((&cut, bytes)) = data.split_first() else { return };
    let (whole, mut report) = merge(bytes, LIMIT);
    let (cut, mut cut_report) = merge(bytes, usize::from(cut) + 1);
    // Where a stream ended, what is left of the piece is not read.
    (report.pending, cut_report.pending) = (0, 0);
    assert_eq!((&whole, report), (&cut, cut_report));

    let mut copy = replica();
    let read_back = copy.merge_bytes(&whole, Role::Host).expect("a dump is a good stream");
    assert_eq!((read_back.fault_count, read_back.pending), (0, 0));
    assert_eq!(copy.dump(), whole);
    assert_eq!(copy.usage().bytes, whole.len());
    let packets = copy.dump_packets(PacketSize::LEAST);
    assert!(packets.packets.iter().all(|packet| packet.len() <= PacketSize::LEAST.bytes()));
    let too_large: usize = packets.too_large.iter().map(|message| message.length).sum();
    assert_eq!(packets.packets.concat().len() + too_large, whole.len());
    // To a scene, a host sends all that it has.
    assert_eq!(copy.delta(&mut Connection::new(Role::Scene)), whole);
});
