//! What makes a row of the table.

use std::ops::Range;

/// For how many ticks a bullet lives.
pub const BULLET_TICKS: usize = 20;

/// How many children each node has at each depth of a tree of a forest.
pub const FANOUTS: [usize; 6] = [4, 4, 3, 3, 2, 2];

/// How many nodes such a tree has.
pub const TREE: usize = 1_077;

/// How many loose nodes there are for a tree.
pub const LOOSE: usize = 250;

/// How many entities have a user's component and no transform.
pub const USERS: usize = 1_000;

/// Which node is below which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Roots only.
    Flat,
    /// Skeletons of 67 bones, each depth first.
    Skeletons,
    /// A vehicle for ten skeletons: first all vehicles, then the skeletons, each below a vehicle.
    Vehicles,
    /// One chain.
    Chain,
    /// A complete binary tree, breadth first.
    BinaryTree,
    /// One root, all others its children.
    Wide,
    /// So many children a root: first all roots, then all children.
    Families(usize),
    /// The scene of Bevy's own benchmark: trees of [`TREE`] nodes, depth first, and then
    /// [`LOOSE`] nodes without parent and children for each tree.
    Forest,
}

/// What changes each tick. To move is to get a new translation, rotation and scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Every node moves.
    Everything,
    /// Nothing does.
    Nothing,
    /// One node in a hundred moves, picked at random, others each tick.
    OnePercent,
    /// One node in a hundred moves, picked at random, the same each tick.
    SameOnePercent,
    /// A hundred nodes move, picked at random, others each tick.
    Hundred,
    /// So many nodes of a forest move, one after the other through all trees.
    InTurn(usize),
    /// The first node moves, or so many roots of a forest, the same each tick.
    Roots(usize),
    /// All bones of every tenth skeleton move.
    EveryTenthSkeleton,
    /// One node without children moves.
    Leaf,
    /// One child in a hundred gets another parent, picked at random.
    Reparent,
    /// This number of children gets another parent, picked at random. With vehicles these are
    /// skeletons.
    ReparentSome(usize),
    /// One root in a hundred is despawned with its children, and all are spawned anew: roots side
    /// by side in storage.
    Respawn,
    /// The same, with roots picked at random.
    RespawnSpread,
    /// One node without children in a hundred is despawned and spawned anew, picked at random.
    RespawnLeaves,
    /// This number of nodes without children is despawned, and the same number spawned below
    /// parents picked at random. Each lives for [`BULLET_TICKS`] ticks.
    Bullets(usize),
    /// Not ticks: the world is spawned and brought up to date once.
    Spawn,
}

/// How the nodes are spread over archetypes, where a competitor has such a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// As few archetypes as the components allow; children are spawned with `PreviousParent`,
    /// parents with `Children`.
    Together,
    /// The same, but the nodes that move, or come and go, carry a marker component, and so have
    /// archetypes of their own.
    MoversApart,
    /// `Together`, but nodes are spawned without `PreviousParent` and `Children`: of the hierarchy
    /// they have `Parent` alone.
    Unlinked,
    /// This number of nodes an archetype.
    Archetypes(usize),
    /// As `Together`, with three components of the user's own in every node, each of eight numbers.
    Payload,
    /// As `Together`, with a `Visible` and an `Effective` value of it in every child.
    Visible,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// What it is called, unique in the [catalogue](super::CATALOGUE).
    pub name: &'static str,
    pub shape: Shape,
    pub change: Change,
    pub layout: Layout,
    /// How many nodes, for the comparison with the peers.
    pub sizes: &'static [usize],
    /// How many nodes where time is short.
    pub reduced: usize,
    /// Whether nodes are spawned in a random order, and get their parents when all are there;
    /// otherwise parents come first.
    pub is_scattered: bool,
    /// Whether a user's component of [`USERS`] other entities is written before the change, which
    /// have no transform.
    pub after_write: bool,
    /// In how many worlds this happens, each with all the nodes.
    pub worlds: usize,
    /// Whether ours is edited by the crate's calls alone, and not in the best way.
    pub by_calls: bool,
    /// Whether each competitor has one thread.
    pub one_thread: bool,
}

impl Workload {
    pub(super) const fn scattered(self) -> Self {
        Self { is_scattered: true, ..self }
    }

    pub(super) const fn after_write(self) -> Self {
        Self { after_write: true, ..self }
    }

    pub(super) const fn in_worlds(self, worlds: usize) -> Self {
        Self { worlds, ..self }
    }

    pub(super) const fn by_calls(self) -> Self {
        Self { by_calls: true, ..self }
    }

    pub(super) const fn on_one_thread(self) -> Self {
        Self { one_thread: true, ..self }
    }

    /// Whether it differs from others in its nodes and changes, not only in the conditions under
    /// which these are timed.
    pub const fn is_usual(&self) -> bool {
        !self.by_calls && !self.one_thread && !matches!(self.layout, Layout::Visible)
    }

    /// Whether nodes come and go each tick.
    pub fn is_structural(&self) -> bool {
        let respawns = [Change::Respawn, Change::RespawnSpread, Change::RespawnLeaves];
        self.bullets() > 0 || respawns.contains(&self.change)
    }

    /// How many nodes come each tick as bullets.
    const fn bullets(&self) -> usize {
        match self.change {
            Change::Bullets(each) => each,
            _ => 0,
        }
    }

    /// The nodes that come and go as bullets: the last ones of `nodes`.
    pub fn passing(&self, nodes: usize) -> Range<usize> {
        nodes - self.bullets() * BULLET_TICKS..nodes
    }
}
