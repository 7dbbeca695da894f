//! The children of an entity.

use std::collections::{HashMap, HashSet};

use legion::{
    Entity, EntityStore, Read,
    storage::ComponentStorage,
    world::{EntityAccessError, EntityHasher},
};
use smallvec::SmallVec;

use super::can_be_parent;
use crate::{
    components::{Children, LocalToParent, LocalToWorld, Parent},
    query::{
        access::{QueryError, component, entry},
        path::{link, path},
    },
};

pub(super) type List = SmallVec<[Entity; 8]>;

/// Where the lists of children come from.
#[derive(Debug)]
pub(super) enum Lists {
    /// The bundle's `Children`, checked against `Parent`.
    Published,
    /// Collected from every `Parent`.
    Collected(HashMap<Entity, List, EntityHasher>),
}

impl Lists {
    /// One pass over every link in the store.
    pub fn collect<S: EntityStore>(store: &S) -> Result<Self, QueryError> {
        let storage =
            store.get_component_storage::<Read<Parent>>().map_err(|error| match error {
                EntityAccessError::EntityNotFound | EntityAccessError::AccessDenied => {
                    QueryError::MissingAccess {
                        component: Some(std::any::type_name::<Parent>()),
                        entity: None,
                    }
                }
            })?;
        let mut lists: HashMap<Entity, List, EntityHasher> = HashMap::default();
        let Some(parents) = storage.components().get_downcast::<Parent>() else {
            return Ok(Self::Collected(lists));
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
        Ok(Self::Collected(lists))
    }

    /// The entities with a link to `parent`, each once. If `parent` is on a cycle, the next entity
    /// down the cycle is among them, though it is no child.
    pub fn linked<S: EntityStore>(&self, store: &S, parent: Entity) -> List {
        if !can_be_parent(store, parent) {
            return List::new();
        }
        let mut children = published(store, parent);
        match self {
            Self::Published => children.retain(|child| is_child(store, *child, parent)),
            Self::Collected(lists) => {
                let collected = lists.get(&parent).map_or(&[][..], List::as_slice);
                children = in_order_of(children, collected);
            }
        }
        drop_repeated(&mut children);
        children
    }
}

/// For an entity on a cycle: the entity on the cycle that is linked to it.
pub(super) fn next_down_the_cycle<S: EntityStore>(store: &S, entity: Entity) -> Option<Entity> {
    entry(store, entity).ok()?;
    let way = path(store, entity).ok()?;
    if !way.cyclic || way.root() != entity {
        return None;
    }
    let mut current = entity;
    loop {
        let parent = link(store, current, &entry(store, current).ok()?).ok()??;
        if parent == entity {
            return Some(current);
        }
        current = parent;
    }
}

fn published<S: EntityStore>(store: &S, parent: Entity) -> List {
    let Ok(entry) = entry(store, parent) else { return List::new() };
    let children = component::<Children>(&entry, parent).ok().flatten();
    children.map(|children| children.0.iter().copied().collect()).unwrap_or_default()
}

fn is_child<S: EntityStore>(store: &S, child: Entity, parent: Entity) -> bool {
    entry(store, child).is_ok_and(
        |entry| matches!(link(store, child, &entry), Ok(Some(linked)) if linked == parent),
    )
}

/// `collected`, in the order of `order` as far as that names them, then the others.
fn in_order_of(order: List, collected: &[Entity]) -> List {
    if order.as_slice() == collected {
        return order;
    }
    let present: HashSet<Entity, EntityHasher> = collected.iter().copied().collect();
    let mut result: List = order.into_iter().filter(|child| present.contains(child)).collect();
    let known: HashSet<Entity, EntityHasher> = result.iter().copied().collect();
    result.extend(collected.iter().copied().filter(|child| !known.contains(child)));
    result
}

/// A list that a user wrote may name a child twice.
fn drop_repeated(children: &mut List) {
    if children.len() > 1 {
        let mut seen: HashSet<Entity, EntityHasher> =
            HashSet::with_capacity_and_hasher(children.len(), EntityHasher::default());
        children.retain(|child| seen.insert(*child));
    }
}
