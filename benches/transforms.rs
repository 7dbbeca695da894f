//! Each workload through the bundle: `cargo bench -p benches --bench transforms -- hum_all`.
//!
//! A row is measured if one of the words is in its name. `-- frames` has what games do besides,
//! `-- features` and `-- mechanisms` compare bundles, `-- rules` has loops by hand beside them, and
//! `-- calls` times what games call around the run. With `--features tracing` a row has each stage
//! of the run, too.
//!
//! Worlds are small by default; `LEGION_TRANSFORM_BENCH=full` measures the sizes that the
//! comparison in `benches/peers` has. `RAYON_NUM_THREADS=1` measures one thread.

mod calls;
#[cfg(feature = "tracing")]
mod clock;
mod features;
mod frames;
mod harness;
mod mechanisms;
mod rules;
mod workloads;

use harness::{Bench, Side, Subject, is_full};
use workloads::CATALOGUE;

fn main() {
    #[cfg(feature = "tracing")]
    clock::start();
    let bench = Bench::of_arguments();
    for workload in CATALOGUE.iter().filter(|workload| workload.is_usual()) {
        for &nodes in
            if is_full() { workload.sizes } else { std::slice::from_ref(&workload.reduced) }
        {
            let id = format!("{}/{nodes}", workload.name);
            bench.ticks(&id, || Subject::new(workload, nodes, Side::USUAL));
        }
    }
    frames::frames(&bench);
    features::features(&bench);
    mechanisms::mechanisms(&bench);
    calls::calls(&bench);
    rules::rules(&bench);
}
