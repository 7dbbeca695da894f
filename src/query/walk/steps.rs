//! The steps of a walk, compiled with this crate: none of it depends on the type of the world.

use std::collections::HashMap;

use legion::{Entity, world::EntityHasher};
use smallvec::SmallVec;

use super::lists::{Lists, Set};
use crate::{
    engine::{FreshRow, FreshRows, Mask, Meaning, WayUp},
    findings::QueryError,
};

/// What a walk looks at.
#[derive(Clone, Copy)]
pub(super) struct Steps<'w, 'a> {
    pub rows: &'w FreshRows<'a>,
    pub lists: &'w Lists<'a>,
}

/// Entities that were found at once.
pub(super) struct Found(pub smallvec::IntoIter<[Entity; 16]>);

impl Found {
    pub fn new<'w, 'a: 'w>(nodes: &[FreshRow<'w, 'a>]) -> Self {
        Self(nodes.iter().map(|node| node.entity).collect::<SmallVec<_>>().into_iter())
    }
}

impl Iterator for Found {
    type Item = Entity;

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline)]
    fn next(&mut self) -> Option<Entity> {
        self.0.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<'w, 'a> Steps<'w, 'a> {
    /// The way up. Access was checked for the whole store, so the only error is a dead entity.
    #[inline]
    pub fn path(self, entity: Entity) -> Option<WayUp<'w, 'a>> {
        let mut path = WayUp::of(self.rows.node(entity).ok()?);
        self.rows.climb_links(&mut path).ok()?;
        Some(path)
    }

    pub fn parent(self, entity: Entity) -> Option<Entity> {
        self.path(entity)?.parent().map(|parent| parent.entity)
    }

    pub fn ancestors(self, entity: Entity) -> Found {
        self.path(entity).map_or_else(|| Found::new(&[]), |path| Found::new(&path.nodes[1..]))
    }

    pub fn root(self, entity: Entity) -> Option<Entity> {
        self.path(entity).map(|path| path.root().entity)
    }

    pub fn topmost(self, mut selection: Vec<Entity>) -> Vec<Entity> {
        let selected: Set = selection.iter().copied().collect();
        let (mut met, mut known) = (Set::default(), HashMap::default());
        selection.retain(|&entity| {
            met.insert(entity) && self.is_below(entity, &selected, &mut known) == Some(false)
        });
        selection
    }

    /// Whether an entity is below one of these; `None` for a dead one. What is found out of those
    /// on the way up is known afterwards.
    fn is_below(
        self,
        entity: Entity,
        selected: &Set,
        known: &mut HashMap<Entity, bool, EntityHasher>,
    ) -> Option<bool> {
        let mut path = WayUp::of(self.rows.node(entity).ok()?);
        let up = |node: FreshRow<'w, 'a>| match known.contains_key(&node.entity) {
            true => Ok(None),
            false => self.rows.parent(node),
        };
        path.follow(up).ok()?;
        let root = path.root();
        let mut on_cycle = root;
        while path.is_held {
            // Each on a cycle is a root.
            known.insert(on_cycle.entity, false);
            on_cycle = self.rows.parent(on_cycle).ok()??;
            path.is_held = on_cycle != root;
        }
        let mut is_below = *known.entry(root.entity).or_insert(false);
        for pair in path.nodes.windows(2).rev() {
            is_below |= selected.contains(&pair[1].entity);
            known.insert(pair[0].entity, is_below);
        }
        Some(is_below)
    }
}

/// Checks once for all steps that links may be read wherever they are.
pub(super) fn check_access(rows: &FreshRows<'_>) -> Result<(), QueryError> {
    rows.access.check(Mask::PARENT | Mask::CHILDREN, |at| {
        let meaning = Meaning::met(&rows.store, at);
        meaning.can_be_parent() || meaning.inserts.is_none() || meaning.mask.has(Mask::PARENT)
    })
}
