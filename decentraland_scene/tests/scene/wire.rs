//! Messages as bytes: the known ones, cut anywhere, and every kind of bad input.

use std::f32::consts::{E, FRAC_1_SQRT_2, LN_10, PI};

use crate::{
    common::*,
    messages::{Owned, any_message, encode},
};
use decentraland_scene::wire::*;
use proptest::prelude::*;

/// All items that a reader gives for a stream in these pieces, and the bytes it keeps.
fn read_all(reader: &mut Reader, pieces: &[&[u8]]) -> Vec<Result<Vec<u8>, Fault>> {
    let mut items = Vec::new();
    for piece in pieces {
        match reader.read(piece) {
            Ok(frames) => items.extend(frames.map(|item| item.map(|message| encode(&[message])))),
            Err(fault) => {
                items.push(Err(fault));
                break;
            }
        }
    }
    items
}

#[test]
fn the_known_transform() {
    let bytes = unhex(
        "db0f4940 8e5d1340 f304353f db0f4940 54f82d40 00000000 f304353f db0f4940 54f82d40 \
         8e5d1340 15cd5b07",
    );
    let bytes: [u8; 44] = bytes.try_into().unwrap();
    let transform = SceneTransform::from_bytes(&bytes);
    let (pi, e, ln_10, half) = (PI, E, LN_10, FRAC_1_SQRT_2);
    assert_eq!(transform.position, [pi, ln_10, half]);
    assert_eq!(transform.rotation, [pi, e, 0.0, half]);
    assert_eq!(transform.scale, [pi, e, ln_10]);
    assert_eq!(transform.parent, EntityId(123_456_789));
    assert_eq!(transform.to_bytes(), bytes);
}

#[test]
fn the_known_messages() {
    let value = SceneTransform::IDENTITY.to_bytes();
    let put = put(512, 1, 0, &value);
    let mut bytes = unhex("44000000 01000000 00020000 01000000 00000000 2c000000");
    bytes.extend(value);
    assert_eq!(encode(&[put]), bytes);

    let delete = delete(512, 1, 2);
    assert_eq!(encode(&[delete]), unhex("14000000 02000000 00020000 01000000 02000000"));

    let gone = death(512);
    assert_eq!(encode(&[gone]), unhex("0c000000 03000000 00020000"));
}

#[test]
fn every_type_has_its_length_and_its_fields() {
    let (entity, component, timestamp, data) = (EntityId(0x0102_0304), 5, 6, &[9u8, 8, 7][..]);
    let table = [
        (
            put(entity, component, timestamp, data),
            "1b000000 01000000 04030201 05000000 06000000 03000000 090807",
        ),
        (delete(entity, component, timestamp), "14000000 02000000 04030201 05000000 06000000"),
        (death(entity), "0c000000 03000000 04030201"),
        (
            Message::AppendValue { entity, component, timestamp, data },
            "1b000000 04000000 04030201 05000000 06000000 03000000 090807",
        ),
        (
            put(SceneEntity::networked(11, entity), component, timestamp, data),
            "1f000000 05000000 04030201 05000000 06000000 0b000000 03000000 090807",
        ),
        (
            delete(SceneEntity::networked(11, entity), component, timestamp),
            "18000000 06000000 04030201 05000000 06000000 0b000000",
        ),
        (death(SceneEntity::networked(11, entity)), "10000000 07000000 04030201 0b000000"),
    ];
    for (message, hex) in table {
        let bytes = unhex(hex);
        assert_eq!((message.len(), encode(&[message])), (bytes.len(), bytes.clone()));
        let mut reader = Reader::default();
        let read: Vec<_> = reader.read(&bytes).unwrap().collect();
        assert_eq!(read, [Ok(message)]);
    }
}

#[test]
fn entity_ids_are_version_and_number() {
    let id = EntityId(0x0003_0200);
    assert_eq!((id.version(), id.number(), EntityId::new(512, 3)), (3, 512, id));
    assert!(!id.is_reserved() && EntityId(511).is_reserved() && EntityId::new(5, 9).is_reserved());
    assert!(SceneEntity::PLAYER.is_reserved());
    assert!(!SceneEntity::networked(0, EntityId::PLAYER).is_reserved());
}

#[test]
fn whole_frames_are_read_where_they_lie() {
    let value = [7u8; 44];
    let put = put(512, 1, 0, &value);
    let bytes = encode(&[put, put]);
    let mut reader = Reader::default();
    for item in reader.read(&bytes).unwrap() {
        let Ok(Message::PutComponent { data, .. }) = item else { panic!("{item:?}") };
        assert!(bytes.as_ptr_range().contains(&data.as_ptr()));
    }
}

