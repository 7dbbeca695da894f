//! In which order a scene's nodes are spawned.

use std::ops::Range;

use super::{
    kind::{Batch, batches},
    poses::Random,
    scene::Scene,
    shape::NO_PARENT,
    skeleton,
    workload::{Change, Shape},
};

impl Scene {
    /// The nodes in batches, each of one kind, in the order in which they are spawned.
    pub fn spawn_batches(&self) -> Vec<Batch> {
        let groups = if self.is_linked_late() {
            let mut nodes: Vec<u32> = (0..self.len() as u32).collect();
            Random::new(3).shuffle(&mut nodes);
            vec![nodes]
        } else {
            parents_first(self)
        };
        groups.into_iter().flat_map(|group| batches(&self.kinds, group)).collect()
    }

    /// Whether nodes get their parents when all are there; otherwise a batch refers to batches
    /// before it alone.
    pub fn is_linked_late(&self) -> bool {
        self.workload.is_scattered
    }
}

/// Groups with parents in an earlier one than their children: a skeleton after the other where they
/// are spawned as a game would, all by depth where a million is spawned at once.
fn parents_first(scene: &Scene) -> Vec<Vec<u32>> {
    let is_tick = scene.workload.change != Change::Spawn;
    let (first, piece) = match scene.workload.shape {
        Shape::Skeletons if is_tick => (0, skeleton::BONES),
        Shape::Vehicles if is_tick => (scene.roots(), skeleton::BONES),
        _ => (0, scene.len()),
    };
    let pieces =
        (first..scene.len()).step_by(piece).map(|start| start..(start + piece).min(scene.len()));
    std::iter::once(0..first).chain(pieces).flat_map(|nodes| by_depth(scene, nodes)).collect()
}

fn by_depth(scene: &Scene, nodes: Range<usize>) -> Vec<Vec<u32>> {
    let mut depths = vec![0usize; nodes.len()];
    let mut levels: Vec<Vec<u32>> = Vec::new();
    for node in nodes.clone() {
        let parent = scene.parents[node];
        // A parent that comes before these nodes has been spawned.
        let is_top = parent == NO_PARENT || (parent as usize) < nodes.start;
        let depth = if is_top { 0 } else { depths[parent as usize - nodes.start] + 1 };
        depths[node - nodes.start] = depth;
        if depth == levels.len() {
            levels.push(Vec::new());
        }
        levels[depth].push(node as u32);
    }
    levels
}
