//! Who exists, who died, and everybody's `Transform`.
//!
//! An entity is found through its number: one lookup tells the versions that exist, with the place of each, and the versions
//! that died. Places are slots of one dense list, so that what is merged often lies together.

use hashbrown::HashMap;
use smallvec::SmallVec;

use crate::decentraland::wire::{EntityId, Message, SceneEntity, SceneTransform, TRANSFORM};

/// A place in the list of slots.
pub(in crate::decentraland) type SlotIndex = u32;

/// In which lists of changed slots a slot stands.
const UNSENT: u8 = 1;
const CHANGED: u8 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nobody's; to be used again.
    Vacant,
    /// The entity has other components only.
    Unset,
    /// Holds the timestamp of the deletion.
    Deleted,
    Live,
}

/// An entity and its `Transform`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub scene: SceneEntity,
    pub timestamp: u32,
    pub state: State,
    listed: u8,
    pub bytes: [u8; SceneTransform::LEN],
}

impl Slot {
    /// Its state as a message; for slots that are live or deleted.
    pub fn message(&self) -> Message<'_> {
        let (network, entity, component, timestamp) =
            (self.scene.network_id(), self.scene.entity, TRANSFORM, self.timestamp);
        match self.state {
            State::Live => Message::PutComponent { network, entity, component, timestamp, data: &self.bytes },
            _ => Message::DeleteComponent { network, entity, component, timestamp },
        }
    }

    pub fn is_set(&self) -> bool {
        matches!(self.state, State::Live | State::Deleted)
    }
}

/// An entity number: which of its versions exist, and which died.
#[derive(Clone, Debug, Default)]
struct Number {
    /// The lowest version that may live.
    alive_from: u32,
    /// Whether its death stands in the list of unsent ones.
    unsent: bool,
    /// Sorted. Nearly always one: numbers are reused after a death.
    versions: SmallVec<[(u16, SlotIndex); 2]>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Entities {
    numbers: HashMap<u64, Number>,
    slots: Vec<Slot>,
    vacant: Vec<SlotIndex>,
    unsent: Vec<SlotIndex>,
    unsent_deaths: Vec<u64>,
    changed: Option<Changed>,
}

#[derive(Clone, Debug, Default)]
struct Changed {
    slots: Vec<SlotIndex>,
    died: Vec<SceneEntity>,
}

fn number_key(scene: SceneEntity) -> u64 {
    u64::from(scene.network) << 16 | u64::from(scene.entity.number())
}

/// The highest version of the number that died.
fn dead_entity(key: u64, number: &Number) -> Option<SceneEntity> {
    let version = number.alive_from.checked_sub(1)?;
    Some(SceneEntity { network: (key >> 16) as u32, entity: EntityId::new(key as u16, version as u16) })
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
        let versions = &self.numbers.get(&number_key(scene))?.versions;
        let place = versions.binary_search_by_key(&scene.entity.version(), |&(version, _)| version).ok()?;
        Some(versions[place].1)
    }

    /// The entity's slot, a new one if it has none; `None` if it is dead.
    #[inline]
    pub fn find_or_insert(&mut self, scene: SceneEntity) -> Option<SlotIndex> {
        let version = scene.entity.version();
        let number = self.numbers.entry(number_key(scene)).or_default();
        match number.versions.binary_search_by_key(&version, |&(version, _)| version) {
            Ok(place) => Some(number.versions[place].1),
            Err(_) if u32::from(version) < number.alive_from => None,
            Err(place) => {
                let index = self.vacant.pop().unwrap_or(self.slots.len() as SlotIndex);
                number.versions.insert(place, (version, index));
                let unset = Slot { scene, timestamp: 0, state: State::Unset, listed: 0, bytes: [0; SceneTransform::LEN] };
                match self.slots.get_mut(index as usize) {
                    // A slot that stands in a list goes on standing there: whoever takes it changes it.
                    Some(slot) => *slot = Slot { listed: slot.listed, ..unset },
                    None => self.slots.push(unset),
                }
                Some(index)
            }
        }
    }

