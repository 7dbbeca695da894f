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
    changes::{ChangeCursor, ChangeLog},
    limits::{Budget, Cost, LimitKind},
    numbers::Reusable,
    slot::{Slot, SlotIndex, State},
    slot_set::SlotSet,
    versions::Versions,
};
use crate::wire::{EntityId, SceneEntity, SceneTransform};

/// An entity number: the versions that exist, and the versions that died.
#[derive(Clone, Debug, Default)]
struct Number {
    /// The lowest version that may live.
    alive_from: u32,
    /// Whether its death stands in the list of unsent ones.
    unsent: bool,
    versions: Versions,
}

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
    unsent: Vec<SlotIndex>,
    unsent_deaths: Vec<u64>,
    networks: HashSet<u32>,
    changes: ChangeLog,
    pub corrected: SlotSet,
    pub reusable: Reusable,
}

fn number_key(scene: SceneEntity) -> u64 {
    u64::from(scene.network) << 16 | u64::from(scene.entity.number())
}

/// The highest version of the number that died.
fn dead_entity(key: u64, number: &Number) -> Option<SceneEntity> {
    let version = number.alive_from.checked_sub(1)?;
    Some(SceneEntity {
        network: (key >> 16) as u32,
        entity: EntityId::new(key as u16, version as u16),
    })
}

/// The size of the death of an entity number.
fn cost_of_death(scene: SceneEntity) -> Cost {
    Cost::message(if scene.network == 0 { 12 } else { 16 }, true)
}

