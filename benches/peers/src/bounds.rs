//! The crate's aims, as ratios measured side by side.

/// An upper bound on the crate's time.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// Its tick: a multiple of the reference's, plus microseconds.
    Limit(f64, f64),
    /// Its edit and tick: a multiple of the best of Bevy's.
    Bevy(f64),
    /// Its tick: a multiple of Bevy's best.
    BevyTick(f64),
    /// Its tick: a multiple of another row's.
    Tick(f64, &'static str, usize),
    /// Its edit and tick: a multiple of another row's.
    Sum(f64, &'static str, usize),
}

/// The bounds of a row; none is there to be reported only.
pub fn of(workload: &str, nodes: usize) -> &'static [Bound] {
    use Bound::*;
    match (workload, nodes) {
        ("forest_1024/calls", _) => &[Bevy(0.33)],
        ("forest_4096/calls", _) => &[Bevy(0.55)],
        ("forest_static", _) => &[Bevy(0.01)],
        ("flat_all", _) => &[Limit(1.3, 5.0)],
        ("flat_all/one_thread", _) => &[Bevy(0.7)],
        ("flat_all/archetypes", _) => &[Tick(3.0, "flat_all", 100_000)],
        ("flat_static", 1_000_000) => &[Tick(1.5, "flat_static", 10_000), BevyTick(0.01)],
        ("hum_static", 268_000) => &[Tick(1.5, "hum_static", 10_050), BevyTick(0.01)],
        ("flat_few" | "flat_few/archetypes" | "hum_10" | "respawn_leaves", _) => &[Bevy(0.4)],
        ("flat_few/hundred", 1_000_000) => &[Bevy(0.05)],
        ("flat_few/same", _) => &[Bevy(0.5)],
        ("flat_bullets", _) => &[Bevy(0.1)],
        ("flat_few/apart" | "tree_leaf/apart" | "wide_leaf/apart", _) => &[BevyTick(0.1)],
        ("hum_all", _) => &[Limit(2.5, 0.0), Bevy(0.2)],
        ("hum_all/one_thread", _) => &[Bevy(0.6)],
        ("hum_10/apart" | "wide_leaf", _) => &[BevyTick(0.25)],
        ("tree_all", _) => &[Limit(2.5, 0.0), BevyTick(0.166)],
        ("tree_root" | "wide_root", _) => &[Limit(2.0, 0.0), BevyTick(0.166)],
        ("chain_all", _) => &[Limit(2.0, 0.0), BevyTick(0.333)],
        ("tree_leaf", _) => &[BevyTick(1.0)],
        ("reparent" | "reparent/two", _) => &[Bevy(0.15)],
        ("respawn", _) => &[Bevy(0.75)],
        ("respawn/spread", _) => &[Bevy(1.0)],
        ("bullets", _) => &[Bevy(0.25)],
        ("churn_wide", _) => &[Sum(2.0, "churn_tens", 110_000)],
        ("churn_wide/apart", _) => &[Sum(2.0, "churn_tens/apart", 110_000)],
        ("spawn_flat", _) => &[Bevy(1.25)],
        ("spawn_hum", _) => &[Bevy(1.0), BevyTick(1.0)],
        _ => &[],
    }
}

/// How much memory the crate may keep, in times of the least that Bevy does.
pub const MEMORY: f64 = 1.1;
