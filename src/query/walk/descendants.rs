//! The two orders of going down.

use std::collections::VecDeque;

use legion::{Entity, EntityStore};

use super::{Walk, lists::next_down_the_cycle};

/// Descendants, each before its own; made by [`Walk::descendants`].
pub(super) struct DepthFirst<'w, 'a, S> {
    walk: &'w Walk<'a, S>,
    circular: Option<Entity>,
    open: Vec<Entity>,
}

impl<'w, 'a, S: EntityStore> DepthFirst<'w, 'a, S> {
    pub(super) fn new(walk: &'w Walk<'a, S>, start: Entity) -> Self {
        let mut this =
            Self { walk, circular: next_down_the_cycle(walk.store, start), open: Vec::new() };
        this.expand(start);
        this
    }

    fn expand(&mut self, entity: Entity) {
        let children = self.walk.lists.linked(self.walk.store, entity);
        self.open.extend(children.into_iter().rev().filter(|child| Some(*child) != self.circular));
    }
}

impl<S: EntityStore> Iterator for DepthFirst<'_, '_, S> {
    type Item = Entity;

    fn next(&mut self) -> Option<Entity> {
        let entity = self.open.pop()?;
        self.expand(entity);
        Some(entity)
    }
}

/// Descendants level by level; made by [`Walk::descendants_breadth_first`].
pub(super) struct BreadthFirst<'w, 'a, S> {
    walk: &'w Walk<'a, S>,
    circular: Option<Entity>,
    open: VecDeque<Entity>,
}

impl<'w, 'a, S: EntityStore> BreadthFirst<'w, 'a, S> {
    pub(super) fn new(walk: &'w Walk<'a, S>, start: Entity) -> Self {
        let mut this =
            Self { walk, circular: next_down_the_cycle(walk.store, start), open: VecDeque::new() };
        this.expand(start);
        this
    }

    fn expand(&mut self, entity: Entity) {
        let children = self.walk.lists.linked(self.walk.store, entity);
        self.open.extend(children.into_iter().filter(|child| Some(*child) != self.circular));
    }
}

impl<S: EntityStore> Iterator for BreadthFirst<'_, '_, S> {
    type Item = Entity;

    fn next(&mut self) -> Option<Entity> {
        let entity = self.open.pop_front()?;
        self.expand(entity);
        Some(entity)
    }
}
