//! What the crate promises, as ratios measured side by side, and where the field stood when the promise was made.

/// An upper bound on the crate's time.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// So many times the reference's, plus microseconds a tick.
    Limit(f64, f64),
    /// One so-many-th of the better of Bevy's builds.
    Bevy(f64),
    /// So many times the crate's own time for a whole tick (or, if said so, for an entity) of another row.
    Tick(f64, &'static str, usize),
    /// Likewise for an entity.
    Entity(f64, &'static str, usize),
}

/// The bounds of a row; none is there to be reported only.
pub fn of(workload: &str, nodes: usize) -> &'static [Bound] {
    use Bound::*;
    match (workload, nodes) {
        ("flat_all", _) => &[Limit(1.3, 5.0)],
        ("flat_all/archetypes", _) => &[Entity(3.0, "flat_all", 100_000)],
        ("flat_static", 1_000_000) => &[Tick(1.5, "flat_static", 10_000), Bevy(100.0)],
        ("hum_static", 268_000) => &[Tick(1.5, "hum_static", 10_050), Bevy(100.0)],
        ("hum_all" | "tree_all", _) => &[Limit(2.5, 0.0), Bevy(6.0)],
        ("tree_root" | "wide_root", _) => &[Limit(2.0, 0.0), Bevy(6.0)],
        ("chain_all", _) => &[Limit(2.0, 0.0), Bevy(3.0)],
        ("hum_10" | "hum_10/apart" | "wide_leaf" | "reparent" | "respawn" | "respawn_leaves", _) => &[Bevy(4.0)],
        ("flat_few", _) => &[Bevy(2.0)],
        ("tree_leaf" | "spawn_hum", _) => &[Bevy(1.0)],
        ("flat_few/apart" | "tree_leaf/apart" | "wide_leaf/apart", _) => &[Bevy(10.0)],
        ("spawn_flat", _) => &[Bevy(0.8)],
        _ => &[],
    }
}

/// The reference and the better of Bevy's builds in ns an entity, as measured when the bounds were set: our reference has to
/// be as good, within 15 %, or the bounds would mean less than they did.
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