impl Entities {
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
            if u32::from(scene.entity.version()) < number.alive_from {
                return Err(NoSlot::Dead);
            }
        }
        self.insert(scene, budget, content())
    }

    /// A new slot. Out of line, so that finding an existing one stays short.
    #[inline(never)]
    fn insert(
        &mut self,
        scene: SceneEntity,
        budget: &mut Budget,
        content: Cost,
    ) -> Result<SlotIndex, NoSlot> {
        let is_new_network = scene.network != 0 && !self.networks.contains(&scene.network);
        let cost = Cost { entities: 1, networks: isize::from(is_new_network), ..Cost::default() };
        budget.admits(&cost.plus(content)).map_err(NoSlot::Limit)?;
        budget.charge(&cost);
        let index = self.vacant.pop().unwrap_or(self.slots.len() as SlotIndex);
        self.corrected.remove(index);
        self.number(scene).versions.insert(scene.entity.version(), index);
        let slot = Slot {
            scene,
            timestamp: 0,
            logged: 0,
            bytes: [0; SceneTransform::LEN],
            state: State::Unset,
            unsent: false,
        };
        match self.slots.get_mut(index as usize) {
            // A slot that is in a list stays in it, and is looked at when the list is taken.
            Some(last) => *last = Slot { logged: last.logged, unsent: last.unsent, ..slot },
            None => self.slots.push(slot),
        }
        Ok(index)
    }

    /// The entity's number, from now on known.
    fn number(&mut self, scene: SceneEntity) -> &mut Number {
        if scene.network != 0 {
            self.networks.insert(scene.network);
        }
        self.numbers.entry(number_key(scene)).or_default()
    }

    /// Replaces an entity's `Transform`, by a tombstone if there is no value.
    #[inline]
    pub fn write(
        &mut self,
        index: SlotIndex,
        timestamp: u32,
        value: Option<&[u8; SceneTransform::LEN]>,
    ) {
        let slot = &mut self.slots[index as usize];
        slot.timestamp = timestamp;
        match value {
            Some(bytes) => (slot.state, slot.bytes) = (State::Live, *bytes),
            None => slot.state = State::Deleted,
        }
        if !slot.unsent {
            slot.unsent = true;
            self.unsent.push(index);
        }
        if slot.logged != self.changes.current() {
            slot.logged = self.changes.current();
            self.changes.slot(index);
        }
    }

    /// The id of the replica.
    pub fn id(&self) -> u64 {
        self.changes.id()
    }

    /// The highest version of the entity's number that died.
    pub fn death(&self, scene: SceneEntity) -> Option<u16> {
        let number = self.numbers.get(&number_key(scene))?;
        number.alive_from.checked_sub(1).map(|version| version as u16)
    }

    /// The highest version of the entity's number that is alive.
    pub fn alive(&self, scene: SceneEntity) -> Option<u16> {
        self.numbers.get(&number_key(scene))?.versions.highest()
    }

    pub fn is_dead(&self, scene: SceneEntity) -> bool {
        self.death(scene).is_some_and(|version| version >= scene.entity.version())
    }

    /// The size of the death of an entity alone. Its number may be new.
    pub fn cost_of_kill(&self, scene: SceneEntity) -> Cost {
        match self.numbers.get(&number_key(scene)) {
            Some(number) if number.alive_from > 0 => Cost::default(),
            Some(_) => cost_of_death(scene),
            None => {
                let networks =
                    isize::from(scene.network != 0 && !self.networks.contains(&scene.network));
                Cost { networks, ..cost_of_death(scene) }
            }
        }
    }

    /// The entities that would die with this one, itself too, and their size.
    pub fn victims(&self, scene: SceneEntity) -> impl Iterator<Item = (SceneEntity, Cost)> {
        let versions = self.numbers.get(&number_key(scene)).map(|number| &number.versions);
        let slots =
            versions.into_iter().flat_map(move |versions| versions.up_to(scene.entity.version()));
        slots.map(|index| {
            let slot = self.slot(index);
            (slot.scene, Cost { entities: 1, ..slot.state.cost(slot.scene) })
        })
    }

    /// Kills the entity and all with its number and a lower version. Returns them with the size of
    /// each.
    pub fn kill(&mut self, scene: SceneEntity, mut died: impl FnMut(SceneEntity, Cost)) {
        let version = scene.entity.version();
        let number = self.number(scene);
        number.alive_from = u32::from(version) + 1;
        let was_unsent = std::mem::replace(&mut number.unsent, true);
        let mut versions = std::mem::take(&mut number.versions);
        if !was_unsent {
            self.unsent_deaths.push(number_key(scene));
        }
        while let Some(index) = versions.pop_up_to(version) {
            let slots = self.slots.len();
            let slot = &mut self.slots[index as usize];
            died(slot.scene, Cost { entities: 1, ..slot.state.cost(slot.scene) });
            if slot.is_set() {
                self.changes.death(slot.scene, slots);
            }
            slot.state = State::Vacant;
            self.vacant.push(index);
        }
        self.number(scene).versions = versions;
        self.reusable.died(scene);
    }

    /// The highest dead version of every number that has one.
    pub fn deaths(&self) -> impl Iterator<Item = SceneEntity> {
        self.numbers.iter().filter_map(|(&key, number)| dead_entity(key, number))
    }

    /// The slots written since the last call.
    pub fn take_unsent(&mut self) -> Vec<SlotIndex> {
        let mut unsent = std::mem::take(&mut self.unsent);
        unsent.retain(|&index| {
            let slot = &mut self.slots[index as usize];
            slot.unsent = false;
            slot.is_set()
        });
        unsent
    }

    /// The deaths since the last call: the highest dead version of every number that had one.
    pub fn take_unsent_deaths(&mut self) -> Vec<SceneEntity> {
        let keys = std::mem::take(&mut self.unsent_deaths);
        let mut death = |key: u64| {
            let number = self.numbers.get_mut(&key)?;
            number.unsent = false;
            dead_entity(key, number)
        };
        keys.into_iter().filter_map(&mut death).collect()
    }

    /// Whether the cursor is of these entities.
    pub fn is_followed_by(&self, cursor: &ChangeCursor) -> bool {
        self.changes.is_of(cursor)
    }

    /// Visits the changes that the cursor has not read: entities, each with its slot if it lives.
    /// Returns whether these are all entities that there are.
    pub fn for_each_change(
        &self,
        cursor: &ChangeCursor,
        mut visit: impl FnMut(SceneEntity, Option<&Slot>),
    ) -> bool {
        let Some(epochs) = self.changes.unread(cursor) else {
            let set = self.slots.iter().filter(|slot| slot.is_set());
            set.for_each(|slot| visit(slot.scene, Some(slot)));
            return true;
        };
        for (number, epoch) in epochs {
            epoch.died.iter().for_each(|&scene| visit(scene, None));
            for &index in &epoch.slots {
                let slot = self.slot(index);
                // A slot that was logged again is in a later epoch, too.
                if slot.logged == number && slot.is_set() {
                    visit(slot.scene, Some(slot));
                }
            }
        }
        false
    }

    /// The cursor has read all changes.
    pub fn finish_reading(&mut self, cursor: &mut ChangeCursor) {
        if !self.changes.advance(cursor, self.slots.len()) {
            self.slots.iter_mut().for_each(|slot| slot.logged = 0);
        }
    }
}
