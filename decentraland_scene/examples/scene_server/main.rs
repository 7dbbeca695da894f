//! A server of a scene and its clients, over real sockets: clients that join late, leave, lose
//! packets and lie, and one that sends each kind of broken message, while the others go on.
//!
//! ```text
//! cargo run --example scene_server [-- CLIENTS]
//! ```
//!
//! The server is the host of the scene: only it moves and deletes avatars. Each side has a replica
//! of the scene, and a Legion world that shows it. One tick, and what a client does meanwhile:
//!
//! ```text
//!  server, every 5 ms                                 client, whenever a frame comes
//!
//!  accept   who knocks gets a number, an avatar,
//!           a Connection
//!  receive  sockets -> replica             <------+
//!           who takes too much is thrown out      |
//!  move     avatars -> replica, and               |
//!           components of the world -> replica    |
//!  show     replica -> world -> matrices          |
//!  send     to each: corrections, delta    -------|-> receive  socket -> replica
//!                                                 |   edit     components of the world -> replica
//!                                                 |   show     replica -> world -> matrices
//!                                                 +-- send     corrections, delta
//! ```
//!
//! At the end the server calls "last edits". When all clients have closed their streams, it sends
//! them what is left. Then all have the same bytes and the same matrices, whatever happened before.

mod client;
mod frames;
mod guest;
mod lies;
mod server;
mod side;

