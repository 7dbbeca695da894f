//! The result of a round, and its form between processes.

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
    /// The medians, each by itself.
    pub median: Times,
    /// Those of the tick with the least sum.
    pub fastest: Times,
    /// The longest tick.
    pub worst: f64,
    /// The way.
    pub way: String,
}

impl Round {
    /// From edits and the ticks after them.
    pub fn new(ticks: &[(Duration, Duration)], way: String) -> Self {
        let nanoseconds = |time: Duration| time.as_secs_f64() * 1e9;
        let times = |&(edit, tick): &(Duration, Duration)| Times {
            edit: nanoseconds(edit),
            tick: nanoseconds(tick),
            sum: nanoseconds(edit + tick),
        };
        let median = |part: fn(&(Duration, Duration)) -> Duration| {
            let mut parts: Vec<Duration> = ticks.iter().map(part).collect();
            parts.sort();
            nanoseconds(parts[parts.len() / 2])
        };
        let median =
            Times { edit: median(|t| t.0), tick: median(|t| t.1), sum: median(|t| t.0 + t.1) };
        let fastest = ticks
            .iter()
            .min_by_key(|(edit, tick)| *edit + *tick)
            .map(times)
            .expect("one tick at least");
        let worst = ticks.iter().map(|tick| nanoseconds(tick.1)).fold(0.0, f64::max);
        Self { median, fastest, worst, way }
    }

    /// All ways in one line.
    pub fn to_line(rounds: &[Self]) -> String {
        let times = |Times { edit, tick, sum }: Times| format!("{edit} {tick} {sum}");
        let round = |round: &Self| {
            let Self { median, fastest, worst, way } = round;
            format!("{} {} {worst} {way}", times(*median), times(*fastest))
        };
        rounds.iter().map(round).collect::<Vec<_>>().join(";")
    }

    /// Reads [`to_line`](Self::to_line)'s.
    pub fn from_line(line: &str) -> Option<Vec<Self>> {
        line.trim_end_matches('\n').split(';').map(Self::from_text).collect()
    }

    fn from_text(text: &str) -> Option<Self> {
        let mut words = text.splitn(8, ' ');
        let mut number = || words.next()?.parse().ok();
        let mut times = || Some(Times { edit: number()?, tick: number()?, sum: number()? });
        let (median, fastest) = (times()?, times()?);
        Some(Self { median, fastest, worst: number()?, way: words.next()?.into() })
    }
}
