//! The entities that exist and that died, and the `Transform` of each.
//!
//! An entity is found through its number: one lookup finds the versions that exist, with the slot
//! of each, and the versions that died. Slots are one dense list, so that entities that are merged
//! often lie together.
//!
//! ```text
//!  number 513 -> alive_from 2,  versions 2: slot 0          513v0 and 513v1 are dead
//!  number 600 -> alive_from 0,  versions 0: slot 2, 4: slot 1
//!  slots         [513v2] [600v4] [600]
//! ```

use hashbrown::{HashMap, HashSet};

use super::{
    limits::{Budget, Cost, LimitKind},
    log::{Clock, Entry, Log, Stamp},
    number::{Number, cost_of_death, dead_entity, number_key},
    numbers::Reusable,
    slot::{Slot, SlotIndex, State},
    slot_set::SlotSet,
};
use crate::wire::{SceneEntity, SceneTransform};

/// The reason why an entity has no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoSlot {
    Dead,
    Limit(LimitKind),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Entities {
    numbers: HashMap<u64, Number>,
    slots: Vec<Slot>,
    vacant: Vec<SlotIndex>,
    networks: HashSet<u32>,
    /// The `Transform`s that changed.
    changes: Log<SlotIndex>,
    /// The numbers of which a version died.
    deaths: Log<u64>,
    pub corrected: SlotSet,
    pub reusable: Reusable,
}

impl Entities {
    pub fn new(reusable: Reusable) -> Self {
        Self { reusable, ..Self::default() }
    }

    pub fn slot(&self, index: SlotIndex) -> &Slot {
        &self.slots[index as usize]
    }

