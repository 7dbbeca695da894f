//! What a round found, and how processes tell each other.

use std::time::Duration;

/// Nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// What the scene's change cost.
    pub edit: f64,
    /// What it cost to bring the matrices up to date.
    pub tick: f64,
    /// Both.
    pub sum: f64,
}

/// What a round found of one way of a competitor.
#[derive(Clone, Debug)]
pub struct Round {
    /// The medians.
    pub median: Times,
    /// The fastest, each by itself.
    pub fastest: Times,
    /// The way.
    pub way: String,
}

impl Times {
    /// The times at that place of the sorted ones.
    fn at(ticks: &[(Duration, Duration)], place: fn(usize) -> usize) -> Self {
        let pick = |part: fn(&(Duration, Duration)) -> Duration| {
            let mut times: Vec<f64> = ticks.iter().map(|tick| part(tick).as_secs_f64() * 1e9).collect();
            times.sort_by(f64::total_cmp);
            times[place(times.len())]
        };
        Self { edit: pick(|tick| tick.0), tick: pick(|tick| tick.1), sum: pick(|tick| tick.0 + tick.1) }
    }
}

impl Round {
    /// From edits and the ticks after them.
    pub fn new(ticks: &[(Duration, Duration)], way: String) -> Self {
        Self { median: Times::at(ticks, |count| count / 2), fastest: Times::at(ticks, |_| 0), way }
    }

    /// All ways in one line.
    pub fn to_line(rounds: &[Self]) -> String {
        let times = |Times { edit, tick, sum }: Times| format!("{edit} {tick} {sum}");
        let round = |round: &Self| format!("{} {} {}", times(round.median), times(round.fastest), round.way);
        rounds.iter().map(round).collect::<Vec<_>>().join(";")
    }

    /// Reads [`to_line`](Self::to_line)'s.
    pub fn from_line(line: &str) -> Option<Vec<Self>> {
        line.trim_end_matches('\n').split(';').map(Self::from_text).collect()
    }

    fn from_text(text: &str) -> Option<Self> {
        let mut words = text.splitn(7, ' ');
        let mut times = || {
            let mut number = || words.next()?.parse().ok();
            Some(Times { edit: number()?, tick: number()?, sum: number()? })
        };
        Some(Self { median: times()?, fastest: times()?, way: words.next()?.into() })
    }
}
