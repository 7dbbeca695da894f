//! What each mechanism gains that only makes a run faster: two worlds in turn, one with it and one
//! without.

use criterion::Criterion;
use legion_transform::TransformSystemBundle;

use crate::{
    turns::{Side, in_turn, nodes},
    workloads::Workload,
};

/// The mechanisms, by the names that a bundle knows them by, with the rows that they are for.
const MECHANISMS: [(&str, &[&str]); 8] = [
    ("closing", &["bullets", "respawn", "churn_wide", "flat_bullets"]),
    ("bulk", &["spawn_hum/unlinked", "respawn/unlinked"]),
    ("compare", &["reparent"]),
    ("lose", &["churn_wide", "churn_wide/apart"]),
    ("inputs", &["flat_few", "hum_10", "wide_leaf"]),
    ("rewrite", &["flat_all"]),
    ("consecutive", &["wide_root"]),
    ("threads", &["flat_all", "hum_all"]),
];

/// Measures all of them; on one thread all but that of threads.
pub fn mechanisms(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("mechanisms");
    for (name, rows) in MECHANISMS {
        let bundle = || match name {
            "threads" => TransformSystemBundle::default(),
            _ => TransformSystemBundle::default().without("threads"),
        };
        let without = || bundle().without(name);
        for workload in rows.iter().filter_map(|row| Workload::named(row)) {
            let nodes = nodes(workload);
            let id = format!("{name}/{}/{nodes}", workload.name);
            in_turn(
                &mut group,
                &id,
                workload,
                nodes,
                [Side::plain(&bundle), Side::plain(&without)],
            );
        }
    }
    group.finish();
}
