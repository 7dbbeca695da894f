//! The mistakes in a description.

/// Why a [`Scene`](super::Scene) cannot be converted. Numbers are indices into
/// [`Scene::nodes`](super::Scene::nodes).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// There is no node with the index given.
    #[error("there is no node {node} to start from, only {nodes} of them, counted from 0")]
    NoSuchNode {
        /// The index given.
        node: usize,
        /// How many there are.
        nodes: usize,
    },
    /// A node names a child that does not exist.
    #[error(
        "node {node} names node {child} as its child, but there are only {nodes}, counted from 0"
    )]
    ChildOutOfRange {
        /// The node.
        node: usize,
        /// The child it names.
        child: usize,
        /// How many nodes there are.
        nodes: usize,
    },
    /// A node is named as a child twice: by two nodes, or twice by one.
    #[error("{}", two_parents(*.node, *.parents))]
    TwoParents {
        /// The node.
        node: usize,
        /// The nodes that name it, or the same node twice.
        parents: [usize; 2],
    },
    /// Each of these nodes is the child of the one before it, and the first of the last.
    #[error(
        "nodes are their own ancestors: {}: take one of them out of its parent's children",
        cycle(.nodes)
    )]
    Cycle {
        /// The nodes, beginning with the lowest index.
        nodes: Vec<usize>,
    },
    /// A node's transform holds an infinity or NaN.
    #[error("the {part} of node {node} holds an infinity or NaN: give it finite numbers")]
    NotFinite {
        /// The node.
        node: usize,
        /// Which part: translation, rotation, scale or matrix.
        part: &'static str,
    },
    /// A node's transform is finite, but its product with the transforms above it is not.
    #[error(
        "the world matrix of node {node} overflows: the transforms of it and its ancestors are \
         each finite, but their product is not; use smaller scales and distances"
    )]
    WorldNotFinite {
        /// The node, the first of its chain.
        node: usize,
    },
}

/// A node with two parents.
fn two_parents(node: usize, [a, b]: [usize; 2]) -> String {
    if a == b {
        format!("node {a} names node {node} as its child twice: name it once, or copy it")
    } else {
        format!(
            "node {node} is a child of both node {a} and node {b}: give it one parent, or copy it"
        )
    }
}

/// A cycle. Of a long one the beginning is enough.
fn cycle(nodes: &[usize]) -> String {
    let mut path: Vec<String> = nodes.iter().take(8).map(usize::to_string).collect();
    if nodes.len() > 8 {
        path.push(format!("... ({} nodes)", nodes.len()));
    }
    path.push(nodes[0].to_string());
    path.join(" > ")
}