#[test]
fn a_length_below_the_header_ends_the_stream() {
    let good = encode(&[death(512)]);
    for length in 0..8u32 {
        let mut bytes = good.clone();
        bytes.extend(length.to_le_bytes());
        bytes.extend(99u32.to_le_bytes());
        bytes.extend(&good);
        let mut reader = Reader::default();
        let fault = Fault { offset: 12, kind: FaultKind::LengthBelowHeader { length } };
        assert_eq!(read_all(&mut reader, &[&bytes]), [Ok(good.clone()), Err(fault)]);
        assert!(fault.is_fatal());
        // It stays ended.
        assert_eq!(reader.read(&good).err(), Some(fault));
    }
}

#[test]
fn a_frame_above_the_limit_ends_the_stream_before_anything_is_kept() {
    // A put of 0xffffffff bytes, whatever its header says, and an unknown type of that length.
    let put = "44000000 01000000 00020000 01000000 00000000 ffffffff";
    for (hex, length) in [(put, 0x1_0000_0017), ("ffffffff 63000000", 0xffff_ffff)] {
        let mut bytes = unhex(hex);
        bytes.extend([0; 500]);
        let kind = FaultKind::FrameTooLong { length, limit: 1000 };
        let mut reader = Reader::new(1000);
        assert_eq!(read_all(&mut reader, &[&bytes]), [Err(Fault { offset: 0, kind })]);
        assert_eq!(reader.pending(), 0);
    }
}

#[test]
fn a_batch_above_the_limit_is_refused_and_nothing_is_lost() {
    let good = encode(&[death(512)]);
    let batch = good.repeat(10);
    let mut reader = Reader::new(100);
    let refused = reader.read(&batch).err().unwrap();
    assert_eq!(refused.kind, FaultKind::BatchTooLarge { bytes: 120, limit: 100 });
    assert!(!refused.is_fatal());
    let pieces: Vec<&[u8]> = batch.chunks(100).collect();
    assert_eq!(read_all(&mut reader, &pieces).len(), 10);
}

#[test]
fn frames_left_over_do_not_pile_up_without_bound() {
    let batch = encode(&[death(512)]).repeat(8);
    let mut reader = Reader::new(100);
    let mut refused = 0;
    for _ in 0..10 {
        refused += usize::from(reader.read(&batch).is_err());
        assert!(reader.pending() <= 200);
    }
    assert!(refused > 0);
    // What was kept can still be had.
    let kept = reader.pending();
    assert_eq!(reader.read(&[]).unwrap().count() * 12, kept);
    assert!(reader.read(&batch).is_ok());
}

/// Messages whose header says another length than their fields have, each with what they are.
const WRONG_LENGTHS: [(&str, &str); 9] = [
    // godot-explorer's deletion of a component: says 28, has 20.
    (
        "1c000000 02000000 00020000 01000000 02000000",
        "14000000 02000000 00020000 01000000 02000000",
    ),
    // Its put: says 21, has 25.
    (
        "15000000 01000000 00020000 09000000 00000000 01000000 ff",
        "19000000 01000000 00020000 09000000 00000000 01000000 ff",
    ),
    // Less than its fields.
    (
        "0c000000 01000000 00020000 09000000 00000000 00000000",
        "18000000 01000000 00020000 09000000 00000000 00000000",
    ),
    (
        "ffffffff 04000000 00020000 09000000 00000000 01000000 ff",
        "19000000 04000000 00020000 09000000 00000000 01000000 ff",
    ),
    (
        "18000000 05000000 00020000 09000000 00000000 07000000 01000000 ff",
        "1d000000 05000000 00020000 09000000 00000000 07000000 01000000 ff",
    ),
    (
        "14000000 06000000 00020000 01000000 02000000 07000000",
        "18000000 06000000 00020000 01000000 02000000 07000000",
    ),
    ("08000000 03000000 00020000", "0c000000 03000000 00020000"),
    ("10000000 03000000 00020000", "0c000000 03000000 00020000"),
    ("0b000000 07000000 00020000 07000000", "10000000 07000000 00020000 07000000"),
];

#[test]
fn known_types_are_read_by_their_fields() {
    let good = encode(&[death(512)]);
    for (wrong, right) in WRONG_LENGTHS {
        let (wrong, right) = (unhex(wrong), unhex(right));
        let [kind, length] =
            [4, 0].map(|at| u32::from_le_bytes(std::array::from_fn(|i| wrong[at + i])));
        let kind = FaultKind::LengthMismatch { kind, length, expected: right.len() as u64 };
        assert!(!kind.is_fatal());
        let fault = Err(Fault { offset: 0, kind });
        // In the middle and at the end, of a stream cut anywhere and of a packet.
        for rest in [&[][..], &good] {
            let bytes = [&wrong[..], rest].concat();
            let mut expected = vec![fault.clone(), Ok(right.clone())];
            expected.extend((!rest.is_empty()).then(|| Ok(good.clone())));
            for cut in 0..bytes.len() {
                let (start, end) = bytes.split_at(cut);
                assert_eq!(read_all(&mut Reader::default(), &[start, end]), expected, "{cut}");
            }
            assert_eq!(read_packets(&[&bytes]), expected);
        }
    }
}

