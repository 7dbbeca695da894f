//! What each feature costs that a bundle can do without: two worlds in turn, one without and one
//! with it. `unused`: it is switched on, and the world has nothing that it is for.

mod worlds;

use legion::systems::{ParallelRunnable, SystemBuilder};
use legion_transform::{TransformSystemBundle as Bundle, components::Visible};

use crate::{
    harness::{Bench, EachTick, Side},
    workloads::LegionWorld,
};
use worlds::{
    NO_SCALE, OTHER, PLACE, fly, label, move_all, move_one, tenth, toggle_all, toggle_one,
};

/// The name, the rows that are measured, and the sides: without it, and with it.
type Feature = (&'static str, &'static [&'static str], [Side<'static>; 2]);

/// Rows in which all entities stay, move, or come and go.
const UNUSED: &[&str] =
    &["flat_static", "flat_all", "flat_few", "hum_all", "hum_10", "bullets", "respawn"];

const PLAIN: Side<'_> = Side::plain(&Bundle::default);
const VALUES: Side<'_> = Side::plain(&values);

fn values() -> Bundle {
    Bundle::default().inherit::<Visible>()
}

/// With a system of the user's before propagation.
const BETWEEN: Side<'_> = Side::plain(&|| Bundle::default().before_propagation(nothing()));
const FRAMES_BETWEEN: Side<'_> =
    Side::plain(&|| Bundle::default().large_worlds().before_propagation(nothing()));

fn nothing() -> impl ParallelRunnable + 'static {
    SystemBuilder::new("nothing").build(|_, _, _, _| ())
}

/// A world with more than the scene.
const fn with(begin: fn(&mut LegionWorld) -> EachTick) -> Side<'static> {
    Side::with(&Bundle::default, begin)
}

/// The same, with inherited values.
const fn with_values(begin: fn(&mut LegionWorld) -> EachTick) -> Side<'static> {
    Side::with(&values, begin)
}

const FEATURES: [Feature; 11] = [
    ("large_worlds/unused", UNUSED, [PLAIN, Side::plain(&|| Bundle::default().large_worlds())]),
    ("large_worlds/between", &["flat_static", "flat_few"], [BETWEEN, FRAMES_BETWEEN]),
    // All roots are frames, and the origin moves.
    (
        "large_worlds/used",
        &["hum_all", "tree_root", "wide_root", "flat_all"],
        [PLAIN, Side::with(&|| Bundle::default().large_worlds(), fly)],
    ),
    // No system reads the list.
    ("track_changes/unused", UNUSED, [PLAIN, Side::plain(&|| Bundle::default().track_changes())]),
    // One bone of each skeleton inherits the place alone; one in ten leaves out the scale. The
    // world beside it has another component there, so that both have the same archetypes.
    ("inherits/label", &["hum_all"], [with(|it| label(it, OTHER)), with(|it| label(it, PLACE))]),
    ("inherits/tenth", &["hum_all"], [with(|it| tenth(it, OTHER)), with(|it| tenth(it, NO_SCALE))]),
    // All values are as they were, and nodes that come get one; or come with one. (Without the
    // feature each value would be a finding.)
    ("inherit/unused", UNUSED, [PLAIN, VALUES]),
    ("inherit/spawn", &["bullets", "respawn"], [PLAIN, VALUES.of("/visible")]),
    ("inherit/used", &["hum_all"], [with(toggle_all), with_values(toggle_all)]),
    // Not without and with it: matrices change in one world, and values in the other; of all
    // skeletons, or of one.
    ("inherit/beside_matrices", &["hum_static"], [with(move_all), with_values(toggle_all)]),
    ("inherit/one", &["hum_static"], [with(move_one), with_values(toggle_one)]),
];

/// Measures all of them.
pub fn features(bench: &Bench) {
    for (name, rows, sides) in FEATURES {
        bench.sides(&format!("features/{name}"), rows, sides);
    }
}
