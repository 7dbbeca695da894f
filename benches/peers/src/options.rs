//! The options of the program.

use std::{process::Command, time::Duration};

use crate::{between::Between, driver::Effort, who::Programs};

const USAGE: &str = "\
usage: peers table | memory | scaling | report [options]
       peers calls | large_worlds | inherited | smooth_ticks [words of rows]
  --only NAME      workloads whose name begins with it (several: a,b)
  --threads N      threads for each competitor (default: all cores)
  --cold           everything has left the cache before each tick
  --isa NAME       ours without instructions beyond that level, such as `portable`
  --seconds N      start no more processes for a row after so many seconds (default 4; report: 10)
  --rounds N       rounds of each competitor at most, two a process (default 10; report: 30)
  --ms N           milliseconds a round of one way (default 40)
  --fastest        compare the fastest, for a machine that others use too
  --details        table: also every way of every competitor, and the worst tick
  --frames         scaling: with sleep between two runs
  --write          report: into README.md and docs/performance.md, between the marks";

#[derive(Default)]
pub struct Options {
    /// `table`, `memory`, `scaling` or `report`.
    pub what: String,
    pub only: Vec<String>,
    pub threads: usize,
    pub effort: Effort,
    isa: Option<String>,
    cold: bool,
    pub fastest: bool,
    pub details: bool,
    pub frames: bool,
    pub write: bool,
}

impl Options {
    pub fn read(words: &[String]) -> Result<Self, String> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let mut options = Self { threads, ..Self::default() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} wants a value\n{USAGE}"));
            let effort = &mut options.effort;
            match word.as_str() {
                "table" | "memory" | "scaling" => options.what = word.clone(),
                "report" => {
                    options.what = word.clone();
                    (effort.rounds, effort.row) = (30, Duration::from_secs(10));
                }
                "--only" => options.only = value()?.split(',').map(String::from).collect(),
                "--isa" => options.isa = Some(value()?.clone()),
                "--rounds" => effort.rounds = number(value()?)?,
                "--ms" => effort.round = Duration::from_millis(number(value()?)? as u64),
                "--seconds" => effort.row = Duration::from_secs(number(value()?)? as u64),
                "--threads" => options.threads = number(value()?)?,
                "--cold" => options.cold = true,
                "--fastest" => options.fastest = true,
                "--details" => options.details = true,
                "--frames" => options.frames = true,
                "--write" => options.write = true,
                _ => return Err(USAGE.into()),
            }
        }
        if options.what.is_empty() { Err(USAGE.into()) } else { Ok(options) }
    }

    /// Whether a row with that name is to be measured.
    pub fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|text| name.starts_with(text))
    }

    /// The programs of the competitors, which are run as the options say.
    pub fn programs(&self) -> Result<Programs, String> {
        let between = if self.cold { Between::Cold } else { Between::Nothing };
        Programs::new(self.isa.clone(), between)
    }

    /// Where, when and how this is measured.
    pub fn heading(&self) -> String {
        let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        format!(
            "{}; {} cores used, load {} before the start; at most {} rounds of {} ms{}{}",
            machine(),
            self.threads,
            load.split(' ').next().unwrap_or("?"),
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

/// The processor and its cores, the compiler, the revision and the date.
pub fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    format!(
        "{}, {} cores, {}, git {}, {}",
        model.unwrap_or("unknown processor"),
        std::thread::available_parallelism().map_or(1, usize::from),
        said("rustc", &["-V"]),
        said("git", &["-C", env!("CARGO_MANIFEST_DIR"), "rev-parse", "--short", "HEAD"]),
        said("date", &["-u", "+%Y-%m-%d"]),
    )
}

fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map_or_else(|_| "?".into(), |it| String::from_utf8_lossy(&it.stdout).trim().into())
}
