//! The children of an entity.

use std::collections::HashSet;

use legion::{Entity, world::EntityHasher};

use crate::{
    components::{Parent, PreviousParent},
    engine::{FreshRow, FreshRows, Mask, OtherLinks, captured},
};

pub(super) type Nodes<'q, 'a> = Vec<FreshRow<'q, 'a>>;

/// Where the children of an entity are found beside `Children`. They may be in `Children`, too.
pub(super) enum Lists<'a> {
    Nowhere,
    /// All links of the world.
    All(Box<OtherLinks<'a>>),
    Others(&'a OtherLinks<'a>),
}

impl Lists<'_> {
    /// All links of the world now.
    pub fn all(rows: &FreshRows<'_>) -> Self {
        Self::All(Box::new(OtherLinks::all(rows)))
    }

    fn others(&self) -> Option<&OtherLinks<'_>> {
        match self {
            Self::Nowhere => None,
            Self::All(all) => Some(all),
            Self::Others(others) => Some(others),
        }
    }

    /// Appends the entities with a link to a node, each once: in the order of `Children` as far as
    /// that names them, then the others as the next run adds them. Returns where these begin. If
    /// the node is on a cycle, the next entity down the cycle is among them, though it is not a
    /// child.
    pub fn append_linked<'q, 'w>(
        &self,
        rows: &'q FreshRows<'w>,
        parent: FreshRow<'q, 'w>,
        to: &mut Nodes<'q, 'w>,
    ) -> usize {
        let known = to.len();
        if !parent.archetype.meaning.can_be_parent() {
            return known;
        }
        let others = self.others();
        let is_last = |child| others.is_some_and(|it| it.is_last(child, parent.entity));
        let mut moved = Nodes::new();
        if let Ok(Some(children)) = parent.children() {
            let mut last = parent;
            for child in children.iter() {
                // Often a child stands right behind its parent, or behind the sibling before it.
                let child = rows.node_at(*child, (last.archetype, last.row + 1));
                if let Some(child) = child.ok().filter(|child| is_linked(*child, parent)) {
                    let to = if is_last(child.entity) { &mut moved } else { &mut *to };
                    to.push(child);
                    last = child;
                }
            }
        }
        drop_repeated(to, known);
        let Some(others) = others else { return to.len() };
        let mut new = others.of(parent.entity, parent.archetype.index).peekable();
        if new.peek().is_none() && moved.is_empty() {
            return to.len();
        }
        let published: Set = to[known..].iter().map(|child| child.entity).collect();
        let known = to.len();
        to.append(&mut moved);
        let new = new.filter(|child| !published.contains(child));
        let new = new.filter_map(|child| rows.node(child).ok());
        to.extend(new.filter(|child| is_linked(*child, parent)));
        to[known..].sort_by_cached_key(|&child| {
            let record = rows.get::<PreviousParent>(child).ok().flatten();
            let was_child = record.is_some_and(|it| it.0 == Some(parent.entity));
            // One that the list has lost stands before those that are new.
            let is_new = !was_child || is_last(child.entity);
            let place = is_new.then(|| others.place_of(child.entity));
            (place, child.archetype.index.0, child.row)
        });
        drop_repeated(to, known);
        known
    }
}

pub(super) type Set = HashSet<Entity, EntityHasher>;

/// Whether an entity has a link to this parent.
#[inline]
fn is_linked(child: FreshRow<'_, '_>, parent: FreshRow<'_, '_>) -> bool {
    child.has(Mask::LINK) && child.parent() == Ok(Some(&Parent(parent.entity)))
}

/// Drops repeated entities from `first` on: a list that a user wrote may name a child twice.
fn drop_repeated(nodes: &mut Nodes<'_, '_>, first: usize) {
    let list = &nodes[first..];
    let is_repeated = match list.len() {
        0 | 1 => false,
        2..=8 => (1..list.len()).any(|i| list[..i].contains(&list[i])),
        _ => {
            // Most often the ids ascend already, so this takes 1 ns an entity; a set takes 20.
            let mut ids: Vec<u64> = list.iter().map(|node| captured(&node.entity)).collect();
            ids.sort_unstable();
            ids.windows(2).any(|pair| pair[0] == pair[1])
        }
    };
    if is_repeated {
        let (mut seen, mut number) = (Set::default(), 0);
        nodes.retain(|node| {
            number += 1;
            number <= first || seen.insert(node.entity)
        });
    }
}
