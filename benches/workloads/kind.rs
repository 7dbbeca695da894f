//! With which components a node is spawned, and nodes of one kind together.

use std::collections::HashMap;

use super::{
    shape::NO_PARENT,
    workload::{Layout, Workload},
};

/// What decides with which components a node is spawned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kind {
    /// Whether it has a parent.
    pub below: bool,
    /// Whether it has children when the scene begins.
    pub above: bool,
    /// What it has besides.
    pub extra: Extra,
}

/// Components that have nothing to do with transforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extra {
    Nothing,
    /// The marker of nodes that move, or come and go.
    Mover,
    /// Three components of eight numbers.
    Payload,
    /// `Visible` and an `Effective` value of it.
    Visible,
    /// The markers of the archetype with that number.
    Archetype(usize),
}

/// Nodes of one kind.
#[derive(Clone, Debug)]
pub struct Batch {
    pub kind: Kind,
    /// The nodes, in the order in which they are spawned.
    pub nodes: Vec<u32>,
}

/// The kind of each node.
pub fn kinds(workload: &Workload, parents: &[u32]) -> Vec<Kind> {
    let mut above = vec![false; parents.len()];
    let below = parents.iter().filter(|&&parent| parent != NO_PARENT);
    below.for_each(|&parent| above[parent as usize] = true);
    let passing = workload.passing(parents.len());
    let kind = |node: usize| {
        let below = parents[node] != NO_PARENT;
        let extra = match workload.layout {
            Layout::MoversApart if passing.contains(&node) => Extra::Mover,
            Layout::Payload => Extra::Payload,
            Layout::Visible if below => Extra::Visible,
            Layout::Archetypes(together) => Extra::Archetype(node / together),
            _ => Extra::Nothing,
        };
        Kind { below, above: above[node], extra }
    };
    (0..parents.len()).map(kind).collect()
}

/// A batch for each kind among the nodes.
pub fn batches(kinds: &[Kind], nodes: impl IntoIterator<Item = u32>) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    let mut numbers = HashMap::new();
    for node in nodes {
        let kind = kinds[node as usize];
        let number = *numbers.entry(kind).or_insert_with(|| {
            batches.push(Batch { kind, nodes: Vec::new() });
            batches.len() - 1
        });
        batches[number].nodes.push(node);
    }
    batches
}
