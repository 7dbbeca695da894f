//! What each feature costs that a bundle can do without: two worlds in turn, one without and one
//! with it. `unused`: it is switched on, and the world has nothing that it is for.

mod large_worlds;
mod smooth;

use criterion::Criterion;
use legion_transform::TransformSystemBundle as Bundle;

use crate::{
    turns::{Side, in_turn, nodes},
    workloads::Workload,
};

/// A feature, and rows that are measured without and with it.
struct Feature {
    name: &'static str,
    rows: &'static [&'static str],
    without: Side<'static>,
    with: Side<'static>,
}

const PLAIN: Side<'_> = Side::plain(&Bundle::default);

const FEATURES: [Feature; 3] = [
    Feature {
        name: "large_worlds/unused",
        rows: &["flat_static", "flat_all", "flat_few", "hum_all", "hum_10", "bullets", "respawn"],
        without: PLAIN,
        with: Side::plain(&|| Bundle::default().large_worlds()),
    },
    // All roots are frames, and the origin moves.
    Feature {
        name: "large_worlds/used",
        rows: &["hum_all", "tree_root", "wide_root", "flat_all"],
        without: PLAIN,
        with: large_worlds::USED,
    },
    // Nobody reads the list.
    Feature {
        name: "track_changes/unused",
        rows: &[
            "flat_static",
            "flat_all",
            "hum_all",
            "hum_all/scattered",
            "hum_10",
            "bullets",
            "respawn",
        ],
        without: PLAIN,
        with: Side::plain(&|| Bundle::default().track_changes()),
    },
];

/// Measures all of them.
pub fn features(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("features");
    for Feature { name, rows, without, with } in &FEATURES {
        for workload in rows.iter().filter_map(|row| Workload::named(row)) {
            let nodes = nodes(workload);
            let id = format!("{name}/{}/{nodes}", workload.name);
            in_turn(&mut group, &id, workload, nodes, [*without, *with]);
        }
    }
    smooth::smooth(&mut group);
    group.finish();
}
