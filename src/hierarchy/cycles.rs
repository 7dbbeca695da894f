//! Finding cycles among links.

use super::forest::{Forest, MAX_POSITIONS};

/// Something that may hang off something else: a position, or one that has none yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Planted(u32),
    New(u32),
}

/// The nodes on cycles that can be reached from `starts` by going to parents. `parent` is asked first; where it answers
/// `None`, the forest says.
///
/// Every node is visited once, however many starts lead to it.
pub(super) fn on_cycles(
    forest: &mut Forest,
    new: usize,
    starts: impl ExactSizeIterator<Item = Node>,
    parent: impl Fn(Node) -> Option<Option<Node>>,
) -> Vec<Node> {
    let first = forest.new_marks(starts.len() as u32);
    let mut new_marks = vec![0; new];
    let mut found = Vec::new();
    for (walk, start) in (first..).zip(starts) {
        let mut open = Some(start);
        while let Some(node) = open {
            let mark = match node {
                Node::Planted(position) => forest.marks[position as usize].get_mut(),
                Node::New(index) => &mut new_marks[index as usize],
            };
            if *mark == walk {
                found.push(node);
                let mut member = above(forest, &parent, node).expect("a cycle has no end");
                while member != node {
                    found.push(member);
                    member = above(forest, &parent, member).expect("a cycle has no end");
                }
                break;
            }
            if *mark >= first {
                break;
            }
            *mark = walk;
            open = above(forest, &parent, node);
        }
    }
    found
}

fn above(forest: &Forest, parent: &impl Fn(Node) -> Option<Option<Node>>, node: Node) -> Option<Node> {
    parent(node).unwrap_or_else(|| match node {
        Node::Planted(position) => {
            let parent = forest.parents[position as usize];
            (parent < MAX_POSITIONS).then_some(Node::Planted(parent))
        }
        Node::New(_) => None,
    })
}
