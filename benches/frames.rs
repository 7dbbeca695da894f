//! What games mix in one frame, in one table: `cargo bench -p benches --bench frames -- ROW...`.
//!
//! A row is measured if its name begins with one of the arguments, `doubt/after` or
//! `doubt/after/hum`. Columns are microseconds: the median of the *edit* (all that the program does
//! besides), the median of the *tick* (the run of the bundle), and the worst tick.
//!
//! Each row has 300 ticks, twice from the beginning. The same happens both times, and other
//! programs only ever make a tick longer. So the shorter one of the two counts: 4,100 us the first
//! time and 310 us the second are 310 us. A tick that must be long is long both times.
//!
//! By default scenes are a tenth as large and there are 60 ticks; `LEGION_TRANSFORM_BENCH=full` has
//! the sizes that the rows name. `RAYON_NUM_THREADS=1` measures one thread. After its last tick
//! each row compares all matrices and lists of children with a plain computation.

#[path = "frames/check.rs"]
mod check;
#[path = "frames/doubt.rs"]
mod doubt;
#[path = "frames/game.rs"]
mod game;
#[allow(dead_code, reason = "of this only `is_full`")]
mod harness;
#[path = "frames/inputs.rs"]
mod inputs;
#[path = "frames/relations.rs"]
mod relations;
#[path = "frames/row.rs"]
mod row;
#[path = "frames/runs.rs"]
mod runs;
mod workloads;

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let groups = [doubt::rows(), runs::rows(), inputs::rows(), relations::rows()];
    println!("{:<26} {:<9} {:>11} {:>11} {:>11}", "row", "scene", "edit us", "tick us", "worst us");
    for row in groups.into_iter().flatten().filter(|row| row.is_wanted(&wanted)) {
        println!("{}", row.measure());
    }
}
