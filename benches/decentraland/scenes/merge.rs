//! Parse and merge: batches, the ways in which the same messages may come, and writes of our own.

use decentraland_scene::{
    merge::{ChangeCursor, Check, Connection, MergeReport, Replica, Role},
    wire::{EntityId, Key, Message, SceneEntity, SceneTransform, TRANSFORM},
};

use crate::{
    batches::{ENTITIES, MESSAGES, Scenario, scenarios, versions},
    clock::{best, head, nanoseconds, row},
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
    let numbers = format!("ns a message, {MESSAGES} messages on {ENTITIES} entities");
    head(&numbers, "batch | parse, merge");
    let all =
        |name, is_descending| Scenario { name, before: Vec::new(), batch: versions(is_descending) };
    let all = [all("65,536 versions, ascending", false), all("descending", true)];
    for scenario in scenarios().iter().chain(&all) {
        row(scenario.name, [measure(scenario, STREAM, rounds)]);
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
    head("ns a message, to load a scene", "how they come | ns");
    let [load, ..] = scenarios();
    for (name, way) in ways {
        row(name, [measure(&load, way, rounds)]);
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
    type Write = fn(&mut Replica, Key, &[u8]) -> bool;
    let writes: [(&str, Write); 2] = [
        ("`put`", |replica, key, value| replica.put(key, value).is_ok()),
        ("`put_with_authority`", |replica, key, value| {
            replica.put_with_authority(key, value).is_ok()
        }),
    ];
    head(&format!("ns a write, {ENTITIES} entities"), "how it is written | ns");
    let [load, ..] = scenarios();
    for (name, write) in writes {
        let mut replica = Replica::default();
        replica.merge_bytes(&load.batch, Role::Host).expect("a good stream");
        let round = |round| {
            let position = [round as f32 + 0.5; 3];
            let value = SceneTransform { position, ..SceneTransform::IDENTITY }.to_bytes();
            let mut keys =
                (512..512 + ENTITIES).map(|id| SceneEntity::local(EntityId(id)).key(TRANSFORM));
            let all = nanoseconds(|| assert!(keys.all(|key| write(&mut replica, key, &value))));
            [all / f64::from(ENTITIES)]
        };
        row(name, best(rounds, round));
    }
}
