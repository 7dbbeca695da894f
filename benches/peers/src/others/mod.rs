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

/// One side of a comparison of edits.
trait Side<Edit> {
    /// Makes the edit of that number, and brings all up to date. Returns the time that counts.
    fn step(&mut self, edit: Edit, number: usize) -> Duration;
}

/// How often each side is timed in a row: in turns of ten. The fastest counts.
const TIMES: usize = 30;

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
    fn row<Edit: Copy>(
        &mut self,
        (name, edit, count): (&str, Edit, usize),
        (theirs, ours): (&mut impl Side<Edit>, &mut impl Side<Edit>),
    ) {
        let mut best = [Duration::MAX; 2];
        for first in (0..TIMES).step_by(10) {
            let numbers = first..first + 10;
            best[0] = numbers.clone().map(|it| theirs.step(edit, it)).fold(best[0], Duration::min);
            best[1] = numbers.map(|it| ours.step(edit, it)).fold(best[1], Duration::min);
        }
        let [theirs, ours] = best.map(|time| time.as_secs_f64() * 1e6);
        let each = [theirs, ours].map(|us| significant(us * 1e3 / count as f64)).join(", ");
        let each = if count < 1_000 { "-".into() } else { each };
        let numbers = [theirs, ours, theirs / ours].map(significant);
        self.0.row([name.into(), count.to_string()].into_iter().chain(numbers).chain([each]));
    }
}
