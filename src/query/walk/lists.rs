//! The children of an entity.

use std::collections::HashSet;

use legion::{Entity, EntityStore, Read, storage::ComponentStorage, world::EntityHasher};

use crate::{
    components::{LocalToParent, LocalToWorld, Parent},
    engine::{ByParent, FreshRow, FreshRows, Mask, OtherLinks, captured},
};

pub(super) type Nodes<'q, 'a> = Vec<FreshRow<'q, 'a>>;

/// Where the children of an entity are found beside `Children`. They may be in `Children`, too.
#[derive(Debug)]
pub(super) enum Lists<'a> {
    Nowhere,
    /// All links of the world.
    All(ByParent),
    Others(&'a OtherLinks<'a>),
}

impl<'a> Lists<'a> {
    /// One pass over every link in the store, whose access was checked.
    pub fn collect<S: EntityStore>(store: &S) -> Self {
        let Ok(storage) = store.get_component_storage::<Read<Parent>>() else {
            return Self::Nowhere;
        };
        let mut lists = ByParent::default();
        let Some(parents) = storage.components().get_downcast::<Parent>() else {
            return Self::Nowhere;
        };
        for archetype in storage.archetypes() {
            let layout = archetype.layout();
            if !layout.has_component::<LocalToParent>() || !layout.has_component::<LocalToWorld>() {
                continue;
            }
            let Some(parents) = parents.get(archetype.index()) else { continue };
            for (child, Parent(parent)) in archetype.entities().iter().zip(parents.into_slice()) {
                lists.entry(*parent).or_default().push(*child);
            }
        }
        Self::All(lists)
    }

    /// Appends the entities with a link to a node, each once: in the order of `Children` as far as
    /// that names them, then the others by row. If the node is on a cycle, the next entity down the
    /// cycle is among them, though it is no child.
    pub fn append_linked<'q, 'w, S: EntityStore>(
        &self,
        rows: &'q FreshRows<'w, S>,
        parent: FreshRow<'q, 'w>,
        to: &mut Nodes<'q, 'w>,
    ) {
        let known = to.len();
        if !parent.has(Mask::LOCAL_TO_WORLD) {
            return;
        }
        if let Ok(Some(children)) = parent.children() {
            let mut last = parent;
            for child in children.iter() {
                // Often a child stands right behind its parent, or behind the sibling before it.
                let child = rows.node_at(*child, (last.archetype, last.row + 1));
                if let Some(child) = child.ok().filter(|child| is_linked(*child, parent)) {
                    to.push(child);
                    last = child;
                }
            }
        }
        drop_repeated(to, known);
        let mut others = self.others(parent).peekable();
        if others.peek().is_none() {
            return;
        }
        let published: Set = to[known..].iter().map(|child| child.entity).collect();
        let known = to.len();
        let new = others.filter(|child| !published.contains(child));
        let new = new.filter_map(|child| rows.node(child).ok());
        to.extend(new.filter(|child| is_linked(*child, parent)));
        to[known..].sort_by_key(|node| (node.archetype.index.0, node.row));
        drop_repeated(to, known);
    }

    /// The entities that may be children of this one, beside those in its `Children`.
    fn others<'q>(&'q self, parent: FreshRow<'q, 'q>) -> impl Iterator<Item = Entity> + 'q {
        let (all, others) = match self {
            Self::Nowhere => (None, None),
            Self::All(all) => (all.get(&parent.entity), None),
            Self::Others(others) => (None, Some(others)),
        };
        let others = others.into_iter().flat_map(move |others| others.of(parent));
        all.into_iter().flatten().copied().chain(others)
    }
}

type Set = HashSet<Entity, EntityHasher>;

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
