//! The transform systems side by side, in one table: `cargo run --release --manifest-path
//! benches/peers/Cargo.toml`.
//!
//! - `limit`: hand-written passes over flat arrays, the practical floor of the machine;
//! - Bevy: bevy_transform's own plugin, the best of its serial systems and its parallel ones on
//!   pools of one and of all threads, with and without its optimisation for static scenes;
//! - ours: the bundle, in a schedule of its own.
//!
//! The edit (what a program changes in a frame) and the tick (what brings world matrices up to date
//! after it) are timed each by itself, after every competitor's matrices were checked against an
//! f64 reference. The competitors are processes that take turns, and each figure is the median of
//! several rounds' medians.

#[path = "../../workloads/mod.rs"]
mod workloads;

mod bevy;
mod bounds;
mod comparison;
mod competitor;
mod driver;
mod limit;
mod memory;
mod options;
mod places;
mod round;
mod row;
mod table;
mod who;
mod worker;
mod worlds;

use std::process::ExitCode;

use driver::{Effort, alternate};
use options::Options;
use row::{Figure, Row};
use who::{Programs, Who};
use workloads::{CATALOGUE, LegionWorld, Scene, Workload};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.first().map(String::as_str) {
        Some("worker" | "memory-of") if words.len() == 4 => work(&words),
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
    if !bevy::PARALLEL {
        let why = "the table is made by the program with Bevy's parallel systems: build with \
                   default features";
        return Err(why.into());
    }
    let programs = Programs::build(options.isa.clone(), options.cold)?;
    println!("{}\n", options.heading());
    if options.what != "memory" {
        let rows = measure(&programs, options);
        let figure: Figure =
            if options.fastest { |measured| measured.fastest } else { |measured| measured.median };
        println!("Microseconds{}:\n", if options.fastest { ", the fastest" } else { "" });
        println!("{}\n{}", comparison::table(&rows, figure), comparison::reference(&rows, figure));
        if options.details {
            println!("{}", comparison::details(&rows));
        }
    }
    if options.what != "table" {
        println!("{}", memory::table(&programs, options.effort.threads));
    }
    Ok(())
}

fn measure(programs: &Programs, options: &Options) -> Vec<Row> {
    let wanted = |workload: &&Workload| {
        options.only.is_empty() || options.only.iter().any(|text| workload.name.starts_with(text))
    };
    let mut rows = Vec::new();
    for workload in CATALOGUE.iter().filter(wanted) {
        let threads = if workload.one_thread { 1 } else { options.effort.threads };
        let effort = Effort { threads, ..options.effort };
        let takes = |who: &Who| match who {
            Who::Limit => limit::Limit::takes(workload),
            Who::BevySerial | Who::BevyPool(_) => bevy::Bevy::takes(workload),
            Who::Ours => true,
        };
        let who: Vec<Who> = Who::all(threads).into_iter().filter(takes).collect();
        for &nodes in workload.sizes {
            eprintln!("{} of {nodes}", workload.name);
            let cells = alternate(programs, &who, (workload.name, nodes), &effort);
            let nodes = Scene::new(workload, nodes).len();
            rows.push(Row { workload: workload.name, nodes, cells });
        }
    }
    rows
}
