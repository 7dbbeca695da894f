//! Which nodes move.

use super::{
    poses::Random,
    skeleton,
    workload::{Change, LOOSE, Layout, TREE, Workload},
};

/// The sets that move among `nodes` nodes, to be taken in turns.
pub fn movers(workload: &Workload, nodes: usize, random: &mut Random) -> Vec<Vec<u32>> {
    let mut some = |count| random.distinct(count, 0..nodes);
    match workload.change {
        // Others each tick, unless the movers are to have an archetype of their own.
        Change::OnePercent if workload.layout != Layout::MoversApart => {
            (0..8).map(|_| some(nodes / 100)).collect()
        }
        Change::OnePercent | Change::SameOnePercent => vec![some(nodes / 100)],
        Change::Hundred => (0..8).map(|_| some(100)).collect(),
        Change::EveryTenthSkeleton => {
            let moves = |node: &u32| (*node as usize / skeleton::BONES).is_multiple_of(10);
            vec![(0..nodes as u32).filter(moves).collect()]
        }
        Change::InTurn(count) => {
            let all = nodes / (TREE + LOOSE) * TREE;
            let some = |first: usize| (first..first + count).map(|node| (node % all) as u32);
            (0..all).step_by(count).map(|first| some(first).collect()).collect()
        }
        Change::Roots(count) => vec![(0..count).map(|root| (root * TREE) as u32).collect()],
        Change::Leaf => vec![vec![(nodes - nodes / 4) as u32]],
        _ => Vec::new(),
    }
}
