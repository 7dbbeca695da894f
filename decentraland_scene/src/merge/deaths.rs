//! Deaths: which entities died, which die together, and what others have to hear.

use super::{
    entities::Entities,
    limits::Cost,
    log::{Clock, Source, Stamp},
    number::{cost_of_death, dead_entity, version},
    role::Role,
    slot::{Slot, State},
};
use crate::wire::{EntityId, SceneEntity};

impl Entities {
    /// The numbers of which a version died from an epoch on: the highest such version of each.
    /// Players are among the [departures](Self::new_departures).
    pub fn new_deaths(&self, epoch: u32) -> impl Iterator<Item = (SceneEntity, Stamp)> {
        self.deaths.since(epoch).filter_map(|entry| {
            let number = self.numbers.get(entry.item)?;
            let counts = number.logged == entry.stamp.epoch;
            Some((dead_entity(entry.item, number).filter(|_| counts)?, entry.stamp))
        })
    }

    /// The players that left from an epoch on, as others than `source` told it, in order. Some of
    /// them may be back. Who is too far behind hears of all that ever left.
    pub fn new_departures(&self, epoch: u32, source: Option<Source>) -> Vec<SceneEntity> {
        let others = |stamp: &Stamp| Some(stamp.source) != source;
        let others = self.departures.since(epoch).filter(|(_, stamp)| others(stamp));
        let mut left: Vec<SceneEntity> = others.map(|(player, _)| player).collect();
        if !self.departures.are_known_since(epoch) {
            for (scene, number) in self.numbers.iter().filter(|(scene, _)| scene.is_reserved()) {
                let ever = (0..number.alive_from).map(|version| version as u16);
                let gone = ever.filter(|&version| number.versions.get(version).is_none());
                left.extend(gone.map(|version| {
                    SceneEntity::local(EntityId::new(scene.entity.number(), version))
                }));
            }
        }
        left.sort_unstable();
        left.dedup();
        left
    }

    /// The highest version of the entity's number that died.
    pub fn last_death(&self, scene: SceneEntity) -> Option<u16> {
        let number = self.numbers.get(scene)?;
        number.alive_from.checked_sub(1).map(|version| version as u16)
    }

    pub fn is_dead(&self, scene: SceneEntity) -> bool {
        !scene.is_reserved() && self.last_death(scene).is_some_and(|last| last >= version(scene))
    }

    /// The size of the death of an entity alone. Its number may be new.
    pub fn cost_of_kill(&self, scene: SceneEntity, role: Role) -> Cost {
        match self.numbers.get(scene) {
            Some(number) if number.alive_from > 0 => Cost::default(),
            Some(_) => cost_of_death(scene, role),
            None => Cost { networks: self.cost_of_network(scene), ..cost_of_death(scene, role) },
        }
    }

    /// The entities that would die with this one, itself too, and their size.
    pub fn victims(&self, scene: SceneEntity) -> impl Iterator<Item = (SceneEntity, Cost)> {
        let last = version(scene);
        let versions = self.numbers.get(scene).map(|number| &number.versions);
        let slots = versions.into_iter().flat_map(move |versions| versions.up_to(last));
        // A player dies alone.
        let dies = move |slot: &&Slot| !scene.is_reserved() || slot.scene() == scene;
        let slots = slots.map(|index| self.slot(index)).filter(dies);
        slots.map(|slot| (slot.scene(), Cost { entities: 1, ..slot.state.cost(slot.scene()) }))
    }

    /// What scenes wrote for players with a reserved number who had left already: lower versions
    /// without a `Transform`.
    pub fn left_of_players_before(&self, scene: SceneEntity) -> Vec<SceneEntity> {
        let number = self.numbers.get(scene).filter(|_| scene.is_reserved());
        let versions = number.into_iter().flat_map(|number| number.versions.up_to(version(scene)));
        let slots = versions.map(|index| self.slot(index)).filter(|slot| !slot.is_set());
        slots.map(Slot::scene).collect()
    }

    /// Kills the entity and all with its number and a lower version; of players the entity alone.
    /// Calls `died` with each, its size, and whether a `Transform` went with it.
    pub fn kill(
        &mut self,
        scene: SceneEntity,
        clock: &mut Clock,
        mut died: impl FnMut(SceneEntity, Cost, bool),
    ) {
        let version = version(scene);
        let stamp = clock.stamp();
        let number = self.number(scene);
        number.alive_from = number.alive_from.max(u32::from(version) + 1);
        let mut versions = std::mem::take(&mut number.versions);
        if !scene.is_reserved() && std::mem::replace(&mut number.logged, stamp.epoch) != stamp.epoch
        {
            self.log_death(scene, stamp);
        }
        loop {
            let next = if scene.is_reserved() {
                versions.remove(version)
            } else {
                versions.pop_up_to(version)
            };
            let Some(index) = next else { break };
            let slot = &mut self.slots[index as usize];
            let dead = slot.scene();
            let had_transform = slot.is_set();
            died(dead, Cost { entities: 1, ..slot.state.cost(dead) }, had_transform);
            slot.state = State::Vacant;
            self.vacant.push(index);
        }
        self.number(scene).versions = versions;
        self.reusable.died(scene);
    }

    fn log_death(&mut self, scene: SceneEntity, stamp: Stamp) {
        self.deaths.push(scene, stamp);
        if self.deaths.is_long(self.numbers.len()) {
            self.clean_deaths();
        }
    }

    pub(super) fn clean_deaths(&mut self) {
        let numbers = &self.numbers;
        self.deaths.clean(|entry| {
            numbers.get(entry.item).is_some_and(|number| number.logged == entry.stamp.epoch)
        });
    }

    /// The highest dead version of every number that has one. Of reserved numbers only a host keeps
    /// which players left.
    pub fn deaths(&self, role: Role) -> impl Iterator<Item = SceneEntity> {
        let dead = self.numbers.iter().filter_map(|(scene, number)| dead_entity(scene, number));
        dead.filter(move |scene| !scene.is_reserved() || role == Role::Host)
    }
}
