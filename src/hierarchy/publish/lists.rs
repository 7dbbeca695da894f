//! The lists of children that the forest has.

use legion::{Entity, storage::Archetype};

use crate::{
    components::Children,
    forest::{Forest, NONE},
    storage::Row,
};

/// What was found of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    Right,
    /// It was empty, and is right now.
    Filled,
    Wrong,
}

/// What `Children` has to hold.
#[derive(Clone, Copy)]
pub(super) struct ForestLists<'a> {
    pub forest: &'a Forest,
    pub archetypes: &'a [Archetype],
}

impl<'a> ForestLists<'a> {
    /// The children of a node, in the order in which it got them.
    pub fn children(self, slot: u32) -> impl Iterator<Item = Entity> + 'a {
        self.forest.children(slot).filter_map(move |child| self.entity(self.forest.row(child)))
    }

    fn entity(self, Row { archetype, row }: Row) -> Option<Entity> {
        self.archetypes.get(archetype as usize)?.entities().get(row as usize).copied()
    }

    /// Compares a list with the children of a node, and fills it if it is empty.
    pub fn check(self, list: &mut Children, slot: u32) -> Check {
        if slot == NONE || !self.forest.has_children(slot) {
            return Check::Wrong;
        }
        let mut children = self.children(slot);
        if list.is_empty() {
            list.0.extend(children);
            return Check::Filled;
        }
        let is_right = list.iter().all(|child| children.next().as_ref() == Some(child))
            && children.next().is_none();
        if is_right { Check::Right } else { Check::Wrong }
    }
}
