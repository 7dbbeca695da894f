//! The `Transform` that an entity is to be shown with, and the changes of it.

use super::{
    last_writer::is_outdone,
    log::ChangeCursor,
    looks::Look,
    replica::Replica,
    slot::{Slot, TransformState},
};
use crate::wire::{NETWORK_PARENT, NetworkEntity, SceneEntity, parent_of};

/// The `Transform` that an entity is to be shown with.
///
/// It differs from the merged one where components tie entities to networks. A plain entity with a
/// `NetworkEntity` and the entity of the network that it names are one: the plain one is shown,
/// with the later `Transform` of the two. And a `NetworkParent` decides who the parent is, whatever
/// the `Transform` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EffectiveTransform<'a> {
    /// The state, with the bytes as they came. Their parent may be another than [`Self::parent`].
    pub state: TransformState<'a>,
    /// The parent; [`SceneEntity::ROOT`] for none.
    pub parent: SceneEntity,
    /// The entity whose `Transform` this is: the one of a network, if that one's is the later.
    pub source: SceneEntity,
}

impl<'a> EffectiveTransform<'a> {
    /// Of an entity that is tied to nothing.
    #[inline]
    fn plain(source: SceneEntity, state: TransformState<'a>) -> Self {
        let parent = match state {
            TransformState::Live { bytes, .. } => SceneEntity::local(parent_of(bytes)),
            _ => SceneEntity::ROOT,
        };
        Self { state, parent, source }
    }

    /// The later of two `Transform`s of one entity. If one of them is dead, it is.
    fn later(plain: Self, networked: Self) -> Self {
        let write = |state: TransformState<'a>| match state {
            TransformState::Live { timestamp, bytes } => Some((timestamp, Some(&bytes[..]))),
            TransformState::Deleted { timestamp } => Some((timestamp, None)),
            _ => None,
        };
        let is_dead = networked.state == TransformState::Dead;
        if is_dead || is_outdone(write(plain.state), write(networked.state)) {
            networked
        } else {
            plain
        }
    }
}

impl Replica {
    /// The `Transform` that an entity is to be shown with. Of two entities that are one, the plain
    /// one is shown, and nothing is known of the other.
    #[must_use]
    pub fn effective(&self, entity: SceneEntity) -> EffectiveTransform<'_> {
        if self.networks.shown(entity) != entity {
            return EffectiveTransform::plain(entity, TransformState::Unknown);
        }
        let mut effective = EffectiveTransform::plain(entity, self.transform(entity));
        if let Some(twin) = self.networks.twin(entity) {
            let networked = EffectiveTransform::plain(twin, self.transform(twin));
            effective = EffectiveTransform::later(effective, networked);
        }
        if let TransformState::Live { .. } = effective.state
            && let Some(parent) = self.network_parent(entity)
        {
            effective.parent = self.networks.shown(parent);
        }
        effective
    }

    /// The plain entity that stands for an entity of a network: its `NetworkEntity` says so. Of
    /// several such entities it is the lowest.
    #[must_use]
    pub fn local_entity(&self, networked: SceneEntity) -> Option<SceneEntity> {
        self.networks.local(networked)
    }

    /// The entity of a network that a plain entity stands for.
    #[must_use]
    pub fn network_entity(&self, local: SceneEntity) -> Option<SceneEntity> {
        self.networks.named(local)
    }

    /// The entity of a network by which others know an entity: itself, or the one it stands for.
    #[must_use]
    pub fn networked(&self, entity: SceneEntity) -> Option<SceneEntity> {
        entity.network.map(|_| entity).or_else(|| self.networks.named(entity))
    }

    /// The entity of a network that a `NetworkParent` names as the parent: of two entities that are
    /// one, the later such component. A plain entity needs a `NetworkEntity`, too.
    #[must_use]
    pub fn network_parent(&self, entity: SceneEntity) -> Option<SceneEntity> {
        if self.networks.is_empty() {
            return None;
        }
        self.networked(entity)?;
        let Some(twin) = self.networks.twin(entity) else { return self.networks.parent(entity) };
        let [ours, theirs] =
            [entity, twin].map(|entity| self.raw.last_write(entity.key(NETWORK_PARENT)));
        let later = if is_outdone(ours, theirs) { theirs } else { ours };
        Some(NetworkEntity::from_bytes(later?.1?)?.into())
    }

    /// Calls `follow` with each entity whose `Transform` is to be shown in another way since the
    /// cursor was last used, and how; with the dead ones, too. Each entity comes once, in no
    /// particular order. For followers that keep a copy of the state, such as an ECS; each has a
    /// cursor of its own.
    ///
    /// Where the cursor is new, from another replica or too far behind, it
    /// [begins anew](Self::begins_anew): `follow` sees all entities with a `Transform` or the
    /// tombstone of one, and all others are gone.
    pub fn for_each_change(
        &mut self,
        cursor: &mut ChangeCursor,
        mut follow: impl FnMut(SceneEntity, EffectiveTransform<'_>),
    ) {
        let first = self.clock.unread(cursor);
        let begins_anew = self.begins_anew(cursor);
        let mut tied = Vec::new();
        let mut see = |slot: &Slot| {
            if slot.is_tied {
                tied.push(slot.scene());
            } else {
                follow(slot.scene(), EffectiveTransform::plain(slot.scene(), slot.transform()));
            }
        };
        if begins_anew {
            self.entities.slots().iter().filter(|slot| slot.is_set()).for_each(&mut see);
            tied.iter_mut().for_each(|entity| *entity = self.networks.shown(*entity));
        } else {
            self.entities.changes(first).for_each(|(slot, _)| see(slot));
            self.look_again(first, &mut tied);
        }
        tied.sort_unstable();
        tied.dedup();
        for entity in tied {
            follow(entity, self.effective(entity));
        }
        *cursor = self.now();
    }

    /// Adds the entities that are to be shown in another way, though they were not written; and of
    /// two that are one the other one, which is shown now.
    fn look_again(&self, first: u32, seen: &mut Vec<SceneEntity>) {
        let mut looks: Vec<Look> = self.looks.since(first).into_iter().flatten().collect();
        looks.sort_unstable();
        looks.dedup();
        // An entity that is tied to nothing and was written comes anyway.
        let comes = |entity| {
            let slot = self.entities.find(entity).map(|slot| self.entities.slot(slot));
            slot.is_some_and(|slot| !slot.is_tied && slot.is_set() && slot.logged >= first)
        };
        for look in looks {
            let (Look::At(entity) | Look::AllTiedTo(entity)) = look;
            seen.extend(Some(entity).filter(|&entity| !comes(entity)));
            if let Look::AllTiedTo(_) = look {
                seen.extend(self.networks.tied(entity));
            }
        }
        let shown = |&entity: &SceneEntity| self.networks.shown(entity);
        let others: Vec<SceneEntity> = seen.iter().map(shown).collect();
        seen.extend(others);
    }

    /// Whether [`for_each_change`](Self::for_each_change) will begin anew with a cursor.
    #[must_use]
    pub fn begins_anew(&self, cursor: &ChangeCursor) -> bool {
        let first = self.clock.unread(cursor);
        first == 0 || self.looks.since(first).is_none()
    }
}
