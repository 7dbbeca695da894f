//! The table of workloads.

use super::workload::{Change, Change::*, Layout, Layout::*, Shape, Shape::*, Workload};

impl Workload {
    /// The workload of that name.
    pub fn named(name: &str) -> Option<&'static Workload> {
        CATALOGUE.iter().find(|workload| workload.name == name)
    }
}

/// A workload with parents spawned first, in one world, with all threads.
const fn row(
    name: &'static str,
    shape: Shape,
    change: Change,
    layout: Layout,
    sizes: &'static [usize],
    reduced: usize,
) -> Workload {
    Workload {
        name,
        shape,
        change,
        layout,
        sizes,
        reduced,
        is_scattered: false,
        after_write: false,
        worlds: 1,
        by_calls: false,
        one_thread: false,
    }
}

const K: usize = 1_000;

/// Every workload.
pub const CATALOGUE: &[Workload] = &[
    // Bevy's own benchmark, 48 trees and 12,000 loose nodes; then the same by the crate's calls.
    row("forest_1024", Forest, InTurn(1_024), Payload, &[63_696], 15_924),
    row("forest_1024/calls", Forest, InTurn(1_024), Payload, &[63_696], 15_924).by_calls(),
    row("forest_4096", Forest, InTurn(4_096), Payload, &[63_696], 15_924),
    row("forest_4096/calls", Forest, InTurn(4_096), Payload, &[63_696], 15_924).by_calls(),
    row("forest_roots", Forest, Roots(8), Payload, &[63_696], 15_924),
    row("forest_static", Forest, Nothing, Payload, &[63_696], 15_924),
    row("reparent/two", Families(8_000), ReparentSome(4_096), Payload, &[16_002], 16_002),
    // No hierarchy.
    row("flat_all", Flat, Everything, Together, &[10 * K, 100 * K, 1_000 * K], 100 * K),
    row("flat_all/one_thread", Flat, Everything, Together, &[100 * K], 10 * K).on_one_thread(),
    row("flat_all/archetypes", Flat, Everything, Archetypes(10), &[100 * K], 10 * K),
    row("flat_all/hundreds", Flat, Everything, Archetypes(100), &[100 * K], 10 * K),
    row("flat_static", Flat, Nothing, Together, &[10 * K, 1_000 * K], 100 * K),
    row("flat_few", Flat, OnePercent, Together, &[1_000 * K], 100 * K),
    row("flat_few/hundred", Flat, Hundred, Together, &[100 * K, 1_000 * K], 100 * K),
    row("flat_few/same", Flat, SameOnePercent, Together, &[100 * K], 100 * K),
    row("flat_few/archetypes", Flat, OnePercent, Archetypes(100), &[100 * K], 10 * K),
    row("flat_few/apart", Flat, OnePercent, MoversApart, &[1_000 * K], 100 * K),
    row("flat_respawn/hundreds", Flat, RespawnLeaves, Archetypes(100), &[100 * K], 10 * K),
    row("flat_bullets", Flat, Bullets(10), Together, &[100 * K], 10 * K),
    row("flat_bullets/after_write", Flat, Bullets(10), Together, &[100 * K], 10 * K).after_write(),
    // Skeletons.
    row("hum_all", Skeletons, Everything, Together, &[268 * K], 67 * K),
    row("hum_all/one_thread", Skeletons, Everything, Together, &[268 * K], 67 * K).on_one_thread(),
    row("hum_all/scattered", Skeletons, Everything, Together, &[268 * K], 67 * K).scattered(),
    row("hum_static", Skeletons, Nothing, Together, &[10_050, 268 * K], 67 * K),
    row("hum_10", Skeletons, EveryTenthSkeleton, Together, &[268 * K], 67 * K),
    row("hum_10/apart", Skeletons, EveryTenthSkeleton, MoversApart, &[268 * K], 67 * K),
    // Other shapes.
    row("chain_all", Chain, Everything, Together, &[10 * K], 10 * K),
    row("tree_all", BinaryTree, Everything, Together, &[262_143], 65_535),
    row("tree_root", BinaryTree, Roots(1), Together, &[262_143], 65_535),
    row("tree_leaf", BinaryTree, Leaf, Together, &[262_143], 65_535),
    row("tree_leaf/apart", BinaryTree, Leaf, MoversApart, &[262_143], 65_535),
    row("wide_root", Wide, Roots(1), Together, &[250_001], 50_001),
    row("wide_leaf", Wide, Leaf, Together, &[250_001], 50_001),
    row("wide_leaf/apart", Wide, Leaf, MoversApart, &[250_001], 50_001),
    // Nodes that get other parents, or come and go.
    row("reparent", Families(100), Reparent, Together, &[101 * K], 20_200),
    row("reparent/ten", Families(99), ReparentSome(10), Together, &[1_000 * K], 20 * K),
    row("reparent/percent", Families(99), Reparent, Together, &[1_000 * K], 20 * K),
    row("board", Vehicles, ReparentSome(40), Together, &[268_400], 26_840),
    row("respawn", Families(100), Respawn, Together, &[101 * K], 20_200),
    row("respawn/spread", Families(100), RespawnSpread, Together, &[101 * K], 20_200),
    row("respawn/unlinked", Families(100), Respawn, Unlinked, &[101 * K], 20_200),
    row("respawn_leaves", Families(100), RespawnLeaves, Together, &[101 * K], 20_200),
    row("bullets", Families(100), Bullets(10), Together, &[101 * K], 20_200),
    row("respawn/visible", Families(100), Respawn, Visible, &[101 * K], 20_200),
    row("bullets/visible", Families(100), Bullets(10), Visible, &[101 * K], 20_200),
    row("bullets/apart", Families(100), Bullets(10), MoversApart, &[101 * K], 20_200),
    row("churn_wide", Wide, Bullets(100), Together, &[100_001], 20_001),
    row("churn_wide/apart", Wide, Bullets(100), MoversApart, &[100_001], 20_001),
    row("churn_tens", Families(10), Bullets(100), Together, &[110 * K], 22 * K),
    row("churn_tens/apart", Families(10), Bullets(100), MoversApart, &[110 * K], 22 * K),
    // Many small worlds.
    row("worlds", Families(9), Nothing, Together, &[20], 20).in_worlds(200),
    // First runs.
    row("spawn_flat", Flat, Spawn, Together, &[1_000 * K], 100 * K),
    row("spawn_hum", Skeletons, Spawn, Together, &[999_975], 67 * K),
    row("spawn_hum/unlinked", Skeletons, Spawn, Unlinked, &[268 * K], 67 * K),
    row("spawn_pairs/unlinked", Families(1), Spawn, Unlinked, &[200 * K], 20 * K),
];
