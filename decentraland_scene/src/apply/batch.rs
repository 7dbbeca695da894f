//! The changes that one call of the mirror makes in the world.

use super::{
    clean::Trs,
    nodes::{NONE, NodeIndex, Nodes},
};

/// The changes of one node.
#[derive(Clone, Copy)]
pub(super) struct Touched {
    pub index: NodeIndex,
    /// Its new values.
    pub target: Trs,
    /// Whether its scene entity died. Then it stays only while it has children.
    pub died: bool,
}

/// The nodes with changes, each once.
#[derive(Default)]
pub(super) struct Batch {
    pub touched: Vec<Touched>,
    /// The nodes that have another parent than before.
    pub relinked: Vec<NodeIndex>,
}

impl Batch {
    /// The entry of a node, which is added if the batch has none.
    pub fn touch(&mut self, nodes: &mut Nodes, index: NodeIndex) -> &mut Touched {
        let node = &mut nodes[index];
        if node.mark == NONE {
            node.mark = self.touched.len() as u32;
            self.touched.push(Touched { index, target: node.written, died: false });
        }
        &mut self.touched[node.mark as usize]
    }
}
