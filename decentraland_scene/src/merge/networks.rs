//! Which plain entity stands for which entity of a network, and parents in networks.
//!
//! The components `NetworkEntity` and `NetworkParent` say so:
//!
//! ```text
//!  512: NetworkEntity (7, 40)        512 stands for (7, 40): one entity, with two keys
//!  (7, 41): NetworkParent (7, 40)    a child of (7, 40), so of 512
//! ```

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::looks::Look;
use crate::wire::{EntityId, Key, NETWORK_ENTITY, NETWORK_PARENT, NetworkEntity, SceneEntity};

/// What is tied to an entity of a network.
#[derive(Clone, Debug, Default)]
struct Ties {
    /// The plain entities whose `NetworkEntity` names it. The lowest stands for it.
    locals: BTreeSet<EntityId>,
    /// The entities whose `NetworkParent` names it.
    children: BTreeSet<SceneEntity>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Networks {
    /// The entity of a network that a plain entity names.
    named: HashMap<EntityId, SceneEntity>,
    /// The parent that a `NetworkParent` names.
    parents: HashMap<SceneEntity, SceneEntity>,
    ties: HashMap<SceneEntity, Ties>,
}

/// Whether a component ties entities to networks. These are kept, whatever else is.
pub(super) fn is_tie(component: u32) -> bool {
    component == NETWORK_ENTITY || component == NETWORK_PARENT
}

impl Networks {
    pub fn is_empty(&self) -> bool {
        self.named.is_empty() && self.parents.is_empty()
    }

    /// The entity that shows an entity: the plain one that stands for it, or itself.
    pub fn shown(&self, entity: SceneEntity) -> SceneEntity {
        self.local(entity).unwrap_or(entity)
    }

    /// The plain entity that stands for an entity of a network.
    pub fn local(&self, entity: SceneEntity) -> Option<SceneEntity> {
        self.ties.get(&entity)?.locals.first().map(|&local| SceneEntity::local(local))
    }

    /// The entity of a network that a plain entity names.
    pub fn named(&self, entity: SceneEntity) -> Option<SceneEntity> {
        let local = entity.network.is_none().then_some(entity.entity)?;
        self.named.get(&local).copied()
    }

    /// The other entity, if two are one: the plain one that stands for it, or the one of a network
    /// that it stands for.
    #[inline]
    pub fn twin(&self, entity: SceneEntity) -> Option<SceneEntity> {
        if self.named.is_empty() {
            return None;
        }
        match entity.network {
            Some(_) => self.local(entity),
            None => self.named(entity).filter(|&named| self.local(named) == Some(entity)),
        }
    }

    /// The parent that the `NetworkParent` of an entity names.
    pub fn parent(&self, entity: SceneEntity) -> Option<SceneEntity> {
        self.parents.get(&entity).copied()
    }

    /// The entities that stand for an entity, or have it as their parent.
    pub fn tied(&self, entity: SceneEntity) -> impl Iterator<Item = SceneEntity> {
        self.ties.get(&entity).into_iter().flat_map(|ties| {
            let locals = ties.locals.iter().map(|&local| SceneEntity::local(local));
            locals.chain(ties.children.iter().copied())
        })
    }

    /// Whether an entity stands for this one, or has it as its parent.
    pub fn is_tied_to(&self, entity: SceneEntity) -> bool {
        self.ties.contains_key(&entity)
    }

    /// Whether an entity is shown by another one, shows another one or has a parent in a network.
    pub fn is_tied(&self, entity: SceneEntity) -> bool {
        self.parents.contains_key(&entity)
            || self.named(entity).is_some()
            || self.local(entity).is_some()
    }

    /// Takes over the value of a component that [ties](is_tie). `look` gets what may look different
    /// now. Returns the entities that may be [tied](Self::is_tied) now, or not any more.
    pub fn set(
        &mut self,
        key: Key,
        value: Option<&[u8]>,
        mut look: impl FnMut(Look),
    ) -> [Option<SceneEntity>; 3] {
        let mut last_named = None;
        let entity = key.scene_entity();
        let named = value.and_then(NetworkEntity::from_bytes).map(SceneEntity::from);
        if key.component == NETWORK_PARENT {
            let last = replace(&mut self.parents, entity, named);
            if last != named {
                self.change(last, named, |ties, is_new| toggle(&mut ties.children, entity, is_new));
            }
            // It may be later than the one of an entity that is one with this one.
            look(Look::At(entity));
        } else if entity.network.is_none() && !entity.is_reserved() {
            let last = replace(&mut self.named, entity.entity, named);
            last_named = last;
            if last != named {
                let local = entity.entity;
                self.change(last, named, |ties, is_new| toggle(&mut ties.locals, local, is_new));
                look(Look::At(entity));
                last.into_iter().chain(named).for_each(|named| look(Look::AllTiedTo(named)));
            }
        }
        [Some(entity), last_named, named]
    }

    /// Changes the ties of two entities: of one that is no longer named, and of one that is.
    fn change(
        &mut self,
        last: Option<SceneEntity>,
        named: Option<SceneEntity>,
        change: impl Fn(&mut Ties, bool),
    ) {
        for (entity, is_new) in [(last, false), (named, true)] {
            let Some(entity) = entity else { continue };
            let ties = self.ties.entry(entity).or_default();
            change(ties, is_new);
            if ties.locals.is_empty() && ties.children.is_empty() {
                self.ties.remove(&entity);
            }
        }
    }
}

fn replace<K: std::hash::Hash + Eq, V>(
    map: &mut HashMap<K, V>,
    key: K,
    value: Option<V>,
) -> Option<V> {
    match value {
        Some(value) => map.insert(key, value),
        None => map.remove(&key),
    }
}

fn toggle<T: Ord>(set: &mut BTreeSet<T>, item: T, is_new: bool) {
    if is_new {
        set.insert(item);
    } else {
        set.remove(&item);
    }
}
