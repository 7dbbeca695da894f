//! The lists of children that the forest has.
//!
//! With slots 2 and 3 as children of slot 1, and moon and io in their rows:
//!
//! ```text
//!  Children of mars    check
//!  moon, io            Right
//!  (empty)             Filled: it is moon, io now
//!  io, moon            Wrong: perhaps a user's order; it is mended elsewhere
//!  moon                Wrong
//! ```

use legion::{Entity, storage::Archetype};

use crate::{
    components::Children,
    engine::{
        forest::{Forest, NONE},
        storage::Row,
    },
};

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    Right,
    /// It was empty, and is right now. Users spawn parents with `Children::new()`, so that no
    /// command has to add the component.
    Filled,
    Wrong,
}

/// The right content of `Children`, by slot.
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

    /// The entity at a row; `None` for a node without a row.
    #[inline]
    pub fn entity(self, Row { archetype, row }: Row) -> Option<Entity> {
        self.archetypes.get(archetype as usize)?.entities().get(row as usize).copied()
    }

    /// Compares a list with the children of a node, and fills it if it is empty. Any list of an
    /// entity without children is `Wrong`. Costs O(children).
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
