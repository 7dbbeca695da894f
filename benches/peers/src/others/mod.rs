//! Features of this crate beside other crates that have the same.

mod inherited;
mod large_worlds;
#[cfg(feature = "interpolation")]
mod smooth_ticks;

use std::time::Duration;

use crate::table::{Table, significant};

/// Makes the comparison of that name, if there is one.
pub fn print(name: &str) -> bool {
    match name {
        "inherited" => inherited::print(),
        "large_worlds" => large_worlds::print(),
        #[cfg(feature = "interpolation")]
        "smooth_ticks" => smooth_ticks::print(),
        _ => return false,
    }
    true
}

/// How often each side is timed in a row: in turns of ten.
const TIMES: usize = 30;

/// Times a step of two sides in turns, with its number. Returns the fastest of each.
fn fastest(mut sides: [&mut dyn FnMut(usize) -> Duration; 2]) -> [Duration; 2] {
    let mut best = [Duration::MAX; 2];
    for first in (0..TIMES).step_by(10) {
        for (side, best) in sides.iter_mut().zip(&mut best) {
            *best = (first..first + 10).map(&mut *side).fold(*best, Duration::min);
        }
    }
    best
}

/// Rows of times.
struct Times(Table);

impl Times {
    /// With the name of the other crate.
    fn new(what: &str, count: &str, theirs: &str) -> Self {
        let each = format!("ns each: {theirs}, ours");
        let [theirs, ours] = [theirs, "ours"].map(|name| format!("{name}, us"));
        Self(Table::new([what, count, &theirs, &ours, "ratio", &each]))
    }

    /// A row, and how many entities it is about. Of few, the rest of the world is the price.
    fn row(&mut self, name: &str, count: usize, times: [Duration; 2]) {
        let [theirs, ours] = times.map(|time| time.as_secs_f64() * 1e6);
        let each = [theirs, ours].map(|us| significant(us * 1e3 / count as f64)).join(", ");
        self.0.row([
            name.into(),
            count.to_string(),
            significant(theirs),
            significant(ours),
            significant(theirs / ours),
            if count < 1_000 { "-".into() } else { each },
        ]);
    }
}