/// All items that a reader gives for packets.
fn read_packets(packets: &[&[u8]]) -> Vec<Result<Vec<u8>, Fault>> {
    let mut reader = Reader::new(1000);
    let mut items = Vec::new();
    for packet in packets {
        match reader.read_packet(packet) {
            Ok(frames) => items.extend(frames.map(|item| item.map(|message| encode(&[message])))),
            Err(fault) => items.push(Err(fault)),
        }
        assert_eq!(reader.pending(), 0);
    }
    items
}

#[test]
fn nothing_malformed_outlives_its_packet() {
    use FaultKind::{BatchTooLarge, IncompleteEnd, LengthBelowHeader, UnknownType};
    let good = encode(&[death(512)]);
    let table = [
        // A length below the header's; what follows it is not read.
        ("04000000 01000000 0c000000 03000000 00020000", LengthBelowHeader { length: 4 }),
        // Half a header, half a message, data that would be longer than the packet.
        ("0c0000", IncompleteEnd { bytes: 3 }),
        ("0c000000 03000000 0002", IncompleteEnd { bytes: 10 }),
        ("18000000 01000000 00020000 01000000 00000000 2c000000", IncompleteEnd { bytes: 24 }),
        ("18000000 01000000 00020000 01000000 00000000 ffffffff", IncompleteEnd { bytes: 24 }),
        // Unknown types, whole, and longer than the packet.
        ("0d000000 63000000 0102030405", UnknownType { kind: 99, length: 13 }),
        ("08000000 00000000", UnknownType { kind: 0, length: 8 }),
        ("08000000 09000000", UnknownType { kind: 9, length: 8 }),
        ("08000000 ffffffff", UnknownType { kind: u32::MAX, length: 8 }),
        ("ffffffff 63000000 0102030405", IncompleteEnd { bytes: 13 }),
    ];
    for (hex, kind) in table {
        let bad = unhex(hex);
        let fault = Err(Fault { offset: 0, kind });
        assert_eq!(read_packets(&[&bad, &good]), [fault, Ok(good.clone())], "{hex}");
        let behind = Err(Fault { offset: 12, kind });
        let packet = [&good[..], &bad].concat();
        let expected = [Ok(good.clone()), behind, Ok(good.clone())];
        assert_eq!(read_packets(&[&packet, &good]), expected, "{hex}");
    }
    let fault = Err(Fault { offset: 0, kind: BatchTooLarge { bytes: 1001, limit: 1000 } });
    assert_eq!(read_packets(&[&[0; 1001], &good]), [fault, Ok(good.clone())]);
    // What a stream left over, and where it ended, says nothing of a packet.
    let mut reader = Reader::default();
    assert_eq!(reader.read(&good[..5]).unwrap().count(), 0);
    assert_eq!(reader.read_packet(&good).unwrap().count(), 1);
    assert_eq!(reader.read(&[4, 0, 0, 0, 1, 0, 0, 0]).unwrap().count(), 1);
    assert!(reader.read(&good).is_err());
    assert_eq!(reader.read_packet(&good).unwrap().count(), 1);
}

/// SDKs from December 2023 to 7.27 write the deletion of an entity of a network with a length of
/// 12, and then 16 bytes.
#[test]
fn a_deletion_in_a_network_has_16_bytes_whatever_old_sdks_say() {
    let deletion = death(SceneEntity::networked(7, EntityId(34_465)));
    let new = encode(&[deletion]);
    let mut old = new.clone();
    old[0] = 12;
    let put = encode(&[death(512)]);
    for bytes in [[&old[..], &put].concat(), [&put[..], &old].concat(), old.repeat(2)] {
        for cut in 0..bytes.len() {
            let (start, end) = bytes.split_at(cut);
            let items = read_all(&mut Reader::default(), &[start, end]);
            assert_eq!(items.len(), 2, "{items:?}");
            assert!(items.iter().all(|item| *item == Ok(new.clone()) || *item == Ok(put.clone())));
        }
    }
    let mut reader = Reader::default();
    assert_eq!(reader.read(&old[..12]).unwrap().count(), 0);
    assert_eq!(reader.pending(), 12);
}

