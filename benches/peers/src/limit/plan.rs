//! Which nodes can be computed beside each other: made once, for a hierarchy that stays.

use std::ops::Range;

use crate::workloads::{NO_PARENT, Scene};

/// How the nodes lie.
pub enum Order {
    /// No hierarchy.
    Flat,
    /// Subtree after subtree; `ends[node]` is where the node's own ends.
    DepthFirst { ends: Vec<u32> },
    /// Level after level; the children of `nodes` are
    /// `first_child[nodes.start]..first_child[nodes.end]`.
    BreadthFirst { first_child: Vec<u32> },
}

/// The order, and how it is cut into pieces.
pub struct Plan {
    /// How many roots there are.
    pub roots: usize,
    /// How the nodes lie.
    pub order: Order,
    /// What comes before the pieces, on one thread.
    pub head: Range<usize>,
    /// The pieces, as ranges of nodes: whole subtrees, or in breadth-first order nodes of one level
    /// with all below them.
    pub pieces: Vec<Range<usize>>,
}

impl Plan {
    /// The plan for a number of threads.
    pub fn new(scene: &Scene, threads: usize) -> Self {
        let parents = &scene.parents;
        let is_root = |&node: &usize| parents[node] == NO_PARENT;
        let starts: Vec<usize> = (0..parents.len()).filter(is_root).collect();
        let roots = starts.len();
        if roots == parents.len() {
            let pieces = cut(0..roots, threads, 4_096);
            return Self { roots, order: Order::Flat, head: 0..0, pieces };
        }
        match ends(parents) {
            Some(ends) if roots >= threads * 4 => {
                let nodes =
                    |piece: Range<usize>| starts[piece.start]..ends[starts[piece.end - 1]] as usize;
                let pieces = cut(0..roots, threads, 16).into_iter().map(nodes).collect();
                Self { roots, order: Order::DepthFirst { ends }, head: 0..0, pieces }
            }
            _ => Self::breadth_first(parents, roots, threads),
        }
    }

    fn breadth_first(parents: &[u32], roots: usize, threads: usize) -> Self {
        let depth_sorted =
            parents.windows(2).all(|pair| pair[0] == NO_PARENT || pair[0] <= pair[1]);
        assert!(depth_sorted, "the scene is neither many subtrees, depth first, nor breadth first");
        let mut first_child = vec![roots as u32; parents.len() + 1];
        let mut child = roots;
        for (node, first) in first_child.iter_mut().enumerate() {
            while child < parents.len() && (parents[child] as usize) < node {
                child += 1;
            }
            *first = child as u32;
        }
        let mut level = 0..roots;
        while level.len() < threads * 8 {
            let below = first_child[level.start] as usize..first_child[level.end] as usize;
            if below.is_empty() {
                break;
            }
            level = below;
        }
        let (head, pieces) = (0..level.start, cut(level, threads, 1));
        Self { roots, order: Order::BreadthFirst { first_child }, head, pieces }
    }
}

/// Where each subtree ends, if they all are in one piece.
fn ends(parents: &[u32]) -> Option<Vec<u32>> {
    let mut ends: Vec<u32> = (1..=parents.len() as u32).collect();
    for node in (0..parents.len()).rev() {
        if parents[node] != NO_PARENT {
            let parent = parents[node] as usize;
            ends[parent] = ends[parent].max(ends[node]);
        }
    }
    // The node before is the parent, or below it.
    let inside = |node: usize| {
        let parent = parents[node];
        let mut above = node as u32 - 1;
        while above != NO_PARENT && above > parent {
            above = parents[above as usize];
        }
        parent == NO_PARENT || above == parent
    };
    // A subtree of depth d is looked through d times at most; a breadth-first order fails early.
    (1..parents.len()).all(inside).then_some(ends)
}

/// About four pieces a thread, so that a late one does not hold up the rest, of `least` or more.
fn cut(range: Range<usize>, threads: usize, least: usize) -> Vec<Range<usize>> {
    let length = range.len().div_ceil(threads * 4).max(least);
    range.clone().step_by(length).map(|start| start..(start + length).min(range.end)).collect()
}
