//! Which nodes can be computed beside each other: made once, for a hierarchy that stays.

use std::ops::Range;

use crate::workloads::{NO_PARENT, Scene};

/// Nodes in each flag's group, where there are no subtrees to go by.
const GROUP: usize = 64;

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
    /// Groups of nodes that have a flag in common: whole subtrees where the order is depth first.
    pub groups: Vec<Range<usize>>,
    /// The pieces, as ranges of groups; in breadth-first order, as ranges of nodes of one level
    /// with all below them.
    pub pieces: Vec<Range<usize>>,
}

impl Plan {
    /// The plan for a number of threads.
    pub fn new(scene: &Scene, threads: usize) -> Self {
        let parents = &scene.parents;
        let roots: Vec<usize> =
            (0..parents.len()).filter(|&node| parents[node] == NO_PARENT).collect();
        if roots.len() == parents.len() {
            let groups = blocks(parents.len());
            let pieces = cut(0..groups.len(), threads, 64);
            return Self { roots: roots.len(), order: Order::Flat, head: 0..0, groups, pieces };
        }
        match ends(parents) {
            Some(ends) if roots.len() >= threads * 4 => {
                let groups: Vec<_> = roots.iter().map(|&root| root..ends[root] as usize).collect();
                let pieces = cut(0..groups.len(), threads, 16);
                Self {
                    roots: roots.len(),
                    order: Order::DepthFirst { ends },
                    head: 0..0,
                    groups,
                    pieces,
                }
            }
            _ => Self::breadth_first(parents, threads),
        }
    }

    fn breadth_first(parents: &[u32], threads: usize) -> Self {
        let depth_sorted =
            parents.windows(2).all(|pair| pair[0] == NO_PARENT || pair[0] <= pair[1]);
        assert!(depth_sorted, "the scene is neither many subtrees, depth first, nor breadth first");
        let roots = parents.iter().take_while(|&&parent| parent == NO_PARENT).count();
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
        let head = 0..level.start;
        let pieces = cut(level, threads, 1);
        Self {
            roots,
            order: Order::BreadthFirst { first_child },
            head,
            groups: blocks(parents.len()),
            pieces,
        }
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

fn blocks(nodes: usize) -> Vec<Range<usize>> {
    (0..nodes).step_by(GROUP).map(|start| start..(start + GROUP).min(nodes)).collect()
}

/// About four pieces a thread, so that a late one does not hold up the rest, of `least` or more.
fn cut(range: Range<usize>, threads: usize, least: usize) -> Vec<Range<usize>> {
    let length = range.len().div_ceil(threads * 4).max(least).max(1);
    range.clone().step_by(length).map(|start| start..(start + length).min(range.end)).collect()
}