    /// Replaces an entity's `Transform`, by a tombstone if there is no value.
    #[inline]
    pub fn write(&mut self, index: SlotIndex, timestamp: u32, value: Option<&[u8; SceneTransform::LEN]>) {
        let slot = &mut self.slots[index as usize];
        slot.timestamp = timestamp;
        match value {
            Some(bytes) => (slot.state, slot.bytes) = (State::Live, *bytes),
            None => slot.state = State::Deleted,
        }
        if slot.listed & UNSENT == 0 {
            slot.listed |= UNSENT;
            self.unsent.push(index);
        }
        if let Some(changed) = &mut self.changed
            && slot.listed & CHANGED == 0
        {
            slot.listed |= CHANGED;
            changed.slots.push(index);
        }
    }

    /// The highest version of the entity's number that died.
    pub fn death(&self, scene: SceneEntity) -> Option<u16> {
        let number = self.numbers.get(&number_key(scene))?;
        number.alive_from.checked_sub(1).map(|version| version as u16)
    }

    pub fn is_dead(&self, scene: SceneEntity) -> bool {
        self.death(scene).is_some_and(|version| version >= scene.entity.version())
    }

    /// Kills the entity and those with its number and a lower version, and tells who that was.
    pub fn kill(&mut self, scene: SceneEntity, mut died: impl FnMut(SceneEntity)) {
        let key = number_key(scene);
        let number = self.numbers.entry(key).or_default();
        number.alive_from = u32::from(scene.entity.version()) + 1;
        if !number.unsent {
            number.unsent = true;
            self.unsent_deaths.push(key);
        }
        let dead = number.versions.partition_point(|&(version, _)| version <= scene.entity.version());
        for (_, index) in number.versions.drain(..dead) {
            let slot = &mut self.slots[index as usize];
            if let Some(changed) = &mut self.changed
                && slot.is_set()
            {
                changed.died.push(slot.scene);
            }
            died(slot.scene);
            slot.state = State::Vacant;
            self.vacant.push(index);
        }
    }

    /// The highest dead version of every number that has one.
    pub fn deaths(&self) -> impl Iterator<Item = SceneEntity> {
        self.numbers.iter().filter_map(|(&key, number)| dead_entity(key, number))
    }

    /// What was written since the last call.
    pub fn take_unsent(&mut self) -> Vec<SlotIndex> {
        let mut unsent = std::mem::take(&mut self.unsent);
        unsent.retain(|&index| {
            let slot = &mut self.slots[index as usize];
            slot.listed &= !UNSENT;
            slot.is_set()
        });
        unsent
    }

    /// Who died since the last call: the highest dead version of every number concerned.
    pub fn take_unsent_deaths(&mut self) -> Vec<SceneEntity> {
        let keys = std::mem::take(&mut self.unsent_deaths);
        let mut death = |key: u64| {
            let number = self.numbers.get_mut(&key)?;
            number.unsent = false;
            dead_entity(key, number)
        };
        keys.into_iter().filter_map(&mut death).collect()
    }

    pub fn watch(&mut self) {
        let mut slots = Vec::new();
        for (index, slot) in (0..).zip(&mut self.slots) {
            slot.listed &= !CHANGED;
            if slot.is_set() {
                slot.listed |= CHANGED;
                slots.push(index);
            }
        }
        self.changed = Some(Changed { slots, died: Vec::new() });
    }

    /// Whose `Transform` changed since the last call, with the slots of those that live.
    pub fn take_changed(&mut self) -> Vec<(SceneEntity, Option<SlotIndex>)> {
        let Some(changed) = &mut self.changed else { return Vec::new() };
        let mut entities: Vec<_> = std::mem::take(&mut changed.died).into_iter().map(|scene| (scene, None)).collect();
        entities.reserve(changed.slots.len());
        for index in changed.slots.drain(..) {
            let slot = &mut self.slots[index as usize];
            slot.listed &= !CHANGED;
            if slot.is_set() {
                entities.push((slot.scene, Some(index)));
            }
        }
        entities
    }
}
