//! The table of workloads.

/// Who hangs off whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Roots only.
    Flat,
    /// Skeletons of 67 bones, each depth first.
    Skeletons,
    /// One chain.
    Chain,
    /// A complete binary tree, breadth first.
    BinaryTree,
    /// One root, all others its children.
    Wide,
    /// A hundred children a root: first all roots, then all children.
    Families,
}

/// What changes each tick. To move is to get a new translation, rotation and scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Every node moves.
    Everything,
    /// Nothing does.
    Nothing,
    /// One node in a hundred moves, picked at random.
    OnePercent,
    /// All bones of every tenth skeleton move.
    EveryTenthSkeleton,
    /// The first node moves.
    Root,
    /// One node without children moves.
    Leaf,
    /// One child in a hundred gets another parent, picked at random.
    Reparent,
    /// One root in a hundred is despawned with its children, and all are spawned anew.
    Respawn,
    /// One child in a hundred is despawned and spawned anew, picked at random.
    RespawnLeaves,
    /// Not ticks: the world is spawned and brought up to date once.
    Spawn,
}

/// How the nodes are spread over archetypes, where a competitor has such a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// As few archetypes as the components allow; children are spawned with `PreviousParent`, parents with `Children`.
    Together,
    /// Likewise, but the nodes that move carry a marker component, and so have archetypes of their own.
    MoversApart,
    /// As `Together`, without `PreviousParent` and `Children` in what is spawned.
    Unlinked,
    /// Ten nodes an archetype.
    ManyArchetypes,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// What it is called, unique in the [catalogue](CATALOGUE).
    pub name: &'static str,
    /// Who hangs off whom.
    pub shape: Shape,
    /// What changes each tick.
    pub change: Change,
    /// How nodes are spread over archetypes.
    pub layout: Layout,
    /// How many nodes, for the comparison with the peers.
    pub sizes: &'static [usize],
    /// How many nodes where time is short.
    pub reduced: usize,
}

impl Workload {
    /// The workload of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Workload> {
        CATALOGUE.iter().find(|workload| workload.name == name)
    }
}

const fn row(
    name: &'static str,
    shape: Shape,
    change: Change,
    layout: Layout,
    sizes: &'static [usize],
    reduced: usize,
) -> Workload {
    Workload { name, shape, change, layout, sizes, reduced }
}

/// Every workload.
pub const CATALOGUE: &[Workload] = {
    use {Change::*, Layout::*, Shape::*};
    &[
        row("flat_all", Flat, Everything, Together, &[10_000, 100_000, 1_000_000], 100_000),
        row("flat_all/archetypes", Flat, Everything, ManyArchetypes, &[100_000], 10_000),
        row("flat_static", Flat, Nothing, Together, &[10_000, 1_000_000], 100_000),
        row("flat_few", Flat, OnePercent, Together, &[1_000_000], 100_000),
        row("flat_few/apart", Flat, OnePercent, MoversApart, &[1_000_000], 100_000),
        row("hum_all", Skeletons, Everything, Together, &[268_000], 67_000),
        row("hum_static", Skeletons, Nothing, Together, &[10_050, 268_000], 67_000),
        row("hum_10", Skeletons, EveryTenthSkeleton, Together, &[268_000], 67_000),
        row("hum_10/apart", Skeletons, EveryTenthSkeleton, MoversApart, &[268_000], 67_000),
        row("chain_all", Chain, Everything, Together, &[10_000], 10_000),
        row("tree_all", BinaryTree, Everything, Together, &[262_143], 65_535),
        row("tree_root", BinaryTree, Root, Together, &[262_143], 65_535),
        row("tree_leaf", BinaryTree, Leaf, Together, &[262_143], 65_535),
        row("tree_leaf/apart", BinaryTree, Leaf, MoversApart, &[262_143], 65_535),
        row("wide_root", Wide, Root, Together, &[250_001], 50_001),
        row("wide_leaf", Wide, Leaf, Together, &[250_001], 50_001),
        row("wide_leaf/apart", Wide, Leaf, MoversApart, &[250_001], 50_001),
        row("reparent", Families, Reparent, Together, &[101_000], 20_200),
        row("respawn", Families, Respawn, Together, &[101_000], 20_200),
        row("respawn/unlinked", Families, Respawn, Unlinked, &[101_000], 20_200),
        row("respawn_leaves", Families, RespawnLeaves, Together, &[101_000], 20_200),
        row("spawn_flat", Flat, Spawn, Together, &[1_000_000], 100_000),
        row("spawn_hum", Skeletons, Spawn, Together, &[268_000], 67_000),
    ]
};
