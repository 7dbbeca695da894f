//! What is to be computed.

use super::plan::Plan;

/// What the caller said has changed: a flag a node, and one a group, so that a look at the latter
/// is enough in the quiet.
pub struct Changes {
    /// Everything has.
    pub everything: bool,
    /// Not 0 for a group with a flagged node.
    pub groups: Vec<u8>,
    /// Not 0 for a node that changed.
    pub nodes: Vec<u8>,
    group_of: Vec<u32>,
}

impl Changes {
    /// Everything is to be computed.
    pub fn new(plan: &Plan, nodes: usize) -> Self {
        let mut group_of = vec![0; nodes];
        for (number, group) in plan.groups.iter().enumerate() {
            group_of[group.clone()].fill(number as u32);
        }
        Self {
            everything: true,
            groups: vec![0; plan.groups.len()],
            nodes: vec![0; nodes],
            group_of,
        }
    }

    /// A node has changed.
    pub fn mark(&mut self, node: usize) {
        self.nodes[node] = 1;
        self.groups[self.group_of[node] as usize] = 1;
    }
}

/// How far it is to the next flag.
pub fn next_flag(flags: &[u8]) -> Option<usize> {
    let (words, _) = flags.as_chunks::<16>();
    let quiet = words.iter().take_while(|word| u128::from_ne_bytes(**word) == 0).count() * 16;
    flags[quiet..].iter().position(|&flag| flag != 0).map(|position| quiet + position)
}
