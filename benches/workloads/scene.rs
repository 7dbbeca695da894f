//! A workload's nodes as plain data, and how they change from tick to tick.

use std::ops::Range;

use super::{
    catalogue::{Change, Layout, Shape, Workload},
    poses::{Poses, Random, Trs},
    skeleton,
};

/// The parent of a root.
pub const NO_PARENT: u32 = u32::MAX;

/// How many children a root of [`Shape::Families`] has when the scene begins.
const FAMILY: usize = 100;

/// The nodes of a workload. A parent's index is below its children's.
pub struct Scene {
    /// What it is a scene of.
    pub workload: Workload,
    /// Each node's parent, or [`NO_PARENT`].
    pub parents: Vec<u32>,
    /// Each node's translation, rotation and scale.
    pub trs: Vec<Trs>,
    poses: Poses,
    random: Random,
    tick: usize,
    /// The sets of nodes that move, taken in turns.
    movers: Vec<Vec<u32>>,
}

/// What changed in a tick; the new values are in the scene.
#[derive(Debug)]
pub enum Edit {
    /// Nothing.
    Nothing,
    /// Every node's translation, rotation and scale.
    MoveAll,
    /// These nodes' translation, rotation and scale.
    Move(Vec<u32>),
    /// These nodes' parents.
    Reparent(Vec<u32>),
    /// These subtrees, each a node and its children, were despawned and spawned anew with other poses.
    Respawn(Vec<(u32, Range<u32>)>),
}

