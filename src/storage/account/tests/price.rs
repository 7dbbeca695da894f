//! What events and looks cost: `cargo test --release --lib prices -- --ignored --nocapture`.

use std::time::Instant;

use legion::{
    Entity, IntoQuery, World,
    world::{Event, EventSender},
};

use super::{super::Account, rows};
use crate::components::{LocalToWorld, Rotation, Scale, Translation};

/// The least and the median of some rounds of an edit, in nanoseconds, after a preparation that is
/// not timed.
fn time<P>(mut prepare: impl FnMut() -> P, mut edit: impl FnMut(&mut P)) -> [f64; 2] {
    let round = |_| {
        let mut prepared = prepare();
        let start = Instant::now();
        edit(&mut prepared);
        start.elapsed().as_nanos() as f64
    };
    let mut rounds: Vec<f64> = (0..15).map(round).collect();
    rounds.sort_by(f64::total_cmp);
    [rounds[0], rounds[7]]
}

/// What Legion takes for telling of an event.
struct Deaf;

impl EventSender for Deaf {
    fn send(&self, _: Event) -> bool {
        true
    }
}

fn world(n: usize, subscribers: usize) -> (World, Vec<Entity>, Vec<Account>) {
    let mut world = World::default();
    let entities = world.extend(rows(n)).to_vec();
    if subscribers == 1 {
        world.subscribe(Deaf, legion::any());
    }
    let accounts = subscribers.saturating_sub(1);
    let mut accounts: Vec<Account> = (0..accounts).map(|_| Account::open(&mut world)).collect();
    accounts.iter_mut().for_each(|account| account.know(&mut world));
    (world, entities, accounts)
}

#[test]
#[ignore = "prints prices"]
fn prices_of_events() {
    for n in [1_000, 100_000] {
        for (accounts, name) in ["nobody", "a deaf one", "one account"].iter().enumerate() {
            let each = |[least, median]: [f64; 2]| {
                format!("{:.1} ({:.1})", least / n as f64, median / n as f64)
            };
            let push = time(
                || world(n, accounts),
                |(world, ..)| rows(n).into_iter().for_each(|row| _ = world.push(row)),
            );
            let extend = time(
                || (world(n, accounts), rows(n)),
                |((world, ..), rows)| _ = world.extend(std::mem::take(rows)),
            );
            let remove = time(
                || world(n, accounts),
                |(world, entities, _)| {
                    (0..n).for_each(|at| _ = world.remove(entities[at * 7919 % n]))
                },
            );
            let (push, extend, remove) = (each(push), each(extend), each(remove));
            println!(
                "{n} rows, {name} subscribed, ns an event: push {push}, extend {extend}, remove \
                 {remove}"
            );
        }
    }
}

macro_rules! nested {
    ($world:expr, $count:expr, $($marker:literal)*) => {
        $(for bits in 0..$count / 8 {
            let entity = $world.push((Translation::identity(), Rotation::identity(), Scale(1.0), LocalToWorld::identity(), Marker::<$marker>));
            let mut entry = $world.entry(entity).unwrap();
            if bits & 1 != 0 { entry.add_component(Marker::<11>) }
            if bits & 2 != 0 { entry.add_component(Marker::<12>) }
            if bits & 4 != 0 { entry.add_component(Marker::<13>) }
            if bits & 8 != 0 { entry.add_component(Marker::<14>) }
            if bits & 16 != 0 { entry.add_component(Marker::<15>) }
            if bits & 32 != 0 { entry.add_component(Marker::<16>) }
            if bits & 64 != 0 { entry.add_component(Marker::<17>) }
        })*
    };
}

struct Marker<const N: usize>;

#[test]
#[ignore = "prints prices"]
fn prices_of_looks() {
    for count in [8, 104, 1000] {
        let mut world = World::default();
        nested!(world, count, 0 1 2 3 4 5 6 7);
        let mut account = Account::open(&mut world);
        account.know(&mut world);
        let archetypes = account.relevant.len();
        let mut look = |name: &str, edit: &mut dyn FnMut(&mut World)| {
            let mut rounds = Vec::new();
            for _ in 0..31 {
                edit(&mut world);
                let start = Instant::now();
                account.look(&mut world).unwrap();
                let looked = start.elapsed().as_nanos();
                account.know(&mut world);
                rounds.push((looked, start.elapsed().as_nanos() - looked));
            }
            rounds.sort();
            println!(
                "{archetypes} archetypes of four columns, {name}: look {} ns, settle {} ns \
                 (medians)",
                rounds[15].0, rounds[15].1
            );
        };
        look("nothing", &mut |_| ());
        look("one row in", &mut |world| {
            _ = world.push((
                Translation::identity(),
                Rotation::identity(),
                Scale(1.0),
                LocalToWorld::identity(),
                Marker::<0>,
            ))
        });
        look("all written", &mut |world| {
            <&mut Translation>::query().for_each_mut(world, |now| now.0.vector.x += 1.0)
        });
        look("100 rows in", &mut |world| {
            (0..100).for_each(|_| {
                _ = world.push((
                    Translation::identity(),
                    Rotation::identity(),
                    Scale(1.0),
                    LocalToWorld::identity(),
                    Marker::<0>,
                ))
            })
        });
    }
}
