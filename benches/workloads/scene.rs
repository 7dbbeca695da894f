//! A workload's nodes as plain data.

use super::{
    kind::{Batch, Kind, kinds},
    movers::movers,
    poses::{Poses, Random, Trs},
    shape::{NO_PARENT, parents},
    workload::{Layout, Shape, USERS, Workload},
};

/// The nodes of a workload. A parent's index is below its children's.
pub struct Scene {
    /// What it is a scene of.
    pub workload: Workload,
    /// Each node's parent, or [`NO_PARENT`].
    pub parents: Vec<u32>,
    /// When each node got its pose.
    pub(super) posed: Vec<u32>,
    pub(super) kinds: Vec<Kind>,
    pub(super) random: Random,
    pub(super) tick: usize,
    /// The sets of nodes that move, taken in turns.
    pub(super) movers: Vec<Vec<u32>>,
    poses: Poses,
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
    /// These subtrees were despawned and spawned anew with other poses.
    Respawn(Respawn),
    /// The component of all entities that have no transform.
    WriteUsers,
    /// One after the other.
    Both(Box<[Edit; 2]>),
}

/// Nodes that were despawned and spawned anew.
#[derive(Debug)]
pub struct Respawn {
    /// The tops of the subtrees.
    pub tops: Vec<u32>,
    /// All below them.
    pub below: Vec<u32>,
    /// All of them as they are spawned, parents first.
    pub batches: Vec<Batch>,
}

impl Scene {
    /// The workload's scene of about `nodes` nodes, in whole skeletons, trees and families.
    pub fn new(workload: &Workload, nodes: usize) -> Self {
        let parents = parents(workload.shape, nodes);
        let poses = if workload.shape == Shape::Flat {
            Poses::new(100.0, 2.0)
        } else {
            Poses::new(1.0, 1.03)
        };
        let mut random = Random::new(11);
        let movers = movers(workload, parents.len(), &mut random);
        let (kinds, posed) = (kinds(workload, &parents), vec![0; parents.len()]);
        Self { workload: *workload, parents, posed, kinds, random, tick: 0, movers, poses }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// The node's translation, rotation and scale.
    pub fn trs(&self, node: u32) -> Trs {
        self.poses.at(node as usize, self.posed[node as usize] as usize)
    }

    /// The nodes that will ever move, if they are to have archetypes of their own.
    pub fn movers_apart(&self) -> &[u32] {
        if self.workload.layout == Layout::MoversApart {
            self.movers.first().map_or(&[], Vec::as_slice)
        } else {
            &[]
        }
    }

    /// How many roots there are before the first node that has a parent.
    pub(super) fn roots(&self) -> usize {
        self.parents.iter().take_while(|&&parent| parent == NO_PARENT).count()
    }

    /// How many entities there are besides, with a user's component and no transform.
    pub fn users(&self) -> usize {
        if self.workload.after_write { USERS } else { 0 }
    }
}
