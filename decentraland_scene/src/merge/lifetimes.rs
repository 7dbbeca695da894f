//! Living, dead and new entities.

use super::{numbers::NumbersExhausted, replica::Replica};
use crate::wire::{EntityId, SceneEntity};

impl Replica {
    /// A new entity, with a number of [`ReplicaOptions::numbers`](super::ReplicaOptions::numbers):
    /// an unknown number, or the next version of a number whose versions all died. Each entity is
    /// given once, in amortised constant time. A player's number is in use while it has a
    /// `Transform`: other components may be written by scenes, too, also for players who left.
    ///
    /// Two replicas with the same range give the same ids: with default options the first entity of
    /// each is 512. Give each a range or a network of its own.
    ///
    /// Nothing is sent: the entity exists from its first component on.
    ///
    /// # Errors
    ///
    /// When all numbers are in use.
    pub fn new_entity(&mut self) -> Result<SceneEntity, NumbersExhausted> {
        loop {
            let Some((scene, is_unused)) = self.entities.reusable.next() else {
                return Err(NumbersExhausted { range: self.options.numbers });
            };
            if let Some(entity) = self.next_of(scene, is_unused) {
                return Ok(entity);
            }
        }
    }

    /// The next entity with this number, if none is in use. A number that is in use is queued when
    /// it dies.
    fn next_of(&self, scene: SceneEntity, is_unused: bool) -> Option<SceneEntity> {
        let number = scene.entity.number();
        let version = match scene.network {
            None if self.entities.is_in_use(scene) => None,
            None => match self.entities.last_death(scene) {
                None => Some(0),
                // Others used it before, so it is queued already.
                Some(_) if is_unused => None,
                // Where its last version died, it is used up.
                Some(version) => version.checked_add(1),
            },
            Some(_) => self.entities.reusable.next_version(number),
        };
        let entity = SceneEntity { entity: EntityId::new(number, version?), ..scene };
        let is_free = scene.network.is_none() || !self.is_alive(entity) && !self.is_dead(entity);
        is_free.then_some(entity)
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

    /// The highest version of a plain entity number that is alive.
    #[must_use]
    pub fn alive_version(&self, number: u16) -> Option<u16> {
        self.entities.alive(SceneEntity::local(EntityId::new(number, 0)))
    }

    /// The highest version of a plain entity number that died: it and all below it are gone for
    /// good.
    #[must_use]
    pub fn dead_version(&self, number: u16) -> Option<u16> {
        let scene = SceneEntity::local(EntityId::new(number, 0));
        self.entities.last_death(scene).filter(|_| !scene.is_reserved())
    }
}
