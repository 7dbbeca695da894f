//! The parents of a shape's nodes.

use super::{
    skeleton,
    workload::{FANOUTS, LOOSE, Shape, Shape::*, TREE},
};

/// The parent of a root.
pub const NO_PARENT: u32 = u32::MAX;

/// A node, and all below it.
fn grow(parents: &mut Vec<u32>, parent: u32, fanouts: &[usize]) {
    let node = parents.len() as u32;
    parents.push(parent);
    if let [children, below @ ..] = fanouts {
        (0..*children).for_each(|_| grow(parents, node, below));
    }
}

/// The parent of each of about `nodes` nodes, in whole skeletons, trees and families.
pub fn parents(shape: Shape, nodes: usize) -> Vec<u32> {
    let below_first = |parent: fn(usize) -> usize| {
        let parents = (1..nodes).map(move |node| parent(node) as u32);
        std::iter::once(NO_PARENT).chain(parents).collect()
    };
    match shape {
        Flat => vec![NO_PARENT; nodes],
        Chain => below_first(|node| node - 1),
        BinaryTree => below_first(|node| (node - 1) / 2),
        Wide => below_first(|_| 0),
        Skeletons => {
            let bones = skeleton::parents();
            let skeleton = |first: usize| {
                bones.map(|bone| bone.map_or(NO_PARENT, |bone| (first + bone) as u32))
            };
            (0..(nodes / skeleton::BONES).max(1))
                .flat_map(|k| skeleton(k * skeleton::BONES))
                .collect()
        }
        Vehicles => {
            let skeletons = (nodes * 10 / (10 * skeleton::BONES + 1)).max(10);
            let (vehicles, bones) = (skeletons / 10, skeleton::parents());
            let skeleton = |k: usize| {
                let first = vehicles + k * skeleton::BONES;
                bones.map(|bone| bone.map_or(k % vehicles, |bone| first + bone) as u32)
            };
            std::iter::repeat_n(NO_PARENT, vehicles)
                .chain((0..skeletons).flat_map(skeleton))
                .collect()
        }
        Families(size) => {
            let roots = (nodes / (size + 1)).max(2);
            let children = (0..roots as u32).flat_map(|root| std::iter::repeat_n(root, size));
            std::iter::repeat_n(NO_PARENT, roots).chain(children).collect()
        }
        Forest => {
            let trees = (nodes / (TREE + LOOSE)).max(1);
            let mut parents = Vec::with_capacity(trees * (TREE + LOOSE));
            (0..trees).for_each(|_| grow(&mut parents, NO_PARENT, &FANOUTS));
            assert_eq!(parents.len(), trees * TREE);
            parents.extend(std::iter::repeat_n(NO_PARENT, trees * LOOSE));
            parents
        }
    }
}
