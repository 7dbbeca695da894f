//! The same batches for this crate and for `@dcl/ecs` under node, and a table of both.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use decentraland_scene::merge::{Connection, MergeReport, Replica};

use super::{
    after, receive,
    scenes::{MESSAGES, Scenario, scenarios},
};

const ROUNDS: usize = 7;

pub fn print() {
    let scenarios = scenarios();
    let ours: Vec<f64> = scenarios.iter().map(measure).collect();
    let theirs = peer(&scenarios);
    println!(
        "\nns a message, {MESSAGES} messages on {} entities, best of {ROUNDS} rounds\n",
        super::scenes::ENTITIES
    );
    println!("| batch | @dcl/ecs: parse, merge | ours: parse, merge | times less |");
    println!("| --- | ---: | ---: | ---: |");
    for ((scenario, ours), theirs) in scenarios.iter().zip(&ours).zip(theirs) {
        println!("| {} | {theirs:.0} | {ours:.1} | {:.0} |", scenario.name, theirs / ours);
    }
}

/// Ours alone, which needs nothing installed: to compare two builds, run in turns.
pub fn print_ours() {
    for scenario in scenarios() {
        println!("{}: merge {:.1}", scenario.name, measure(&scenario));
    }
}

/// Nanoseconds a message: the best of some rounds, since whatever else runs on the machine only
/// ever adds.
fn measure(scenario: &Scenario) -> f64 {
    let mut report = MergeReport::default();
    let round = |_| {
        let (mut replica, mut from): (Replica, Connection) = after(&scenario.before);
        let (seen, start) = (report.messages(), Instant::now());
        receive(&mut replica, &mut from, &scenario.batch, &mut report);
        let nanoseconds = start.elapsed().as_nanos() as f64 / f64::from(MESSAGES);
        assert_eq!(report.messages() - seen, u64::from(MESSAGES));
        nanoseconds
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}

/// Runs the script under node, installing what it needs the first time.
fn peer(scenarios: &[Scenario]) -> Vec<f64> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("decentraland/dcl");
    if !script.join("node_modules").exists() {
        run(Command::new("npm")
            .args(["ci", "--no-audit", "--no-fund", "--silent"])
            .current_dir(&script));
    }
    let files = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let mut command = Command::new("node");
    command.arg("bench.js").arg(ROUNDS.to_string()).current_dir(&script);
    for (number, scenario) in scenarios.iter().enumerate() {
        for (part, bytes) in [("before", &scenario.before), ("batch", &scenario.batch)] {
            let file = files.join(format!("{number}-{part}.crdt"));
            std::fs::write(&file, bytes).expect("the target folder can be written");
            command.arg(file);
        }
    }
    // A line a scenario: milliseconds for the batch.
    let output = run(&mut command);
    let milliseconds = output.lines().map(|line| line.parse::<f64>().expect("a number a line"));
    milliseconds.map(|milliseconds| milliseconds * 1e6 / f64::from(MESSAGES)).collect()
}

fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}; node and npm are needed"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}
