//! From lists of children to parents: the checks that make a description a forest, without
//! recursion.

use super::{description::SceneNode, error::SceneError};

/// Parents and children, in a description that has been checked.
pub(super) struct Ancestry {
    parents: Vec<Option<usize>>,
}

impl Ancestry {
    pub fn new(nodes: &[SceneNode]) -> Result<Self, SceneError> {
        for (node, SceneNode { transform, .. }) in nodes.iter().enumerate() {
            if let Some(part) = transform.non_finite_part() {
                return Err(SceneError::NotFinite { node, part });
            }
        }
        let mut parents = vec![None; nodes.len()];
        for (node, SceneNode { children, .. }) in nodes.iter().enumerate() {
            for &child in children {
                let Some(slot) = parents.get_mut(child) else {
                    return Err(SceneError::ChildOutOfRange { node, child, nodes: nodes.len() });
                };
                if let Some(first) = slot.replace(node) {
                    return Err(SceneError::TwoParents { node: child, parents: [first, node] });
                }
            }
        }
        let ancestry = Self { parents };
        ancestry.refuse_cycles(nodes)?;
        Ok(ancestry)
    }

    /// Every node has at most one parent by now, so a node that is not below a root is on a cycle
    /// or below one.
    fn refuse_cycles(&self, nodes: &[SceneNode]) -> Result<(), SceneError> {
        let reached = self.parents_first(nodes, self.roots());
        if reached.len() == nodes.len() {
            return Ok(());
        }
        let mut is_reached = vec![false; nodes.len()];
        reached.into_iter().for_each(|node| is_reached[node] = true);
        let Some(start) = is_reached.iter().position(|reached| !reached) else { return Ok(()) };

        // With n nodes, n steps upwards end on the cycle, from wherever they begin.
        let up = |node: usize| self.parents[node].unwrap_or(node);
        let on_cycle = (0..nodes.len()).fold(start, |node, _| up(node));
        let mut cycle = vec![on_cycle];
        let mut node = up(on_cycle);
        while node != on_cycle {
            cycle.push(node);
            node = up(node);
        }
        cycle.reverse();
        let lowest = cycle.iter().enumerate().min_by_key(|(_, node)| **node).map_or(0, |(i, _)| i);
        cycle.rotate_left(lowest);
        Err(SceneError::Cycle { nodes: cycle })
    }

    pub fn parent(&self, node: usize) -> Option<usize> {
        self.parents[node]
    }

    pub fn roots(&self) -> Vec<usize> {
        (0..self.parents.len()).filter(|&node| self.parents[node].is_none()).collect()
    }

    /// From the topmost ancestor down to the node itself.
    pub fn chain(&self, node: usize) -> Vec<usize> {
        let mut chain: Vec<_> =
            std::iter::successors(Some(node), |&node| self.parents[node]).collect();
        chain.reverse();
        chain
    }

    /// `starts` and all below them, level by level: parents before their children. Entities of a
    /// level are neighbours in storage later on.
    pub fn parents_first(&self, nodes: &[SceneNode], starts: Vec<usize>) -> Vec<usize> {
        let mut order = starts;
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            order.extend_from_slice(&nodes[node].children);
            next += 1;
        }
        order
    }
}
