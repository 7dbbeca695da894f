//! What each mechanism gains that only makes a run faster: two worlds in turn, one with it and one
//! without.

use legion_transform::TransformSystemBundle;

use crate::harness::{Bench, Side};

/// The mechanisms, by the names that a bundle knows them by, with the rows that they are for.
const MECHANISMS: [(&str, &[&str]); 7] = [
    ("closing", &["bullets", "respawn", "churn_wide", "flat_bullets"]),
    ("bulk", &["spawn_hum/unlinked", "respawn/unlinked"]),
    ("compare", &["reparent"]),
    ("lose", &["churn_wide", "churn_wide/apart"]),
    ("inputs", &["flat_few", "hum_10", "wide_leaf"]),
    ("consecutive", &["wide_root"]),
    ("threads", &["flat_all", "hum_all"]),
];

/// Measures all of them: on one thread, and on all of the pool (`RAYON_NUM_THREADS`).
pub fn mechanisms(bench: &Bench) {
    for (name, rows) in MECHANISMS {
        for (threads, off) in [("", "threads"), ("/threads", "")] {
            // Threads themselves are measured where all of them help.
            if (name, threads) == ("threads", "") {
                continue;
            }
            let bundle = || TransformSystemBundle::default().without(off);
            let without = || bundle().without(name);
            let id = format!("mechanisms/{name}{threads}");
            bench.sides(&id, rows, [Side::plain(&bundle), Side::plain(&without)]);
        }
    }
}