use std::{
    net::SocketAddr,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use client::{Client, Part, Told};
use decentraland_scene::merge::{Connection, MergeFault, Role};
use guest::{Gone, Record};
use lies::{Lie, REFUSED};
use server::{MOST_GUESTS, Server};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// How long a play lasts at least, in ticks, and at most.
const TICKS: u32 = 80;
const PATIENCE: Duration = Duration::from_secs(20);
const LIES: [Lie; 3] = [Lie::Impostor, Lie::Broken, Lie::Flood];

fn main() -> Result<(), Failure> {
    let clients: u32 = std::env::args().nth(1).map_or(Ok(6), |count| count.parse())?;
    let most = MOST_GUESTS - LIES.len() as u32;
    if !(3..=most).contains(&clients) {
        return Err(format!("between 3 and {most} clients, not {clients}").into());
    }
    let cast = cast(clients);
    let mut server = Server::new()?;
    let address = server.address()?;
    let threads = play(&mut server, address, &cast)?;
    let (side, records) = server.finish()?;
    let told = threads.into_iter().map(|thread| thread.join().map_err(|_| "a client panicked")?);
    let mut told = told.collect::<Result<Vec<Told>, Failure>>()?;
    told.sort_by_key(|told| told.number);

    print_table(&records, &told);
    let broken = lies::broken()?;
    check(&records, &told, broken.len() as u64);
    println!("\nEach of these cost at most its own packet:");
    for ((name, _), fault) in broken.iter().zip(broken_faults(&records, &told)) {
        println!("  {name}: {fault}");
    }
    let mut side = side;
    // What a new client gets: the server's own dump has the players that left, too.
    let (dump, matrices) = (side.replica.delta(&mut Connection::new(Role::Scene)), side.matrices());
    let mut same = 0;
    for (theirs, their_matrices) in told.iter().filter_map(|told| told.scene.as_ref()) {
        assert!(*theirs == dump && *their_matrices == matrices, "a client has another scene");
        same += 1;
    }
    println!(
        "\n{same} clients and the server have the same {} bytes, and the same bits in {} matrices.",
        dump.len(),
        matrices.len()
    );
    Ok(())
}

/// Who joins, and in which tick. The honest ones join in the first half of the play, one after the
/// other; the liars in between.
fn cast(clients: u32) -> Vec<(u32, Part)> {
    let parts = [Part::Stays, Part::Loses, Part::Leaves];
    let honest = (0..clients).map(|i| (1 + i * TICKS / 2 / clients, parts[i as usize % 3]));
    let liars = (0..).zip(LIES).map(|(i, lie)| (10 + 5 * i, Part::Lies(lie)));
    honest.chain(liars).collect()
}

/// Runs ticks, and a thread for each client that joins, until all has happened.
fn play(
    server: &mut Server,
    address: SocketAddr,
    cast: &[(u32, Part)],
) -> Result<Vec<JoinHandle<Result<Told, Failure>>>, Failure> {
    let count = |wanted: fn(Part) -> bool| cast.iter().filter(|(_, part)| wanted(*part)).count();
    // Of the liars, only the one that takes too much is thrown out.
    let leavers = count(|part| part == Part::Leaves) + 1;
    let losers = count(|part| part == Part::Loses) as u32;
    let deadline = Instant::now() + PATIENCE;
    let mut threads = Vec::new();
    for tick in 1.. {
        for (&(_, part), seed) in cast.iter().zip(0..).filter(|((joins, _), _)| *joins == tick) {
            threads.push(thread::spawn(move || Client::join(address, part, seed)?.play()));
        }
        server.tick()?;
        let (gone, resyncs) = server.gone_and_resyncs();
        if tick >= TICKS && gone >= leavers && resyncs >= losers {
            break;
        }
        if Instant::now() > deadline {
            return Err(format!("{gone} of {leavers} left, {resyncs} resyncs").into());
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(threads)
}

fn print_table(records: &[Record], told: &[Told]) {
    println!(
        "{:>2}  {:17} {:>6} {:>8} {:>9} {:>8} {:>8} {:>7} {:>6} {:>6} {:>4} {:>7}  the end",
        "",
        "part",
        "joined",
        "bytes in",
        "bytes out",
        "accepted",
        "outdated",
        "refused",
        "faults",
        "frames",
        "lost",
        "resyncs"
    );
    for (record, told) in records.iter().zip(told) {
        let report = &record.report;
        println!(
            "{:2}  {:17} {:6} {:8} {:9} {:8} {:8} {:7} {:6} {:6} {:4} {:7}  {}",
            record.number,
            format!("{:?}", told.part),
            record.joined,
            record.bytes_in,
            record.bytes_out,
            report.accepted,
            report.outdated,
            report.host_placed + report.reserved,
            report.fault_count,
            told.frames,
            told.lost,
            record.resyncs,
            record.gone.as_ref().map_or("", Gone::name),
        );
    }
    println!();
    for (record, told) in records.iter().zip(told) {
        match (&record.gone, record.report.faults.first()) {
            (Some(Gone::Out(reason)), _) => println!("{:?}: {reason}", told.part),
            (_, Some(fault)) => println!("{:?}, the first fault: {fault}", told.part),
            _ => {}
        }
    }
}

/// What the server said of the broken packets, in their order.
fn broken_faults<'a>(
    records: &'a [Record],
    told: &'a [Told],
) -> impl Iterator<Item = &'a MergeFault> {
    let is_broken = |told: &Told| told.part == Part::Lies(Lie::Broken);
    let broken = records.iter().zip(told).filter(move |(_, told)| is_broken(told));
    broken.flat_map(|(record, _)| &record.report.faults)
}

/// Each got what it deserves.
fn check(records: &[Record], told: &[Told], kinds: u64) {
    assert_eq!(records.len(), told.len());
    for (record, told) in records.iter().zip(told) {
        assert_eq!(record.number, told.number);
        let (gone, report) = (record.gone.clone(), &record.report);
        let refused = (report.host_placed, report.reserved, report.fault_count);
        match told.part {
            Part::Lies(Lie::Impostor) => {
                assert_eq!((gone, refused), (Some(Gone::Finished), REFUSED));
            }
            Part::Lies(Lie::Broken) => {
                assert_eq!((gone, report.fault_count), (Some(Gone::Finished), kinds));
                assert!(told.scene.is_some());
            }
            Part::Lies(Lie::Flood) => {
                assert!(matches!(gone, Some(Gone::Out(_))) && report.fault_count == 20);
            }
            Part::Leaves => assert_eq!((gone, refused), (Some(Gone::Left), (0, 0, 0))),
            Part::Stays | Part::Loses => {
                assert_eq!((gone, refused), (Some(Gone::Finished), (0, 0, 0)));
                assert_eq!(told.lost > 0, record.resyncs > 0);
            }
        }
    }
}
