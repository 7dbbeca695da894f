//! How the time for a million bones falls with the threads.

use crate::{
    driver::{Programs, Who, alternate},
    table::{Table, significant},
};

const BONES: usize = 999_975;

/// The table for 1, 2, 4, ... threads, as many as there are.
pub fn table(programs: &Programs, threads: usize, (rounds, milliseconds): (usize, u64)) -> String {
    let mut table = Table::new(&["threads", "limit ms", "times", "Bevy parallel ms", "times", "ours ms", "times"]);
    let mut single: Option<Vec<f64>> = None;
    let counts =
        std::iter::successors(Some(1), |count| Some(count * 2)).take_while(|&count| count < threads).chain([threads]);
    for count in counts {
        let who = [Who::Limit, Who::BevyParallel, Who::Ours];
        let cells = alternate(programs, &who, ("hum_all", BONES), (rounds, milliseconds, count));
        let times: Vec<f64> =
            cells.iter().map(|cell| cell.1.as_ref().map_or(f64::NAN, |measured| measured.median)).collect();
        let single = single.get_or_insert_with(|| times.clone());
        let pairs = times.iter().zip(single).flat_map(|(time, one)| [significant(time / 1e6), significant(*one / time)]);
        table.row([count.to_string()].into_iter().chain(pairs));
        for wrong in cells.iter().filter_map(|cell| cell.1.as_ref().err()) {
            eprintln!("{count} threads: {wrong}");
        }
    }
    table.text()
}
