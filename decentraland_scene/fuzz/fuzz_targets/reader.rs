//! Any bytes, cut anywhere: the reader neither panics nor hangs nor keeps more than its limit, the
//! cuts do not matter, and what was merged dumps and reads back as the same state, from each role
//! and with each authority.
#![no_main]

use decentraland_scene::{
    merge::{Authority, Connection, MergeReport, Names, PacketSize, Replica, ReplicaOptions, Role},
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
fn merge(bytes: &[u8], piece: usize, ends: u8) -> (Vec<u8>, MergeReport) {
    let (mut replica, mut report) = (replica(), MergeReport::default());
    let role = [Role::Host, Role::Scene, Role::Peer][usize::from(ends % 3)];
    let authority = [Authority::Theirs, Authority::Ours, Authority::None];
    let mut from = Connection::with_reader(role, Reader::new(LIMIT))
        .with_authority(authority[usize::from(ends / 3 % 3)]);
    for piece in bytes.chunks(piece) {
        let ended = replica.receive(&mut from, piece, &mut report).is_err();
        assert!(from.pending() <= LIMIT);
        if ended {
            break;
        }
    }
    for names in [Names::AsTheyCame, Names::Plain, Names::Networked] {
        let mut end = Connection::new(role).with_names(names).with_authority(Authority::Ours);
        let delta = replica.delta(&mut end);
        let read = replica.clone().merge_bytes(&delta, Role::Host).expect("a good stream");
        assert_eq!((read.fault_count, read.pending), (0, 0));
    }
    (replica.dump(), report)
}

fuzz_target!(|data: &[u8]| {
    let Some((&[cut, ends], bytes)) = data.split_first_chunk() else { return };
    let (whole, mut report) = merge(bytes, LIMIT, ends);
    let (cut, mut cut_report) = merge(bytes, usize::from(cut) + 1, ends);
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
    // Packets begin anew each.
    let mut from = Connection::with_reader(Role::Scene, Reader::new(LIMIT));
    for packet in bytes.chunks(usize::from(ends) + 1) {
        copy.receive_packet(&mut from, packet, &mut MergeReport::default());
        assert_eq!(from.pending(), 0);
    }
    let mut report = MergeReport::default();
    copy.receive_packet(&mut from, &[12, 0, 0, 0, 3, 0, 0, 0, 0, 2, 0xff, 0xff], &mut report);
    assert_eq!((report.messages(), report.fault_count), (1, 0));
});