    /// All slots in the order of their places, vacant ones included.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    pub fn find(&self, scene: SceneEntity) -> Option<SlotIndex> {
        self.numbers.get(&number_key(scene))?.versions.get(scene.entity.version())
    }

    /// The entity's slot. If it has none, it gets one, if the budget has room for the slot and its
    /// content.
    #[inline(always)]
    pub fn find_or_insert(
        &mut self,
        scene: SceneEntity,
        budget: &mut Budget,
        content: impl FnOnce() -> Cost,
    ) -> Result<SlotIndex, NoSlot> {
        if let Some(number) = self.numbers.get(&number_key(scene)) {
            if let Some(index) = number.versions.get(scene.entity.version()) {
                return Ok(index);
            }
            if u32::from(scene.entity.version()) < number.alive_from && !scene.is_reserved() {
                return Err(NoSlot::Dead);
            }
        }
        self.insert(&scene, budget, content())
    }

    /// A new slot. Out of line, so that finding an existing one stays short. By reference: a value
    /// of 12 bytes would be read 8 at once where 4 at once were just written.
    #[inline(never)]
    fn insert(
        &mut self,
        &scene: &SceneEntity,
        budget: &mut Budget,
        content: Cost,
    ) -> Result<SlotIndex, NoSlot> {
        let cost = Cost { entities: 1, networks: self.cost_of_network(scene), ..Cost::default() };
        budget.admits(&cost.plus(content)).map_err(NoSlot::Limit)?;
        budget.charge(&cost);
        let index = self.vacant.pop().unwrap_or(self.slots.len() as SlotIndex);
        self.corrected.remove(index);
        self.number(scene).versions.insert(scene.entity.version(), index);
        let slot = Slot::new(scene);
        match self.slots.get_mut(index as usize) {
            // A slot that is in the log stays in it, and counts once it is set.
            Some(last) => {
                let logged = last.logged;
                *last = slot;
                last.logged = logged;
            }
            None => self.slots.push(slot),
        }
        Ok(index)
    }

    /// Whether a network would be new, as a size.
    #[inline]
    fn cost_of_network(&self, scene: SceneEntity) -> isize {
        isize::from(scene.network.is_some_and(|network| !self.networks.contains(&network)))
    }

    /// The entity's number, from now on known.
    #[inline(always)]
    fn number(&mut self, scene: SceneEntity) -> &mut Number {
        if let Some(network) = scene.network {
            self.networks.insert(network);
        }
        self.numbers.entry(number_key(scene)).or_default()
    }

    /// Replaces an entity's `Transform`, by a tombstone if there is no value.
    #[inline(always)]
    pub fn write(
        &mut self,
        index: SlotIndex,
        timestamp: u32,
        value: Option<&[u8; SceneTransform::LEN]>,
        clock: &mut Clock,
    ) {
        let slot = &mut self.slots[index as usize];
        slot.timestamp = timestamp;
        match value {
            Some(bytes) => (slot.state, slot.bytes) = (State::Live, *bytes),
            None => slot.state = State::Deleted,
        }
        if slot.logged != clock.epoch() {
            self.log(index, clock.stamp());
        }
    }

    #[inline(never)] // so that merging stays short
    fn log(&mut self, index: SlotIndex, stamp: Stamp) {
        self.slots[index as usize].logged = stamp.epoch;
        self.changes.push(index, stamp);
        if self.changes.is_long(self.slots.len()) {
            // Also that of a vacant slot: another entity that gets it in this epoch is not logged
            // again.
            let slots = &self.slots;
            self.changes.clean(|entry| slots[entry.item as usize].logged == entry.stamp.epoch);
        }
    }

    /// The `Transform`s that changed from an epoch on, each once.
    pub fn changes(&self, epoch: u32) -> impl Iterator<Item = (&Slot, Entry<SlotIndex>)> {
        let entries = self.changes.since(epoch);
        entries
            .map(|entry| (self.slot(entry.item), entry))
            .filter(|(slot, entry)| counts(slot, entry))
    }

    /// The numbers of which a version died from an epoch on: the highest such version of each.
    pub fn new_deaths(&self, epoch: u32) -> impl Iterator<Item = (SceneEntity, Entry<u64>)> {
        self.deaths.since(epoch).filter_map(|entry| {
            let number = self.numbers.get(&entry.item)?;
            let counts = number.logged == entry.stamp.epoch;
            Some((dead_entity(entry.item, number).filter(|_| counts)?, entry))
        })
    }

    /// Logs everything anew, in the first epoch of a new clock.
    pub fn log_all(&mut self, clock: &mut Clock) {
        (self.changes, self.deaths) = Default::default();
        for (index, slot) in (0..).zip(&mut self.slots) {
            slot.logged = 0;
            if slot.is_set() {
                slot.logged = clock.stamp().epoch;
                self.changes.push(index, clock.stamp());
            }
        }
        for (&key, number) in self.numbers.iter_mut().filter(|(_, number)| number.alive_from > 0) {
            number.logged = clock.stamp().epoch;
            self.deaths.push(key, clock.stamp());
        }
    }

    /// The highest version of the entity's number that died.
    pub fn last_death(&self, scene: SceneEntity) -> Option<u16> {
        let number = self.numbers.get(&number_key(scene))?;
        number.alive_from.checked_sub(1).map(|version| version as u16)
    }

    /// The highest version of the entity's number that is alive.
    pub fn alive(&self, scene: SceneEntity) -> Option<u16> {
        self.numbers.get(&number_key(scene))?.versions.highest()
    }

    /// Whether a version of the entity's number is alive. A reserved one needs a `Transform`, which
    /// only a host writes: otherwise any scene could use up the numbers of players.
    pub fn is_in_use(&self, scene: SceneEntity) -> bool {
        let number = self.numbers.get(&number_key(scene));
        let mut alive = number.into_iter().flat_map(|number| number.versions.up_to(u16::MAX));
        alive.any(|index| !scene.is_reserved() || self.slot(index).is_set())
    }

    pub fn is_dead(&self, scene: SceneEntity) -> bool {
        !scene.is_reserved()
            && self.last_death(scene).is_some_and(|version| version >= scene.entity.version())
    }

    /// The size of the death of an entity alone. Its number may be new.
    pub fn cost_of_kill(&self, scene: SceneEntity) -> Cost {
        match self.numbers.get(&number_key(scene)) {
            Some(number) if number.alive_from > 0 => Cost::default(),
            Some(_) => cost_of_death(scene),
            None => Cost { networks: self.cost_of_network(scene), ..cost_of_death(scene) },
        }
    }

    /// The entities that would die with this one, itself too, and their size.
    pub fn victims(&self, scene: SceneEntity) -> impl Iterator<Item = (SceneEntity, Cost)> {
        let versions = self.numbers.get(&number_key(scene)).map(|number| &number.versions);
        let slots =
            versions.into_iter().flat_map(move |versions| versions.up_to(scene.entity.version()));
        slots.map(|index| {
            let slot = self.slot(index);
            (slot.scene(), Cost { entities: 1, ..slot.state.cost(slot.scene()) })
        })
    }

    /// Kills the entity and all with its number and a lower version. Calls `died` with each, its
    /// size, and whether a `Transform` went with it.
    pub fn kill(
        &mut self,
        scene: SceneEntity,
        clock: &mut Clock,
        mut died: impl FnMut(SceneEntity, Cost, bool),
    ) {
        let version = scene.entity.version();
        let stamp = clock.stamp();
        let number = self.number(scene);
        number.alive_from = number.alive_from.max(u32::from(version) + 1);
        let is_logged = std::mem::replace(&mut number.logged, stamp.epoch) == stamp.epoch;
        let mut versions = std::mem::take(&mut number.versions);
        if !is_logged {
            self.log_death(scene, stamp);
        }
        while let Some(index) = versions.pop_up_to(version) {
            let slot = &mut self.slots[index as usize];
            let dead = slot.scene();
            let had_transform = slot.is_set();
            died(dead, Cost { entities: 1, ..slot.state.cost(dead) }, had_transform);
            slot.state = State::Vacant;
            self.vacant.push(index);
        }
        self.number(scene).versions = versions;
        self.reusable.give_back(scene);
    }

    /// Logs the players of a number that live on though a version above theirs died once, and
    /// returns them. The death that others hear of names that version, and takes them along.
    pub fn log_survivors(&mut self, dead: SceneEntity, clock: &mut Clock) -> Vec<SceneEntity> {
        let Some(number) = self.numbers.get(&number_key(dead)).filter(|_| dead.is_reserved())
        else {
            return Vec::new();
        };
        let last = number.alive_from.saturating_sub(1) as u16;
        let survivors: Vec<SlotIndex> = number.versions.up_to(last).collect();
        let log = |index: SlotIndex| {
            let slot = self.slot(index);
            if slot.is_set() && slot.logged != clock.epoch() {
                self.log(index, clock.stamp());
            }
            self.slot(index).scene()
        };
        survivors.into_iter().map(log).collect()
    }

    fn log_death(&mut self, scene: SceneEntity, stamp: Stamp) {
        self.deaths.push(number_key(scene), stamp);
        if self.deaths.is_long(self.numbers.len()) {
            let numbers = &self.numbers;
            self.deaths.clean(|entry| {
                numbers.get(&entry.item).is_some_and(|number| number.logged == entry.stamp.epoch)
            });
        }
    }

    /// The highest dead version of every number that has one. Reserved numbers have none.
    pub fn deaths(&self) -> impl Iterator<Item = SceneEntity> {
        let dead = self.numbers.iter().filter_map(|(&key, number)| dead_entity(key, number));
        dead.filter(|scene| !scene.is_reserved())
    }
}

/// Whether an entry of the log is the last change of its slot.
fn counts(slot: &Slot, entry: &Entry<SlotIndex>) -> bool {
    slot.logged == entry.stamp.epoch && slot.is_set()
}