impl Scene {
    /// The workload's scene of about so many nodes: as many as make whole skeletons, trees and families.
    #[must_use]
    pub fn new(workload: &Workload, nodes: usize) -> Self {
        let parents = parents(workload.shape, nodes);
        let poses = if workload.shape == Shape::Flat { Poses::new(100.0, 2.0) } else { Poses::new(1.0, 1.03) };
        let trs = (0..parents.len()).map(|node| poses.at(node, 0)).collect();
        let mut random = Random::new(11);
        let movers = movers(workload, &parents, &mut random);
        Self { workload: *workload, parents, trs, poses, random, tick: 0, movers }
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// The nodes that will ever move, if they are to have archetypes of their own.
    #[must_use]
    pub fn movers_apart(&self) -> &[u32] {
        if self.workload.layout == Layout::MoversApart { &self.movers[0] } else { &[] }
    }

    /// Which nodes have children.
    #[must_use]
    pub fn inner(&self) -> Vec<bool> {
        let mut inner = vec![false; self.len()];
        self.parents.iter().filter(|&&parent| parent != NO_PARENT).for_each(|&parent| inner[parent as usize] = true);
        inner
    }

    /// The nodes in groups to be spawned one after the other, parents in an earlier one than their children: a skeleton
    /// after the other where they are spawned as a game would, all by depth where a million is spawned at once.
    #[must_use]
    pub fn spawn_groups(&self) -> Vec<Vec<u32>> {
        let of = if self.workload.change == Change::Spawn { self.len() } else { skeleton::BONES };
        let skeletons = self.workload.shape == Shape::Skeletons;
        let piece = if skeletons { of } else { self.len() };
        let pieces = (0..self.len()).step_by(piece).map(|start| start..(start + piece).min(self.len()));
        pieces.flat_map(|nodes| self.by_depth(nodes)).collect()
    }

    fn by_depth(&self, nodes: Range<usize>) -> Vec<Vec<u32>> {
        let mut depths = vec![0usize; nodes.len()];
        let mut levels: Vec<Vec<u32>> = Vec::new();
        for node in nodes.clone() {
            let parent = self.parents[node];
            let depth = if parent == NO_PARENT { 0 } else { depths[parent as usize - nodes.start] + 1 };
            depths[node - nodes.start] = depth;
            if depth == levels.len() {
                levels.push(Vec::new());
            }
            levels[depth].push(node as u32);
        }
        levels
    }

    /// Changes the scene as its workload says.
    pub fn advance(&mut self) -> Edit {
        self.tick += 1;
        match self.workload.change {
            Change::Nothing | Change::Spawn => Edit::Nothing,
            Change::Everything => {
                (0..self.len()).for_each(|node| self.trs[node] = self.poses.at(node, self.tick));
                Edit::MoveAll
            }
            Change::OnePercent | Change::EveryTenthSkeleton | Change::Root | Change::Leaf => {
                let movers = self.movers[self.tick % self.movers.len()].clone();
                movers.iter().for_each(|&node| self.trs[node as usize] = self.poses.at(node as usize, self.tick));
                Edit::Move(movers)
            }
            Change::Reparent => self.reparent(),
            Change::Respawn | Change::RespawnLeaves => self.respawn(),
        }
    }

    fn reparent(&mut self) -> Edit {
        let roots = self.len() / (FAMILY + 1);
        let children: Vec<u32> =
            (0..roots * FAMILY / 100).map(|_| (roots + self.random.below(roots * FAMILY)) as u32).collect();
        for &child in &children {
            let old = self.parents[child as usize] as usize;
            self.parents[child as usize] = ((old + 1 + self.random.below(roots - 1)) % roots) as u32;
        }
        Edit::Reparent(children)
    }

    fn respawn(&mut self) -> Edit {
        let roots = self.len() / (FAMILY + 1);
        let children = |root: usize| {
            let first = roots + root * FAMILY;
            first as u32..(first + FAMILY) as u32
        };
        let subtrees: Vec<(u32, Range<u32>)> = if self.workload.change == Change::Respawn {
            let count = (roots / 100).max(1);
            let root = |k: usize| (self.tick * count + k) * 7 % roots; // distinct within a tick
            (0..count).map(root).map(|root| (root as u32, children(root))).collect()
        } else {
            let mut leaves: Vec<u32> =
                (0..roots * FAMILY / 100).map(|_| (roots + self.random.below(roots * FAMILY)) as u32).collect();
            leaves.sort_unstable();
            leaves.dedup();
            leaves.into_iter().map(|leaf| (leaf, 0..0)).collect()
        };
        for (top, below) in &subtrees {
            for node in below.clone().chain([*top]) {
                self.trs[node as usize] = self.poses.at(node as usize, self.tick);
            }
        }
        Edit::Respawn(subtrees)
    }
}

fn parents(shape: Shape, nodes: usize) -> Vec<u32> {
    let parent = |node: usize| match shape {
        Shape::Flat => NO_PARENT,
        Shape::Chain => (node as u32).wrapping_sub(1),
        Shape::BinaryTree => {
            if node == 0 {
                NO_PARENT
            } else {
                (node as u32 - 1) / 2
            }
        }
        Shape::Wide => {
            if node == 0 {
                NO_PARENT
            } else {
                0
            }
        }
        Shape::Skeletons | Shape::Families => unreachable!("made of whole pieces below"),
    };
    match shape {
        Shape::Skeletons => {
            let bones = skeleton::parents();
            let skeleton = |first: usize| bones.map(|bone| bone.map_or(NO_PARENT, |bone| (first + bone) as u32));
            (0..(nodes / skeleton::BONES).max(1)).flat_map(|k| skeleton(k * skeleton::BONES)).collect()
        }
        Shape::Families => {
            let roots = (nodes / (FAMILY + 1)).max(2);
            let children = (0..roots as u32).flat_map(|root| std::iter::repeat_n(root, FAMILY));
            std::iter::repeat_n(NO_PARENT, roots).chain(children).collect()
        }
        _ => (0..nodes).map(parent).collect(),
    }
}

fn movers(workload: &Workload, parents: &[u32], random: &mut Random) -> Vec<Vec<u32>> {
    let nodes = parents.len();
    let mut one_percent = || {
        let mut movers: Vec<u32> = (0..nodes / 100).map(|_| random.below(nodes) as u32).collect();
        movers.sort_unstable();
        movers.dedup();
        movers
    };
    match workload.change {
        // Other nodes each tick, unless the movers are to have an archetype of their own.
        Change::OnePercent if workload.layout == Layout::MoversApart => vec![one_percent()],
        Change::OnePercent => (0..8).map(|_| one_percent()).collect(),
        Change::EveryTenthSkeleton => {
            vec![(0..nodes as u32).filter(|&node| (node as usize / skeleton::BONES).is_multiple_of(10)).collect()]
        }
        Change::Root => vec![vec![0]],
        Change::Leaf => vec![vec![(nodes - nodes / 4) as u32]],
        _ => Vec::new(),
    }
}
