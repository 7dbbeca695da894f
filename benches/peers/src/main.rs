//! The crate beside its peers, each comparison by one word: `cargo run --release --manifest-path
//! benches/peers/Cargo.toml -- table`.
//!
//! `table`, `memory`, `scaling` and `report` compare transform systems in processes that take turns
//! (`driver`):
//!
//! - `limit`: hand-written passes over flat arrays, the practical floor of the machine;
//! - Bevy: bevy_transform's own plugin, the best of its serial systems and its parallel ones on
//!   pools of one and of all threads, with and without its optimisation for static scenes;
//! - ours: the bundle, in a schedule of its own.
//!
//! The edit (what a program changes in a frame) and the tick (what brings world matrices up to date
//! after it) are timed each by itself, after every competitor's matrices were checked against an
//! f64 reference. Each figure is the median of several rounds' medians, or the fastest tick.
//!
//! `calls` compares the calls around the run, and each module of `others` a feature of the crate
//! with another crate that has the same.

#[path = "../../workloads/mod.rs"]
mod workloads;

mod bench;
mod between;
mod bevy;
mod bounds;
mod calls;
mod comparison;
mod competitor;
mod driver;
mod figures;
mod limit;
mod memory;
mod options;
mod others;
mod places;
mod report;
mod row;
mod scaling;
mod table;
mod who;
mod worker;

use std::process::ExitCode;

use driver::alternate;
use options::Options;
use row::{Figure, Row};
use who::Who;
use workloads::{CATALOGUE, LegionWorld, Scene, Workload};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.first().map(String::as_str) {
        Some("worker" | "memory-of") if words.len() == 4 => work(&words),
        Some("calls") => {
            calls::print(&words[1..]);
            Ok(())
        }
        Some(name) if others::print(name) => Ok(()),
        _ => Options::read(&words).and_then(|options| compare(&options)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(wrong) => {
            eprintln!("{wrong}");
            ExitCode::FAILURE
        }
    }
}

fn work(words: &[String]) -> Result<(), String> {
    let workload = Workload::named(&words[2]).ok_or("no such workload")?;
    let nodes = words[3].parse().map_err(|_| "not a number of nodes")?;
    let served = words[0] == "worker";
    macro_rules! serve {
        ($competitor:ty) => {
            if served {
                worker::serve::<$competitor>(workload, nodes)
            } else {
                memory::serve::<$competitor>(workload, nodes)
            }
        };
    }
    match words[1].as_str() {
        "limit" => serve!(limit::Limit),
        "ours" => serve!(LegionWorld),
        "bevy" => serve!(bevy::Bevy),
        name => return Err(format!("this program has no {name}")),
    }
    Ok(())
}

fn compare(options: &Options) -> Result<(), String> {
    let figure: Figure =
        if options.fastest { |measured| measured.fastest } else { |measured| measured.median };
    let sizes = |workload: &'static Workload| workload.sizes.iter().map(move |&it| (workload, it));
    println!("{}\n", options.heading());
    match options.what.as_str() {
        "memory" => println!("{}", memory::table(&options.programs()?, options.threads)?),
        "scaling" => scaling::print(options, figure)?,
        "report" => {
            let chosen = report::ROWS.iter();
            let chosen = chosen.filter_map(|row| Some((Workload::named(row.0)?, row.1)));
            report::print(&measure(options, chosen)?, options)?;
        }
        _ => {
            let rows = measure(options, CATALOGUE.iter().flat_map(sizes))?;
            println!("Microseconds{}:\n", if options.fastest { ", the fastest" } else { "" });
            println!("{}", comparison::table(&rows, figure));
            if options.details {
                println!("{}", comparison::details(&rows));
            }
        }
    }
    Ok(())
}

/// Measures those of these rows that are wanted.
fn measure(
    options: &Options,
    rows: impl Iterator<Item = (&'static Workload, usize)>,
) -> Result<Vec<Row>, String> {
    let programs = options.programs()?;
    programs.build()?;
    let measured = rows.filter(|(workload, _)| options.wants(workload.name)).map(|row| {
        let (workload, nodes) = row;
        let takes = |who: &Who| match who {
            Who::Limit(_) => limit::Limit::takes(workload),
            Who::BevySerial | Who::BevyPool(_) => bevy::Bevy::takes(workload),
            Who::Ours(_) => true,
        };
        let threads = if workload.one_thread { 1 } else { options.threads };
        let who: Vec<Who> = Who::all(threads).into_iter().filter(takes).collect();
        eprintln!("{} of {nodes}", workload.name);
        let cells = alternate(&programs, &who, (workload.name, nodes), &options.effort);
        Row { workload: workload.name, nodes: Scene::new(workload, nodes).len(), cells }
    });
    Ok(measured.collect())
}
