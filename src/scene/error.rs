//! The mistakes in a description.

use std::fmt;

/// Why a [`Scene`](super::Scene) cannot be converted. Numbers are indices into
/// [`Scene::nodes`](super::Scene::nodes).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SceneError {
    /// There is no node with the index given.
    NoSuchNode {
        /// The index given.
        node: usize,
        /// How many there are.
        nodes: usize,
    },
    /// A node names a child that does not exist.
    ChildOutOfRange {
        /// The node.
        node: usize,
        /// The child it names.
        child: usize,
        /// How many nodes there are.
        nodes: usize,
    },
    /// A node is named as a child twice: by two nodes, or twice by one.
    TwoParents {
        /// The node.
        node: usize,
        /// The nodes that name it, or the same node twice.
        parents: [usize; 2],
    },
    /// Each of these nodes is the child of the one before it, and the first of the last.
    Cycle {
        /// The nodes, beginning with the lowest index.
        nodes: Vec<usize>,
    },
    /// A node's transform holds an infinity or NaN.
    NonFinite {
        /// The node.
        node: usize,
        /// Which part: translation, rotation, scale or matrix.
        part: &'static str,
    },
    /// A node's transform is finite, but its product with the transforms above it is not.
    WorldNonFinite {
        /// The node, the first of its chain.
        node: usize,
    },
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchNode { node, nodes } => {
                write!(
                    f,
                    "there is no node {node} to start from, only {nodes} of them, counted from 0"
                )
            }
            Self::ChildOutOfRange { node, child, nodes } => {
                write!(
                    f,
                    "node {node} names node {child} as its child, but there are only {nodes}, \
                     counted from 0"
                )
            }
            Self::TwoParents { node, parents: [a, b] } if a == b => {
                write!(f, "node {a} names node {node} as its child twice: name it once, or copy it")
            }
            Self::TwoParents { node, parents: [a, b] } => {
                write!(
                    f,
                    "node {node} is a child of both node {a} and node {b}: give it one parent, or \
                     copy it"
                )
            }
            Self::Cycle { nodes } => {
                write!(f, "nodes are their own ancestors: ")?;
                // The beginning of a long cycle is enough.
                for node in nodes.iter().take(8) {
                    write!(f, "{node} > ")?;
                }
                if nodes.len() > 8 {
                    write!(f, "... ({} nodes) > ", nodes.len())?;
                }
                write!(f, "{}: take one of them out of its parent's children", nodes[0])
            }
            Self::NonFinite { node, part } => {
                write!(
                    f,
                    "the {part} of node {node} holds an infinity or NaN: give it finite numbers"
                )
            }
            Self::WorldNonFinite { node } => {
                write!(
                    f,
                    "the world matrix of node {node} overflows: the transforms of it and its \
                     ancestors are each finite, \
                     but their product is not; use smaller scales and distances"
                )
            }
        }
    }
}

impl std::error::Error for SceneError {}
