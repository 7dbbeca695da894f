//! Parse and merge: batches, the ways in which the same messages may come, and writes of our own.

use decentraland_scene::{
    merge::{ChangeCursor, Check, Connection, MergeReport, Replica, Role},
    wire::{EntityId, Message, SceneEntity, SceneTransform, TRANSFORM},
};

use crate::{
    batches::{ENTITIES, MESSAGES, Scenario, scenarios, versions},
    clock::{best, nanoseconds},
};

/// A way in which messages may come.
type Way = fn(&mut Replica, &mut Connection, &[u8], &mut MergeReport);

/// As a stream.
pub const STREAM: Way = |replica, from, bytes, report| {
    replica.receive(from, bytes, report).expect("a good stream");
};

/// Nanoseconds a message. The report is kept, as it is in a program that merges again and again.
pub fn measure(scenario: &Scenario, way: Way, rounds: u32) -> f64 {
    let mut report = MergeReport::default();
    let round = |_| {
        let (mut replica, mut from) = (Replica::default(), Connection::new(Role::Host));
        STREAM(&mut replica, &mut from, &scenario.before, &mut report);
        replica.for_each_change(&mut ChangeCursor::default(), |_, _| {});
        report.corrections.clear();
        let seen = report.messages();
        let time = nanoseconds(|| way(&mut replica, &mut from, &scenario.batch, &mut report));
        [time / (report.messages() - seen) as f64]
    };
    best(rounds, round)[0]
}

pub fn print(rounds: u32) {
    println!("\nns a message, {MESSAGES} messages on {ENTITIES} entities\n");
    println!("| batch | parse, merge |\n| --- | ---: |");
    let all =
        |name, is_descending| Scenario { name, before: Vec::new(), batch: versions(is_descending) };
    let all = [all("65,536 versions, ascending", false), all("descending", true)];
    for scenario in scenarios().iter().chain(&all) {
        println!("| {} | {:.1} |", scenario.name, measure(scenario, STREAM, rounds));
    }
}

pub fn print_ways(rounds: u32) {
    let ways: [(&str, Way); 4] = [
        ("receive, a stream", STREAM),
        ("receive_packet", Replica::receive_packet),
        ("receive_packet_checked: a place", |replica, from, bytes, report| {
            replica.receive_packet_checked(from, bytes, report, check);
        }),
        ("receive_corrections", Replica::receive_corrections),
    ];
    println!("\nns a message, to load a scene\n\n| how they come | ns |\n| --- | ---: |");
    let [load, ..] = scenarios();
    for (name, way) in ways {
        println!("| {name} | {:.1} |", measure(&load, way, rounds));
    }
}

/// Whether a `Transform` is within 10 km.
fn check(message: &Message<'_>, _: &Replica) -> Check {
    let Message::PutComponent { component: TRANSFORM, data, .. } = message else {
        return Check::Accept;
    };
    let is_near = (*data).try_into().is_ok_and(|bytes| {
        SceneTransform::from_bytes(bytes).position.iter().all(|number| number.abs() < 1e4)
    });
    if is_near { Check::Accept } else { Check::Refuse }
}

/// A put and one with authority, to a scene that has all entities.
pub fn print_writes(rounds: u32) {
    println!("\nns a write, {ENTITIES} entities\n\n| how it is written | ns |\n| --- | ---: |");
    let [load, ..] = scenarios();
    for (name, has_authority) in [("put", false), ("put_with_authority", true)] {
        let mut replica = Replica::default();
        replica.merge_bytes(&load.batch, Role::Host).expect("a good stream");
        let [best] = best(rounds, |round| {
            let position = [round as f32 + 0.5; 3];
            let value = SceneTransform { position, ..SceneTransform::IDENTITY }.to_bytes();
            let write = |id| {
                let key = SceneEntity::local(EntityId(id)).key(TRANSFORM);
                if has_authority {
                    replica.put_with_authority(key, &value).map(|_| ()).expect("it lives");
                } else {
                    replica.put(key, &value).map(|_| ()).expect("it lives");
                }
            };
            [nanoseconds(|| (512..512 + ENTITIES).for_each(write)) / f64::from(ENTITIES)]
        });
        println!("| `{name}` | {best:.1} |");
    }
}
