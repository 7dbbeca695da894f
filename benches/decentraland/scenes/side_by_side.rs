//! The same batches for this crate and for `@dcl/ecs` under node, and a table of both.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    batches::{MESSAGES, Scenario, scenarios},
    clock::{head, row},
    merge::{STREAM, measure},
};

pub fn print(rounds: u32) {
    let scenarios = scenarios();
    let theirs = peer(&scenarios, rounds);
    head("ns a message", "batch | @dcl/ecs: parse, merge | ours: parse, merge | times less");
    for (scenario, theirs) in scenarios.iter().zip(theirs) {
        let ours = measure(scenario, STREAM, rounds);
        row(scenario.name, [theirs, ours, theirs / ours]);
    }
}

/// Runs the script under node, installing what it needs the first time.
fn peer(scenarios: &[Scenario], rounds: u32) -> Vec<f64> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("decentraland/dcl");
    if !script.join("node_modules").exists() {
        run(Command::new("npm")
            .args(["ci", "--no-audit", "--no-fund", "--silent"])
            .current_dir(&script));
    }
    let files = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let mut command = Command::new("node");
    command.arg("bench.js").arg(rounds.to_string()).current_dir(&script);
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
