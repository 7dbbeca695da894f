//! The transform systems side by side, in one table: `cargo run --release --manifest-path benches/peers/Cargo.toml`.
//!
//! - `limit`: hand-written passes over flat arrays, the practical floor of the machine;
//! - Bevy: bevy_transform's own plugin, the better of its serial and its parallel build;
//! - ours: the bundle, in a schedule of its own.
//!
//! Only what brings world matrices up to date is timed; everybody's matrices are checked against an f64 reference first. The
//! competitors are processes that take turns, and each figure is the median of several rounds' medians.

#[path = "../../workloads/mod.rs"]
mod workloads;

mod bevy;
mod bounds;
mod competitor;
mod driver;
mod limit;
mod memory;
mod places;
mod scaling;
mod table;
mod worker;

use std::process::{Command, ExitCode};

use driver::{Programs, Who, alternate};
use table::Row;
use workloads::{CATALOGUE, Layout, LegionWorld, Scene, Workload};

const USAGE: &str = "\
usage: peers [table | memory | scaling] [options]   (without a word: the table and the memory)
  --only TEXT      workloads whose name contains the text (several: a,b)
  --rounds N       rounds of each competitor, two a process (default 10; with --full 16)
  --ms N           milliseconds a round (default 60; with --full 300)
  --threads N      threads for everybody (default: all cores)
  --fastest        compare the fastest ticks, for a machine that others use too
  --details        also print everybody's whole ticks and edits
  --full           take more time";

struct Options {
    what: String,
    only: Vec<String>,
    rounds: usize,
    milliseconds: u64,
    threads: usize,
    fastest: bool,
    details: bool,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.first().map(String::as_str) {
        Some("worker" | "memory-of") if words.len() == 4 => work(&words),
        _ => options(&words).and_then(|options| compare(&options)),
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
        name if name == bevy::BUILD => serve!(bevy::Bevy),
        name => return Err(format!("this program has no {name}")),
    }
    Ok(())
}

fn options(words: &[String]) -> Result<Options, String> {
    let full = words.iter().any(|word| word == "--full");
    let mut options = Options {
        what: String::new(),
        only: Vec::new(),
        rounds: if full { 16 } else { 10 },
        milliseconds: if full { 300 } else { 60 },
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        fastest: false,
        details: false,
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} wants a value\n{USAGE}"));
        let number = |text: &String| text.parse::<usize>().ok().filter(|&n| n > 0).ok_or(format!("not a number: {text}"));
        match word.as_str() {
            "table" | "memory" | "scaling" => options.what = word.clone(),
            "--only" => options.only = value()?.split(',').map(String::from).collect(),
            "--rounds" => options.rounds = number(value()?)?,
            "--ms" => options.milliseconds = number(value()?)? as u64,
            "--threads" => options.threads = number(value()?)?,
            "--fastest" => options.fastest = true,
            "--details" => options.details = true,
            "--full" => {}
            _ => return Err(USAGE.into()),
        }
    }
    Ok(options)
}

fn compare(options: &Options) -> Result<(), String> {
    if bevy::BUILD != Who::BevyParallel.name() {
        return Err("the table is made by the program with Bevy's parallel systems: build with default features".into());
    }
    let programs = Programs::build()?;
    println!("{}\n", machine(options));
    if options.what == "scaling" {
        println!("{}", scaling::table(&programs, options.threads, (options.rounds, options.milliseconds)));
        return Ok(());
    }
    if options.what != "memory" {
        let rows = measure(&programs, options);
        let figure: table::Figure = if options.fastest { |measured| measured.fastest } else { |measured| measured.median };
        println!("ns an entity{}:\n", if options.fastest { " in the fastest tick" } else { "" });
        println!("{}\n{}", table::comparison(&rows, figure), table::reference(&rows, figure));
        if options.details {
            println!("{}", table::details(&rows));
        }
    }
    if options.what != "table" {
        println!("{}", memory::table(&programs, options.threads));
    }
    Ok(())
}

fn measure(programs: &Programs, options: &Options) -> Vec<Row> {
    let wanted =
        |workload: &&Workload| options.only.is_empty() || options.only.iter().any(|text| workload.name.contains(text));
    let mut rows = Vec::new();
    for workload in CATALOGUE.iter().filter(wanted) {
        for &nodes in workload.sizes {
            eprintln!("{} of {nodes}", workload.name);
            // Archetypes are Legion's: the others have nothing to compare there.
            let who: &[Who] = if workload.layout == Layout::ManyArchetypes { &[Who::Ours] } else { &Who::ALL };
            let effort = (options.rounds, options.milliseconds, options.threads);
            let cells = alternate(programs, who, (workload.name, nodes), effort);
            rows.push(Row { workload: workload.name, nodes: Scene::new(workload, nodes).len(), cells });
        }
    }
    rows
}

/// Where and when this is measured.
fn machine(options: &Options) -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split(": ").nth(1));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?");
    let said = |program: &str, argument: &str| {
        let output = Command::new(program).args(argument.split('|')).output();
        output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string()).unwrap_or_default()
    };
    format!(
        "{}, {} cores ({} used), load {load} before the start, {}, {}; {} rounds of {} ms",
        model.unwrap_or("unknown processor"),
        cores,
        options.threads,
        said("rustc", "-V"),
        said("date", "-u|+%Y-%m-%d %H:%M UTC"),
        options.rounds,
        options.milliseconds,
    )
}
