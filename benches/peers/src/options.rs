//! The options of the table's program.

use std::{process::Command, time::Duration};

use crate::driver::Effort;

const USAGE: &str = "\
usage: peers [table | memory] [options]   (without a word: the table and the memory)
  --only NAME      workloads whose name begins with it (several: a,b)
  --threads N      threads for each competitor (default: all cores)
  --cold           everything has left the cache before each tick
  --isa NAME       ours without instructions beyond that level, such as `portable`
  --seconds N      start no more processes for a row after so many seconds (default 4)
  --rounds N       rounds of each competitor at most, two a process (default 10)
  --ms N           milliseconds a round of one way (default 40)
  --fastest        compare the fastest, for a machine that others use too
  --details        also print every way of every competitor, and the worst tick";

pub struct Options {
    /// `table` or `memory`; nothing for both.
    pub what: String,
    pub only: Vec<String>,
    pub isa: Option<String>,
    pub cold: bool,
    pub effort: Effort,
    pub fastest: bool,
    pub details: bool,
}

impl Options {
    pub fn read(words: &[String]) -> Result<Self, String> {
        let effort = Effort {
            rounds: 10,
            round: Duration::from_millis(40),
            row: Duration::from_secs(4),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        };
        let (what, only) = (String::new(), Vec::new());
        let (isa, cold, fastest, details) = Default::default();
        let mut options = Self { what, only, isa, cold, effort, fastest, details };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} wants a value\n{USAGE}"));
            let effort = &mut options.effort;
            match word.as_str() {
                "table" | "memory" => options.what = word.clone(),
                "--only" => options.only = value()?.split(',').map(String::from).collect(),
                "--isa" => options.isa = Some(value()?.clone()),
                "--rounds" => effort.rounds = number(value()?)?,
                "--ms" => effort.round = Duration::from_millis(number(value()?)? as u64),
                "--seconds" => effort.row = Duration::from_secs(number(value()?)? as u64),
                "--threads" => effort.threads = number(value()?)?,
                "--cold" => options.cold = true,
                "--fastest" => options.fastest = true,
                "--details" => options.details = true,
                _ => return Err(USAGE.into()),
            }
        }
        Ok(options)
    }

    /// Where, when and how this is measured.
    pub fn heading(&self) -> String {
        let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpu
            .lines()
            .find(|line| line.starts_with("model name"))
            .and_then(|line| line.split(": ").nth(1));
        let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        format!(
            "{}, {} cores ({} used), load {} before the start, {}, {}; at most {} rounds of {} \
             ms{}{}",
            model.unwrap_or("unknown processor"),
            std::thread::available_parallelism().map_or(1, usize::from),
            self.effort.threads,
            load.split(' ').next().unwrap_or("?"),
            said("rustc", &["-V"]),
            said("date", &["-u", "+%Y-%m-%d %H:%M UTC"]),
            self.effort.rounds,
            self.effort.round.as_millis(),
            self.isa.as_ref().map_or_else(String::new, |isa| format!("; ours at the level {isa}")),
            if self.cold { "; everything has left the cache before each tick" } else { "" },
        )
    }
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&number| number > 0).ok_or_else(|| format!("not a number: {text}"))
}

fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output
        .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string())
        .unwrap_or_default()
}
