//! The two orders of going down.

use std::collections::VecDeque;

use legion::{Entity, storage::ArchetypeIndex};
use smallvec::SmallVec;

use super::{
    lists::Nodes,
    steps::{Found, Steps},
};
use crate::engine::FreshRow;

/// Where a walk down begins.
#[derive(Clone, Copy)]
pub(super) struct Start<'w, 'a> {
    pub node: FreshRow<'w, 'a>,
    /// If the start is on a cycle: the entity on the cycle that is linked to it.
    circular: Option<Entity>,
}

impl<'w, 'a> Start<'w, 'a> {
    /// `None` for a dead entity.
    pub fn of(walk: Steps<'w, 'a>, entity: Entity) -> Option<Self> {
        let path = walk.path(entity)?;
        let node = path.nodes[0];
        let mut circular = None;
        if path.is_held && path.nodes.len() == 1 {
            let mut below = node;
            while circular.is_none() {
                let parent = walk.rows.parent(below).ok()??;
                if parent == node {
                    circular = Some(below.entity);
                }
                below = parent;
            }
        }
        Some(Self { node, circular })
    }

    /// Appends the children of a node. Returns where those begin that are not in its `Children`.
    pub fn expand(
        &self,
        walk: Steps<'w, 'a>,
        node: FreshRow<'w, 'a>,
        to: &mut Nodes<'w, 'a>,
    ) -> usize {
        let known = to.len();
        let new = walk.lists.append_linked(walk.rows, node, to);
        if let Some(circular) = self.circular
            && let Some(at) = to[known..].iter().position(|child| child.entity == circular)
        {
            to.remove(known + at);
            return new - usize::from(known + at < new);
        }
        new
    }
}

/// An entity and all below it, where they stand.
#[derive(Default)]
pub(crate) struct Subtree {
    /// Level by level: the archetype and the row of each.
    pub rows: Vec<(Entity, ArchetypeIndex, usize)>,
    /// Those that are in no list of `Children`, in the order in which they will be added.
    pub new: Vec<Entity>,
}

impl Subtree {
    /// None of a dead entity.
    pub(super) fn of(walk: Steps<'_, '_>, root: Entity) -> Self {
        let Some(start) = Start::of(walk, root) else { return Self::default() };
        let (mut all, mut new, mut at) = (vec![start.node], Vec::new(), 0);
        while let Some(&node) = all.get(at) {
            let first = start.expand(walk, node, &mut all);
            new.extend(all[first..].iter().map(|child| child.entity));
            at += 1;
        }
        let place = |it: &FreshRow<'_, '_>| (it.entity, it.archetype.index, it.row);
        Self { rows: all.iter().map(place).collect(), new }
    }
}

/// The children of an entity.
pub(super) fn children(walk: Steps<'_, '_>, entity: Entity) -> Found {
    let mut children = Nodes::new();
    if let Some(start) = Start::of(walk, entity) {
        start.expand(walk, start.node, &mut children);
    }
    Found::new(&children)
}

/// The other children of its parent.
pub(super) fn siblings(walk: Steps<'_, '_>, entity: Entity) -> Found {
    let children = walk.parent(entity).map(|parent| children(walk, parent));
    let siblings = children.into_iter().flatten().filter(|sibling| *sibling != entity);
    Found(siblings.collect::<SmallVec<_>>().into_iter())
}

/// Descendants, each before its own; made by [`Walk::descendants`].
pub(super) struct DepthFirst<'w, 'a> {
    walk: Steps<'w, 'a>,
    start: Option<Start<'w, 'a>>,
    open: Nodes<'w, 'a>,
}

impl<'w, 'a> DepthFirst<'w, 'a> {
    pub fn new(walk: Steps<'w, 'a>, entity: Entity) -> Self {
        let start = Start::of(walk, entity);
        let mut this = Self { walk, start, open: Nodes::new() };
        if let Some(start) = start {
            this.expand(start.node);
        }
        this
    }

    fn expand(&mut self, node: FreshRow<'w, 'a>) {
        let known = self.open.len();
        if let Some(start) = &self.start {
            start.expand(self.walk, node, &mut self.open);
        }
        self.open[known..].reverse();
    }
}

impl Iterator for DepthFirst<'_, '_> {
    type Item = Entity;

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline)]
    fn next(&mut self) -> Option<Entity> {
        let node = self.open.pop()?;
        self.expand(node);
        Some(node.entity)
    }
}

/// Descendants level by level; made by [`Walk::descendants_breadth_first`].
pub(super) struct BreadthFirst<'w, 'a> {
    walk: Steps<'w, 'a>,
    start: Option<Start<'w, 'a>>,
    open: VecDeque<FreshRow<'w, 'a>>,
}

impl<'w, 'a> BreadthFirst<'w, 'a> {
    pub fn new(walk: Steps<'w, 'a>, entity: Entity) -> Self {
        let start = Start::of(walk, entity);
        let mut this = Self { walk, start, open: VecDeque::new() };
        if let Some(start) = start {
            this.expand(start.node);
        }
        this
    }

    fn expand(&mut self, node: FreshRow<'w, 'a>) {
        let mut children = Nodes::new();
        if let Some(start) = &self.start {
            start.expand(self.walk, node, &mut children);
        }
        self.open.extend(children);
    }
}

impl Iterator for BreadthFirst<'_, '_> {
    type Item = Entity;

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline)]
    fn next(&mut self) -> Option<Entity> {
        let node = self.open.pop_front()?;
        self.expand(node);
        Some(node.entity)
    }
}
