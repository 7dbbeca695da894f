//! How all benches time and print: rows with names, each measured if one of the program's words is
//! in its name.

mod subject;

use std::time::{Duration, Instant};

use subject::PARTS;
pub use subject::{EachTick, Side, Subject, nodes};

/// How many ticks of one of two sides are timed in turn.
const TURN: usize = 7;

/// Worlds are small by default, so that all take some minutes; `LEGION_TRANSFORM_BENCH=full`
/// measures the sizes that the comparison in `benches/peers` has.
pub fn is_full() -> bool {
    std::env::var("LEGION_TRANSFORM_BENCH").is_ok_and(|sizes| sizes == "full")
}

/// What the program's arguments ask for.
pub struct Bench {
    words: Vec<String>,
    /// `cargo bench` measures; any other run only shows that the rows run.
    measures: bool,
}

impl Bench {
    pub fn of_arguments() -> Self {
        let (options, words): (Vec<String>, _) =
            std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
        Self { words, measures: options.iter().any(|option| option == "--bench") }
    }

    /// Whether a row is measured: all rows without words.
    pub fn wants(&self, id: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| id.contains(word.as_str()))
    }

    /// Rounds for a second, at least three and at most 300.
    fn rounds(&self, mut round: impl FnMut()) {
        let (start, longest) = (Instant::now(), if is_full() { 3 } else { 1 });
        let (least, most) = if self.measures { (3, 300) } else { (1, 1) };
        let mut count = 0;
        while count < least || (count < most && start.elapsed() < Duration::from_secs(longest)) {
            round();
            count += 1;
        }
    }

    /// Prints the nanoseconds that each round returns: the least and the median.
    pub fn calls(&self, id: &str, mut round: impl FnMut() -> f64) {
        if self.wants(id) {
            let mut times = Vec::new();
            self.rounds(|| times.push(round()));
            let [least, median, _] = spread(times);
            println!("{id}: {least:.1} ns (least), {median:.1} (median)");
        }
    }

    /// Prints what ticks take, in microseconds: the median of each part, and the least and the
    /// worst run.
    ///
    /// The same ticks happen twice from the beginning, and other programs only ever make a tick
    /// longer. So the shorter one counts: 4,100 us the first time and 310 us the second are 310 us.
    /// A tick that must be long is long both times.
    pub fn ticks<'a>(&self, id: &str, begin: impl Fn() -> Subject<'a>) {
        if !self.wants(id) {
            return;
        }
        let (mut subject, mut frames) = (begin(), Vec::new());
        let entities = subject.len();
        self.rounds(|| frames.push(subject.tick()));
        subject.check();
        drop(subject);
        let mut again = begin();
        for frame in &mut frames {
            frame.iter_mut().zip(again.tick()).for_each(|(time, other)| *time = other.min(*time));
        }
        let part = |part: usize| {
            spread(frames.iter().map(|frame| frame[part].as_secs_f64() * 1e6).collect())
        };
        let [least, median, worst] = part(1);
        let each = median * 1e3 / entities as f64;
        print!("{id}: {least:.2} us (least), {median:.2} (median), {worst:.2} (worst)");
        print!(", {each:.2} ns an entity; edit {:.2}", part(0)[1]);
        for (at, name) in PARTS.iter().enumerate().skip(2) {
            print!(", {name} {:.2}", part(at)[1]);
        }
        println!();
    }

    /// Times two sides in turn, and prints how many times as long the second one takes: the ratio
    /// of minima, and of medians. `before` ticks of a turn are not timed.
    pub fn in_turn<'a>(
        &self,
        id: &str,
        (entities, before): (usize, usize),
        begin: impl FnOnce() -> [Box<dyn FnMut() -> Duration + 'a>; 2],
    ) {
        if !self.wants(id) {
            return;
        }
        let (mut sides, mut times) = (begin(), [Vec::new(), Vec::new()]);
        self.rounds(|| {
            for (tick, times) in sides.iter_mut().zip(&mut times) {
                (0..before).for_each(|_| _ = tick());
                times.extend((0..TURN).map(|_| tick().as_secs_f64() * 1e6));
            }
        });
        let [first, second] = times.map(spread);
        let [minima, medians] = [0, 1].map(|at| second[at] / first[at]);
        let [a, b] = [first[0], second[0]];
        print!("{id}: {minima:.2} (minima), {medians:.2} (medians), {a:.2} and {b:.2} us");
        let [a, b] = [a, b].map(|time| time * 1e3 / entities as f64);
        println!(", {a:.2} and {b:.2} ns an entity");
    }
}

/// The least of some times, the median, and the worst.
fn spread(mut times: Vec<f64>) -> [f64; 3] {
    times.sort_unstable_by(f64::total_cmp);
    [times[0], times[times.len() / 2], times[times.len() - 1]]
}
