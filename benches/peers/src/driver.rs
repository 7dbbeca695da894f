//! Starts a process for each competitor and lets them measure in turns.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
    time::{Duration, Instant},
};

use crate::{
    round::{Round, Times},
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
    /// Threads for each competitor.
    pub threads: usize,
}

/// A competitor's process, ready to measure.
struct Worker {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Worker {
    /// Starts one; an error says what was wrong with its matrices.
    fn start(
        programs: &Programs,
        who: Who,
        row: (&str, usize),
        threads: usize,
    ) -> Result<Self, String> {
        let mut command = programs.command("worker", who, row, threads);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("cannot start {}: {error}", who.name()))?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut worker = Self { child, input, output };
        match worker.line()?.trim() {
            "ready" => Ok(worker),
            wrong => Err(format!("{}: {wrong}", who.name())),
        }
    }

    fn round(&mut self, length: Duration) -> Result<Vec<Round>, String> {
        let input = self.input.as_mut().expect("open while it lives");
        writeln!(input, "round {}", length.as_millis()).map_err(|error| error.to_string())?;
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

/// What the rounds of one way came to.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The way.
    pub way: String,
    /// The round whose sum is the median: its medians.
    pub median: Times,
    /// The fastest tick of all rounds, with its edit.
    pub fastest: Times,
    /// The longest tick: of the round in the middle, and of all rounds.
    pub worst: [f64; 2],
}

impl Measured {
    fn of(mut rounds: Vec<Round>) -> Self {
        rounds.sort_by(|a, b| a.median.sum.total_cmp(&b.median.sum));
        let fastest =
            rounds.iter().map(|round| round.fastest).min_by(|a, b| a.sum.total_cmp(&b.sum));
        let fastest = fastest.expect("one round at least");
        let mut worst: Vec<f64> = rounds.iter().map(|round| round.worst).collect();
        worst.sort_by(f64::total_cmp);
        let worst = [worst[worst.len() / 2], worst[worst.len() - 1]];
        let middle = rounds.swap_remove(rounds.len() / 2);
        Self { way: middle.way, median: middle.median, fastest, worst }
    }
}

/// The rounds of a competitor so far.
struct Rounds {
    who: Who,
    /// The rounds of each way, or what went wrong.
    ways: Result<Vec<Vec<Round>>, String>,
}

impl Rounds {
    fn add(&mut self, found: Result<Vec<Round>, String>) {
        let Ok(ways) = &mut self.ways else { return };
        let found = match found {
            Ok(found) => found,
            Err(wrong) => return self.ways = Err(wrong),
        };
        // Which of the reference's kernels it is matters little: the best of each round.
        let best = found.iter().min_by(|a, b| a.median.tick.total_cmp(&b.median.tick)).cloned();
        for round in if self.who == Who::Limit { best.into_iter().collect() } else { found } {
            let same =
                |rounds: &&mut Vec<Round>| self.who == Who::Limit || rounds[0].way == round.way;
            match ways.iter_mut().find(same) {
                Some(rounds) => rounds.push(round),
                None => ways.push(vec![round]),
            }
        }
    }
}

/// Each competitor with its ways.
pub type Cells = Vec<(Who, Result<Vec<Measured>, String>)>;

/// Measures a workload with some competitors in turns: A B C A B C.
pub fn alternate(
    programs: &Programs,
    competitors: &[Who],
    row: (&str, usize),
    effort: &Effort,
) -> Cells {
    let mut all: Vec<Rounds> =
        competitors.iter().map(|&who| Rounds { who, ways: Ok(Vec::new()) }).collect();
    let start = Instant::now();
    for _ in (0..effort.rounds).step_by(ROUNDS_A_PROCESS) {
        let worker = |&who: &Who| Worker::start(programs, who, row, effort.threads);
        let mut workers: Vec<Result<Worker, String>> = competitors.iter().map(worker).collect();
        for _ in 0..ROUNDS_A_PROCESS.min(effort.rounds) {
            for (worker, rounds) in workers.iter_mut().zip(&mut all) {
                rounds.add(
                    worker
                        .as_mut()
                        .map_err(|wrong| wrong.clone())
                        .and_then(|worker| worker.round(effort.round)),
                );
            }
        }
        if start.elapsed() > effort.row {
            break;
        }
    }
    let measured = |Rounds { who, ways }| {
        (who, ways.map(|ways: Vec<_>| ways.into_iter().map(Measured::of).collect()))
    };
    all.into_iter().map(measured).collect()
}
