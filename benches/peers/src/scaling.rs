//! How the time for a million bones falls with the threads.

use crate::{
    bevy,
    driver::{Effort, Measured, alternate},
    table::{Table, significant},
    who::{Programs, Who},
};

const BONES: usize = 999_975;

/// The table for 1, 2, 4, ... threads, up to the machine's number.
pub fn table(programs: &Programs, effort: &Effort) -> String {
    let mut table = Table::new(&[
        "threads",
        "limit's tick, ms",
        "times",
        "Bevy pool's",
        "times",
        "ours",
        "times",
    ]);
    let mut single: Option<Vec<f64>> = None;
    let counts = std::iter::successors(Some(1), |count| Some(count * 2));
    for threads in counts.take_while(|&count| count < effort.threads).chain([effort.threads]) {
        let who = [Who::Limit, Who::BevyPool(threads), Who::Ours];
        let cells = alternate(programs, &who, ("hum_all", BONES), &Effort { threads, ..*effort });
        let tick = |ways: &Result<Vec<_>, String>| {
            let measured =
                ways.iter().flatten().filter(|measured: &&Measured| measured.way != bevy::WAYS[1]);
            measured.map(|measured| measured.median.tick).fold(f64::NAN, f64::min)
        };
        let times: Vec<f64> = cells.iter().map(|cell| tick(&cell.1)).collect();
        let single = single.get_or_insert_with(|| times.clone());
        let pairs = times
            .iter()
            .zip(single)
            .flat_map(|(time, one)| [significant(time / 1e6), significant(*one / time)]);
        table.row([threads.to_string()].into_iter().chain(pairs));
        for wrong in cells.iter().filter_map(|cell| cell.1.as_ref().err()) {
            eprintln!("{threads} threads: {wrong}");
        }
    }
    table.text()
}
