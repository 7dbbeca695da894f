//! The ways in which the same messages may come: as a stream, as a packet, past a check, as
//! corrections. And writes of our own, with authority and without.

use std::time::Instant;

use decentraland_scene::{
    merge::{Check, Connection, MergeReport, Replica, Role},
    wire::{EntityId, Message, SceneEntity, SceneTransform, TRANSFORM},
};

use super::scenes::{ENTITIES, MESSAGES, scenarios};

const ROUNDS: usize = 7;

type Way = fn(&mut Replica, &mut Connection, &[u8], &mut MergeReport);

/// Prints nanoseconds a message, the best of some rounds, to load a scene.
pub fn print() {
    let ways: [(&str, Way); 4] = [
        ("receive, a stream", |replica, from, bytes, report| {
            replica.receive(from, bytes, report).expect("a good stream");
        }),
        ("receive_packet", Replica::receive_packet),
        ("receive_packet_checked: a place", |replica, from, bytes, report| {
            replica.receive_packet_checked(from, bytes, report, check);
        }),
        ("receive_corrections", Replica::receive_corrections),
    ];
    println!("\nns a message, {MESSAGES} messages, best of {ROUNDS} rounds\n");
    println!("| how they come | ns |\n| --- | ---: |");
    let batch = scenarios().swap_remove(0).batch;
    for (name, way) in ways {
        let round = |_| {
            let (mut replica, mut from) = (Replica::default(), Connection::new(Role::Host));
            let (mut report, start) = (MergeReport::default(), Instant::now());
            way(&mut replica, &mut from, &batch, &mut report);
            let nanoseconds = start.elapsed().as_nanos() as f64 / f64::from(MESSAGES);
            assert_eq!(report.messages(), u64::from(MESSAGES));
            nanoseconds
        };
        let best = (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min);
        println!("| {name} | {best:.1} |");
    }
}

/// Prints nanoseconds a write of our own to a scene that has all entities: a put, and one with
/// authority.
pub fn print_writes() {
    println!("\nns a write, {ENTITIES} entities, best of {ROUNDS} rounds\n");
    println!("| how it is written | ns |\n| --- | ---: |");
    let batch = scenarios().swap_remove(0).batch;
    for (name, has_authority) in [("put", false), ("put_with_authority", true)] {
        let mut replica = Replica::default();
        replica.merge_bytes(&batch, Role::Host).expect("a good stream");
        let round = |x: usize| {
            let position = [x as f32 + 0.5; 3];
            let value = SceneTransform { position, ..SceneTransform::IDENTITY }.to_bytes();
            let start = Instant::now();
            for id in (512..).take(ENTITIES as usize) {
                let key = SceneEntity::local(EntityId(id)).key(TRANSFORM);
                if has_authority {
                    replica.put_with_authority(key, &value).expect("it lives");
                } else {
                    replica.put(key, &value).expect("it lives");
                }
            }
            start.elapsed().as_nanos() as f64 / f64::from(ENTITIES)
        };
        let best = (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min);
        println!("| `{name}` | {best:.1} |");
    }
}

/// Whether a `Transform` is within 10 km.
fn check(message: &Message<'_>, _: &Replica) -> Check {
    let Message::PutComponent { component: TRANSFORM, data, .. } = message else {
        return Check::Accept;
    };
    let is_near = (*data).try_into().is_ok_and(|bytes| {
        let place = SceneTransform::from_bytes(bytes).position;
        place.iter().all(|number| number.abs() < 1e4)
    });
    if is_near { Check::Accept } else { Check::Refuse }
}
