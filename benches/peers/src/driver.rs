//! Starts a process for each competitor and lets them measure in turns.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
    time::{Duration, Instant},
};

use crate::{
    figures::{Measured, Round},
    who::{Programs, Who},
};

/// How many rounds a process stands for before another takes its place. Where a process' memory and
/// threads happen to be placed decides as much as what it does with them, and lasts as long as it
/// lives.
const ROUNDS_A_PROCESS: usize = 2;

/// How much time is taken.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Rounds of each competitor at most.
    pub rounds: usize,
    /// How long a round of one way is.
    pub round: Duration,
    /// No more processes are started for a row when it has taken so long.
    pub row: Duration,
}

impl Default for Effort {
    fn default() -> Self {
        Self { rounds: 10, round: Duration::from_millis(40), row: Duration::from_secs(4) }
    }
}

/// A competitor's process, ready to measure.
struct Worker {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Worker {
    /// Starts one; an error says what was wrong with its matrices.
    fn start(programs: &Programs, who: Who, row: (&str, usize)) -> Result<Self, String> {
        let mut command = programs.command("worker", who, row);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("cannot start {who}: {error}"))?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut worker = Self { child, input, output };
        match worker.line()?.trim() {
            "ready" => Ok(worker),
            wrong => Err(format!("{who}: {wrong}")),
        }
    }

    fn round(&mut self, length: Duration) -> Result<Vec<Round>, String> {
        let input = self.input.as_mut().expect("open while it lives");
        writeln!(input, "round {}", length.as_millis()).map_err(|error| error.to_string())?;
        let line = self.line()?;
        let ways = line.trim_end().split('|').map(Round::from_text);
        ways.collect::<Option<_>>().ok_or_else(|| format!("not a round: {line:?}"))
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

/// Adds a competitor's rounds to those before, way by way.
fn add(who: Who, ways: &mut Vec<Vec<Round>>, mut found: Vec<Round>) {
    if who.is_limit() {
        // Which of the reference's kernels it is matters little: the best of each round.
        found.sort_by(|a, b| a.median().tick.total_cmp(&b.median().tick));
        found.truncate(1);
    }
    for round in found {
        match ways.iter_mut().find(|rounds| who.is_limit() || rounds[0].way == round.way) {
            Some(rounds) => rounds.push(round),
            None => ways.push(vec![round]),
        }
    }
}

/// Each competitor with its ways, or what went wrong.
pub type Cells = Vec<(Who, Result<Vec<Measured>, String>)>;

/// Measures a workload with some competitors in turns: A B C A B C.
pub fn alternate(
    programs: &Programs,
    competitors: &[Who],
    row: (&str, usize),
    effort: &Effort,
) -> Cells {
    let mut all: Vec<Result<Vec<Vec<Round>>, String>> = vec![Ok(Vec::new()); competitors.len()];
    let start = Instant::now();
    for _ in (0..effort.rounds).step_by(ROUNDS_A_PROCESS) {
        let worker = |&who: &Who| Worker::start(programs, who, row);
        let mut workers: Vec<Result<Worker, String>> = competitors.iter().map(worker).collect();
        for _ in 0..ROUNDS_A_PROCESS.min(effort.rounds) {
            for ((worker, ways), &who) in workers.iter_mut().zip(&mut all).zip(competitors) {
                let worker = worker.as_mut().map_err(|wrong| wrong.clone());
                match (worker.and_then(|worker| worker.round(effort.round)), ways.as_mut()) {
                    (Ok(found), Ok(ways)) => add(who, ways, found),
                    (Err(wrong), Ok(_)) => *ways = Err(wrong),
                    (_, Err(_)) => {}
                }
            }
        }
        if start.elapsed() > effort.row {
            break;
        }
    }
    let measured = |ways: Vec<Vec<Round>>| ways.iter().map(|it| Measured::of(it)).collect();
    competitors.iter().copied().zip(all.into_iter().map(|ways| ways.map(measured))).collect()
}
