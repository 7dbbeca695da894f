//! Starts a process for each competitor and lets them measure in turns.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use crate::worker::Round;

/// Who takes part. Bevy's two builds are two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The reference on flat arrays.
    Limit,
    /// Bevy's parallel systems.
    BevyParallel,
    /// Bevy's serial systems.
    BevySerial,
    /// This crate.
    Ours,
}

impl Who {
    /// All, in the order in which they take turns.
    pub const ALL: [Who; 4] = [Who::Limit, Who::BevyParallel, Who::BevySerial, Who::Ours];

    /// What a worker is asked for, and what tables say.
    pub fn name(self) -> &'static str {
        match self {
            Who::Limit => "limit",
            Who::BevyParallel => "bevy-parallel",
            Who::BevySerial => "bevy-serial",
            Who::Ours => "ours",
        }
    }
}

/// The two programs.
pub struct Programs {
    this: PathBuf,
    serial: PathBuf,
}

impl Programs {
    /// Builds the other one.
    pub fn build() -> Result<Self, String> {
        let home = Path::new(env!("CARGO_MANIFEST_DIR"));
        let target = home.join("target/serial");
        let built = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["build", "--release", "--no-default-features", "--manifest-path"])
            .arg(home.join("Cargo.toml"))
            .arg("--target-dir")
            .arg(&target)
            .status();
        if !built.is_ok_and(|status| status.success()) {
            return Err("cannot build Bevy's serial systems".into());
        }
        let this = std::env::current_exe().map_err(|error| error.to_string())?;
        Ok(Self { this, serial: target.join("release").join(format!("peers{}", std::env::consts::EXE_SUFFIX)) })
    }

    /// A command for a competitor, on so many threads.
    pub fn command(&self, who: Who, threads: usize) -> Command {
        let mut command = Command::new(if who == Who::BevySerial { &self.serial } else { &self.this });
        command.env("RAYON_NUM_THREADS", threads.to_string());
        command
    }
}

/// A competitor's process, ready to measure.
pub struct Worker {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Worker {
    /// Starts one; an error says what was wrong with its matrices.
    pub fn start(programs: &Programs, who: Who, workload: &str, nodes: usize, threads: usize) -> Result<Self, String> {
        let mut child = programs
            .command(who, threads)
            .args(["worker", who.name(), workload, &nodes.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", who.name()))?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut worker = Self { child, input, output };
        match worker.line()?.trim() {
            "ready" => Ok(worker),
            wrong => Err(format!("{}: {wrong}", who.name())),
        }
    }

    /// A round of about so many milliseconds.
    pub fn round(&mut self, milliseconds: u64) -> Result<Round, String> {
        let input = self.input.as_mut().expect("open while it lives");
        writeln!(input, "round {milliseconds}").map_err(|error| error.to_string())?;
        let line = self.line()?;
        Round::from_line(&line).ok_or_else(|| format!("not a round: {line:?}"))
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => Err("the process ended".into()),
            Ok(_) => Ok(line),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.input = None; // the end of its input ends it
        let _ = self.child.wait();
    }
}

/// What a competitor's rounds came to, in nanoseconds a tick.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The median of the rounds' medians.
    pub median: f64,
    /// The fastest tick of all.
    pub fastest: f64,
    /// The median of the edits before the ticks.
    pub edit: f64,
    /// Which of its ways it took in the median round.
    pub way: String,
}

impl Measured {
    fn of(mut rounds: Vec<Round>) -> Self {
        rounds.sort_by(|a, b| a.median.total_cmp(&b.median));
        let fastest = rounds.iter().map(|round| round.fastest).fold(f64::INFINITY, f64::min);
        let middle = rounds.swap_remove(rounds.len() / 2);
        Self { median: middle.median, fastest, edit: middle.edit, way: middle.way }
    }
}

/// Rounds so far, or what went wrong.
type Measuring = Result<Vec<Round>, String>;

/// How many rounds a process stands for before another takes its place. Where a process' memory and threads happen to be placed
/// decides as much as what it does with them, and lasts as long as it lives.
const ROUNDS_A_PROCESS: usize = 2;

/// Measures a workload with some competitors in turns: A B C A B C.
pub fn alternate(
    programs: &Programs,
    competitors: &[Who],
    (workload, nodes): (&str, usize),
    (rounds, milliseconds, threads): (usize, u64, usize),
) -> Vec<(Who, Result<Measured, String>)> {
    let mut all: Vec<(Who, Measuring)> = competitors.iter().map(|&who| (who, Ok(Vec::new()))).collect();
    for first in (0..rounds).step_by(ROUNDS_A_PROCESS) {
        let start = |who| Worker::start(programs, who, workload, nodes, threads);
        let mut workers: Vec<Result<Worker, String>> = competitors.iter().map(|&who| start(who)).collect();
        for _ in first..rounds.min(first + ROUNDS_A_PROCESS) {
            for (worker, (_, measured)) in workers.iter_mut().zip(&mut all) {
                let round = worker.as_mut().map_err(|wrong| wrong.clone()).and_then(|worker| worker.round(milliseconds));
                match (round, &mut *measured) {
                    (Ok(round), Ok(rounds)) => rounds.push(round),
                    (Err(wrong), Ok(_)) => *measured = Err(wrong),
                    (_, Err(_)) => {}
                }
            }
        }
    }
    all.into_iter().map(|(who, measured)| (who, measured.map(Measured::of))).collect()
}
