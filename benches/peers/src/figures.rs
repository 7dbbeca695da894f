//! What was measured of one way of a competitor, and its form between processes.

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

impl Times {
    pub fn new([edit, tick]: [Duration; 2]) -> Self {
        let [edit, tick, sum] = [edit, tick, edit + tick].map(|it| it.as_secs_f64() * 1e9);
        Self { edit, tick, sum }
    }
}

/// What a round found of one way: its edits with their ticks.
#[derive(Clone, Debug)]
pub struct Round {
    /// The way.
    pub way: String,
    /// One at least.
    pub ticks: Vec<[Duration; 2]>,
}

impl Round {
    /// The way and the nanoseconds, without the end of the line.
    pub fn to_text(&self) -> String {
        let times = self.ticks.iter().flatten().map(|time| time.as_nanos().to_string());
        [self.way.clone()].into_iter().chain(times).collect::<Vec<_>>().join(";")
    }

    /// Reads [`to_text`](Self::to_text)'s.
    pub fn from_text(text: &str) -> Option<Self> {
        let (way, times) = text.split_once(';')?;
        let times = times.split(';').map(|time| time.parse().map(Duration::from_nanos));
        let times = times.collect::<Result<Vec<Duration>, _>>().ok()?;
        Some(Self { way: way.into(), ticks: times.as_chunks().0.to_vec() })
    }

    /// The medians, each by itself.
    pub fn median(&self) -> Times {
        let ticks = || self.ticks.iter().copied().map(Times::new);
        let median = |part: fn(Times) -> f64| middle(ticks().map(part).collect());
        Times { edit: median(|t| t.edit), tick: median(|t| t.tick), sum: median(|t| t.sum) }
    }

    fn worst(&self) -> f64 {
        Times::new([self.ticks.iter().map(|tick| tick[1]).max().unwrap_or_default(); 2]).tick
    }
}

/// The number in the middle, of one at least.
pub fn middle(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// What all rounds of one way came to.
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
    /// Of one round at least.
    pub fn of(rounds: &[Round]) -> Self {
        let mut medians: Vec<_> = rounds.iter().map(|it| (it.median(), &it.way)).collect();
        medians.sort_by(|a, b| a.0.sum.total_cmp(&b.0.sum));
        let (median, way) = medians[medians.len() / 2];
        let ticks = rounds.iter().flat_map(|round| &round.ticks);
        let fastest = ticks.min_by_key(|[edit, tick]| *edit + *tick).expect("one tick at least");
        let worst: Vec<f64> = rounds.iter().map(Round::worst).collect();
        Self {
            way: way.clone(),
            median,
            fastest: Times::new(*fastest),
            worst: [middle(worst.clone()), worst.into_iter().fold(0.0, f64::max)],
        }
    }
}
