//! Edits keep what components mean: not only is the matrix right. Random entities of all component
//! sets, below random parents; `LEGION_TRANSFORM_SOAK=1000000` asks for so many, and with
//! `LEGION_TRANSFORM_SEED=51939` they begin there.

mod case;
mod cases;
mod judge;

use harness::{Rng, demand};

use case::Case;

/// Says which case it is, if it fails.
struct Seed(u64);

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("LEGION_TRANSFORM_SEED={}", self.0);
        }
    }
}

/// After any edit, or an error, the judge finds nothing wrong.
#[test]
fn any_edit_of_any_entity_keeps_what_components_mean() {
    let (first, count) = match demand::seed() {
        Some(seed) => (seed, demand::soak().unwrap_or(1)),
        None => (0, demand::soak().unwrap_or(4_000)),
    };
    for seed in (first..first + count).map(Seed) {
        Case::new(Rng::new(seed.0)).judge();
    }
}
