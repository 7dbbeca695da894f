//! Cycles in the mirror's own table.
//!
//! In the world, the bundle finds cycles and treats the entities on them as roots. That is not
//! enough if the scene's root is an entity of the host's: then entities on a cycle belong below
//! that entity, so the mirror has to find them itself.

use super::{
    batch::Batch,
    nodes::{NONE, NodeIndex, Nodes},
};

/// Frees the members of the cycle that the node is on, which is about to open.
pub(super) fn open(nodes: &mut Nodes, index: NodeIndex, batch: &mut Batch) {
    // It is still whole: this is the first of its links to change.
    let mut member = index;
    while nodes[member].cyclic {
        nodes[member].cyclic = false;
        batch.touch(nodes, member);
        member = nodes[member].parent;
    }
}

/// Marks the cycles that the changed links have closed. Each ancestor of a changed node is visited
/// once.
pub(super) fn close(nodes: &mut Nodes, walks: &mut u64, batch: &mut Batch) {
    let earlier = *walks;
    for index in std::mem::take(&mut batch.relinked) {
        *walks += 1;
        let mut node = index;
        while node != NONE && nodes[node].walk <= earlier {
            nodes[node].walk = *walks;
            node = nodes[node].parent;
        }
        if node == NONE || nodes[node].walk != *walks {
            continue;
        }
        while !nodes[node].cyclic {
            nodes[node].cyclic = true;
            batch.touch(nodes, node);
            node = nodes[node].parent;
        }
    }
}
