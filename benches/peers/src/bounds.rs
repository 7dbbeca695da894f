//! The crate's aims, as ratios measured side by side, and the competitors' times when the aims were
//! set.

/// An upper bound on the crate's time.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// Its tick: a multiple of the reference's, plus microseconds.
    Limit(f64, f64),
    /// Its edit and tick: a multiple of the best of Bevy's.
    Bevy(f64),
    /// The same, of Bevy without its optimisation for static scenes.
    BevyWithout(f64),
    /// Its tick: a multiple of Bevy's best.
    BevyTick(f64),
    /// Its tick: a multiple of another row's.
    Tick(f64, &'static str, usize),
    /// The same for each entity.
    Entity(f64, &'static str, usize),
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
        ("flat_all/one_thread", _) => &[BevyWithout(0.7)],
        ("flat_all/archetypes", _) => &[Entity(3.0, "flat_all", 100_000)],
        ("flat_static", 1_000_000) => &[Tick(1.5, "flat_static", 10_000), BevyTick(0.01)],
        ("hum_static", 268_000) => &[Tick(1.5, "hum_static", 10_050), BevyTick(0.01)],
        ("flat_few" | "flat_few/archetypes" | "hum_10" | "respawn_leaves", _) => &[Bevy(0.4)],
        ("flat_few/hundred", 1_000_000) => &[Bevy(0.05)],
        ("flat_few/same", _) => &[Bevy(0.5)],
        ("flat_bullets", _) => &[Bevy(0.1)],
        ("flat_few/apart" | "tree_leaf/apart" | "wide_leaf/apart", _) => &[BevyTick(0.1)],
        ("hum_all", _) => &[Limit(2.5, 0.0), Bevy(0.2), BevyWithout(0.3)],
        ("hum_all/one_thread", _) => &[BevyWithout(0.6)],
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

/// The ticks of the reference and of the better of Bevy's builds in ns an entity, as measured when
/// the bounds were set: our reference has to be as good, within 15 %, or the bounds would mean less
/// than they did.
pub const FIELD: &[(&str, usize, f64, f64)] = &[
    ("flat_all", 1_000_000, 3.6, 15.1),
    ("flat_static", 1_000_000, 0.015, 2.4),
    ("flat_few", 1_000_000, 0.38, 5.6),
    ("hum_all", 268_000, 2.8, 43.0),
    ("hum_static", 268_000, 0.02, 1.9),
    ("hum_10", 268_000, 0.6, 11.0),
    ("chain_all", 10_000, 9.0, 47.0),
    ("tree_all", 262_143, 3.0, 57.0),
    ("tree_root", 262_143, 3.1, 37.0),
    ("tree_leaf", 262_143, 0.01, 1.8),
    ("wide_root", 250_001, 2.2, 24.0),
    ("wide_leaf", 250_001, 0.01, 12.0),
    ("reparent", 101_000, 0.5, 29.0),
    ("respawn", 101_000, 0.7, 9.7),
];