/// A frame of an unknown type is reported as soon as its header is there, and not kept.
#[test]
fn a_frame_that_is_skipped_is_not_kept_first() {
    let good = encode(&[death(512)]);
    let length = 1_000_000_u32;
    let mut bytes = length.to_le_bytes().to_vec();
    bytes.extend(unhex("63000000"));
    bytes.resize(length as usize, 0xff);
    bytes.extend(&good);
    let kind = FaultKind::UnknownType { kind: 99, length };
    for piece in [1, 7, 24, 1000, bytes.len()] {
        let mut reader = Reader::default();
        let mut items = Vec::new();
        for (number, bytes) in bytes.chunks(piece).enumerate() {
            items.extend(read_all(&mut reader, &[bytes]));
            // The end may be the beginning of the good frame.
            assert!(reader.pending() < good.len(), "piece {number} of {piece}");
            assert_eq!(items.is_empty(), (number + 1) * piece < 8);
        }
        let fault = Fault { offset: 0, kind };
        assert_eq!(items, [Err(fault), Ok(good.clone())], "in pieces of {piece}");
    }
}

#[test]
fn faults_say_where_and_what() {
    let fault = Fault { offset: 68, kind: FaultKind::LengthBelowHeader { length: 3 } };
    assert!(fault.to_string().starts_with("at byte 68: a frame of 3 bytes"), "{fault}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::soak::cases(256)))]

    #[test]
    fn every_44_bytes_are_a_transform_and_come_back(bytes in prop::array::uniform(any::<u8>())) {
        prop_assert_eq!(SceneTransform::from_bytes(&bytes).to_bytes(), bytes);
    }

    #[test]
    fn messages_come_back_from_any_pieces(
        messages in prop::collection::vec(any_message(), 0..20),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        let messages: Vec<_> = messages.iter().map(Owned::message).collect();
        let bytes = encode(&messages);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]).collect();

        let mut reader = Reader::default();
        let read = read_all(&mut reader, &pieces);
        let expected: Vec<_> = messages.iter().map(|&message| Ok(encode(&[message]))).collect();
        prop_assert_eq!(read, expected);
        prop_assert_eq!(reader.pending(), 0);
    }

    #[test]
    fn arbitrary_bytes_give_the_same_in_any_pieces(
        bytes in noise(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..10),
        limit in 8usize..200,
    ) {
        let whole = read_all(&mut Reader::new(limit), &bytes.chunks(limit).collect::<Vec<_>>());
        let mut pieces: Vec<&[u8]> = vec![];
        let mut rest = &bytes[..];
        for cut in cuts {
            let (piece, left) = rest.split_at(cut.index(rest.len() + 1).min(limit));
            pieces.push(piece);
            rest = left;
        }
        pieces.extend(rest.chunks(limit));
        let mut reader = Reader::new(limit);
        let cut = read_all(&mut reader, &pieces);
        prop_assert!(reader.pending() <= limit);
        let ends = |items: &[Result<Vec<u8>, Fault>]| {
            items.iter().position(|item| item.as_ref().is_err_and(Fault::is_fatal))
        };
        // After the end every further piece is refused with the same fault; compare up to the end.
        let upto =
            |items: &[Result<Vec<u8>, Fault>]| ends(items).map_or(items.len(), |end| end + 1);
        prop_assert_eq!(&whole[..upto(&whole)], &cut[..upto(&cut)]);
    }

    #[test]
    fn an_iterator_dropped_early_loses_nothing(
        messages in prop::collection::vec(any_message(), 0..12),
        piece in 1usize..60,
        takes in prop::collection::vec(0usize..4, 1..8),
    ) {
        let messages: Vec<_> = messages.iter().map(Owned::message).collect();
        let bytes = encode(&messages);
        let mut reader = Reader::default();
        let mut read = Vec::new();
        for (piece, &take) in bytes.chunks(piece).zip(takes.iter().cycle()) {
            read.extend(
                reader.read(piece).unwrap().take(take).map(|item| encode(&[item.unwrap()])),
            );
        }
        read.extend(reader.read(&[]).unwrap().map(|item| encode(&[item.unwrap()])));
        prop_assert_eq!(read.concat(), bytes);
        prop_assert_eq!(reader.pending(), 0);
    }
}

/// Bytes, some of which look like messages.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    let frame = (0u32..80, 0u32..10, prop::collection::vec(any::<u8>(), 0..80));
    let frame = frame.prop_map(|(length, kind, body)| {
        [&length.to_le_bytes()[..], &kind.to_le_bytes(), &body].concat()
    });
    let message = any_message().prop_map(|message| encode(&[message.message()]));
    let random = prop::collection::vec(any::<u8>(), 0..40);
    prop::collection::vec(prop_oneof![1 => frame, 3 => message, 1 => random], 0..8)
        .prop_map(|parts| parts.concat())
}
