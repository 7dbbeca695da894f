//! Living, dead and new entities.

use super::{numbers::NumbersExhausted, replica::Replica};
use crate::wire::{EntityId, SceneEntity};

impl Replica {
    /// A new entity, with a number of [`ReplicaOptions::numbers`](super::ReplicaOptions::numbers):
    /// an unknown number, or the next version of a number whose versions all died. Each entity is
    /// given once, in amortised constant time. A player's number is in use while it has a
    /// `Transform`: other components may be written by scenes, too, also for players who left.
    ///
    /// Nothing is sent: the entity exists from its first component on. If it is not used, give it
    /// [back](Self::give_back).
    ///
    /// # Errors
    ///
    /// When all numbers are in use.
    pub fn new_entity(&mut self) -> Result<SceneEntity, NumbersExhausted> {
        loop {
            let Some((scene, is_unused)) = self.entities.reusable.next() else {
                return Err(NumbersExhausted { range: self.options.numbers });
            };
            // A number that is in use is queued when it dies.
            if self.entities.is_in_use(scene) {
                continue;
            }
            match self.entities.last_death(scene) {
                None => return Ok(scene),
                // Its last version died, so it is used up. Or others used it before, so it is
                // queued already.
                Some(u16::MAX) => {}
                Some(_) if is_unused => {}
                Some(version) => {
                    let entity = EntityId::new(scene.entity.number(), version + 1);
                    return Ok(SceneEntity { entity, ..scene });
                }
            }
        }
    }

    /// Takes back a [new entity](Self::new_entity) that was never used: another call gets it.
    /// Returns false, and does nothing, if it was used, or is none of ours, or is back already.
    pub fn give_back(&mut self, entity: SceneEntity) -> bool {
        let next = self.entities.last_death(entity).map_or(0, |version| u32::from(version) + 1);
        !self.entities.is_in_use(entity)
            && u32::from(entity.entity.version()) == next
            && self.entities.reusable.was_tried(entity)
            && self.entities.reusable.give_back(entity)
    }

    /// Whether the replica knows the entity, and it is not dead.
    #[must_use]
    pub fn is_alive(&self, entity: SceneEntity) -> bool {
        self.entities.find(entity).is_some()
    }

    /// Whether the entity is gone for good.
    #[must_use]
    pub fn is_dead(&self, entity: SceneEntity) -> bool {
        self.entities.is_dead(entity)
    }

    /// The highest version of an entity number that is alive.
    #[must_use]
    pub fn alive_version(&self, network: Option<u32>, number: u16) -> Option<u16> {
        self.entities.alive(SceneEntity { network, entity: EntityId::new(number, 0) })
    }

    /// The highest version of an entity number that died: it and all below it are gone for good.
    #[must_use]
    pub fn dead_version(&self, network: Option<u32>, number: u16) -> Option<u16> {
        let scene = SceneEntity { network, entity: EntityId::new(number, 0) };
        self.entities.last_death(scene).filter(|_| !scene.is_reserved())
    }
}
