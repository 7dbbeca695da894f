//! The same batches for this crate and for `@dcl/ecs` under node, and a table of both.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use legion_transform::decentraland::merge::MergeReport;

use super::{
    scenes::{MESSAGES, Scenario, scenarios},
    subject::Subject,
};

const ROUNDS: usize = 7;

/// Nanoseconds a message: the best of some rounds, since whatever else runs on the machine only
/// ever adds.
struct Ours {
    merge: f64,
    apply: f64,
    run: f64,
}

pub fn print() {
    let scenarios = scenarios();
    let ours: Vec<Ours> = scenarios.iter().map(measure).collect();
    let theirs = peer(&scenarios);
    println!(
        "\nns a message, {MESSAGES} messages on {} entities, best of {ROUNDS} rounds\n",
        super::scenes::ENTITIES
    );
    println!(
        "| batch | @dcl/ecs: parse, merge | ours: parse, merge | times less | apply | the bundle's \
         run | all three | times less |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for ((scenario, ours), theirs) in scenarios.iter().zip(&ours).zip(theirs) {
        let Ours { merge, apply, run } = *ours;
        let all = merge + apply + run;
        println!(
            "| {} | {theirs:.0} | {merge:.1} | {:.0} | {apply:.1} | {run:.1} | {all:.1} | {:.0} |",
            scenario.name,
            theirs / merge,
            theirs / all,
        );
    }
}

/// Ours alone, which needs nothing installed: to compare two builds, run in turns.
pub fn print_ours() {
    for scenario in scenarios() {
        let Ours { merge, apply, run } = measure(&scenario);
        println!("{}: merge {merge:.1}, apply {apply:.1}, run {run:.1}", scenario.name);
    }
}

fn measure(scenario: &Scenario) -> Ours {
    let mut best = Ours { merge: f64::INFINITY, apply: f64::INFINITY, run: f64::INFINITY };
    let mut report = MergeReport::default();
    for _ in 0..ROUNDS {
        let mut subject = Subject::after(&scenario.before);
        let mut start = Instant::now();
        let mut lap = |best: &mut f64| {
            *best = best.min(start.elapsed().as_nanos() as f64 / f64::from(MESSAGES));
            start = Instant::now();
        };
        let seen = report.messages();
        subject.merge(&scenario.batch, &mut report);
        lap(&mut best.merge);
        subject.apply();
        lap(&mut best.apply);
        subject.run();
        lap(&mut best.run);
        assert_eq!(report.messages() - seen, u64::from(MESSAGES));
    }
    best
}

/// Runs the script under node, installing what it needs the first time.
fn peer(scenarios: &[Scenario]) -> Vec<f64> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("decentraland_scene/benches/dcl");
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
