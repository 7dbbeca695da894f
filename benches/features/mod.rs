//! What each feature costs that a bundle can do without: two worlds in turn, one without and one
//! with it. `unused`: it is switched on, and the world has nothing that it is for.

mod inherit;
mod inherits;
mod large_worlds;
mod smooth;

use criterion::Criterion;
use legion::systems::{ParallelRunnable, SystemBuilder};
use legion_transform::{TransformSystemBundle as Bundle, components::Visible};

use crate::{
    turns::{Side, in_turn, nodes},
    workloads::Workload,
};

/// A feature, and rows that are measured without and with it.
struct Feature {
    name: &'static str,
    rows: &'static [&'static str],
    /// Without it, and with it.
    sides: [Side<'static>; 2],
}

const PLAIN: Side<'_> = Side::plain(&Bundle::default);
const VALUES: Side<'_> = Side::plain(&|| Bundle::default().inherit::<Visible>());

/// With a system of the user's before propagation.
const BETWEEN: Side<'_> = Side::plain(&|| Bundle::default().before_propagation(nothing()));
const FRAMES_BETWEEN: Side<'_> =
    Side::plain(&|| Bundle::default().large_worlds().before_propagation(nothing()));

fn nothing() -> impl ParallelRunnable + 'static {
    SystemBuilder::new("nothing").build(|_, _, _, _| ())
}

const FEATURES: [Feature; 11] = [
    Feature {
        name: "large_worlds/unused",
        rows: &["flat_static", "flat_all", "flat_few", "hum_all", "hum_10", "bullets", "respawn"],
        sides: [PLAIN, Side::plain(&|| Bundle::default().large_worlds())],
    },
    Feature {
        name: "large_worlds/between",
        rows: &["flat_static", "flat_few"],
        sides: [BETWEEN, FRAMES_BETWEEN],
    },
    // All roots are frames, and the origin moves.
    Feature {
        name: "large_worlds/used",
        rows: &["hum_all", "tree_root", "wide_root", "flat_all"],
        sides: [PLAIN, large_worlds::USED],
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
        sides: [PLAIN, Side::plain(&|| Bundle::default().track_changes())],
    },
    Feature { name: "inherits/label", rows: &["hum_all"], sides: inherits::LABELS },
    Feature { name: "inherits/tenth", rows: &["hum_all"], sides: inherits::TENTH },
    // All values are as they were, and nodes that come get one.
    Feature {
        name: "inherit/unused",
        rows: &["flat_static", "flat_all", "flat_few", "hum_all", "hum_10", "bullets", "respawn"],
        sides: [PLAIN, VALUES],
    },
    // Nodes come with a value.
    Feature {
        name: "inherit/spawn",
        rows: &["bullets/visible", "bullets/visible/after_write", "respawn/visible"],
        sides: [PLAIN, VALUES],
    },
    Feature { name: "inherit/used", rows: &["hum_all"], sides: inherit::BOTH },
    // Not without and with it: matrices, and values.
    Feature { name: "inherit/beside_matrices", rows: &["hum_static"], sides: inherit::BESIDE },
    Feature { name: "inherit/one", rows: &["hum_static"], sides: inherit::ONE },
];

/// Measures all of them.
pub fn features(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("features");
    for Feature { name, rows, sides } in &FEATURES {
        for workload in rows.iter().filter_map(|row| Workload::named(row)) {
            let nodes = nodes(workload);
            let id = format!("{name}/{}/{nodes}", workload.name);
            in_turn(&mut group, &id, workload, nodes, *sides);
        }
    }
    smooth::smooth(&mut group);
    group.finish();
}
