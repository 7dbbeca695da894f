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

use hashbrown::HashSet;

use super::{
    departures::Departures,
    limits::{Budget, Cost, LimitKind},
    log::{Clock, Entry, Log, Stamp},
    number::{Number, Numbers, version},
    numbers::Reusable,
    slot::{Slot, SlotIndex, State},
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
    pub(super) numbers: Numbers,
    pub(super) slots: Vec<Slot>,
    pub(super) vacant: Vec<SlotIndex>,
    networks: HashSet<u32>,
    /// The entities that are tied to others, with a slot or not.
    tied: HashSet<SceneEntity>,
    /// The `Transform`s that changed.
    pub(super) changes: Log<SlotIndex>,
    /// The numbers of which a version died, each as an entity that has it.
    pub(super) deaths: Log<SceneEntity>,
    pub departures: Departures,
    /// The slots that the present round of corrections has; see
    /// [`corrections`](super::corrections).
    corrected: Vec<SlotIndex>,
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
        self.numbers.get(scene)?.versions.get(version(scene))
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
        if let Some(number) = self.numbers.get(scene) {
            if let Some(index) = number.versions.get(version(scene)) {
                return Ok(index);
            }
            if u32::from(version(scene)) < number.alive_from && !scene.is_reserved() {
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
        self.number(scene).versions.insert(version(scene), index);
        let mut slot = Slot::new(scene);
        slot.is_tied = !self.tied.is_empty() && self.tied.contains(&scene);
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
    pub(super) fn cost_of_network(&self, scene: SceneEntity) -> isize {
        isize::from(scene.network.is_some_and(|network| !self.networks.contains(&network)))
    }

    /// The entity's number, from now on known.
    #[inline(always)]
    pub(super) fn number(&mut self, scene: SceneEntity) -> &mut Number {
        if let Some(network) = scene.network {
            self.networks.insert(network);
        }
        self.numbers.entry(scene)
    }

    /// Notes whether an entity is tied to others.
    pub fn set_tied(&mut self, scene: SceneEntity, is_tied: bool) {
        if is_tied {
            self.tied.insert(scene);
        } else {
            self.tied.remove(&scene);
        }
        if let Some(index) = self.find(scene) {
            self.slots[index as usize].is_tied = is_tied;
        }
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

    /// Logs everything anew, in the first epoch of a new clock.
    pub fn log_all(&mut self, clock: &mut Clock) {
        (self.changes, self.deaths) = Default::default();
        self.departures.forget();
        for (index, slot) in (0..).zip(&mut self.slots) {
            slot.logged = 0;
            if slot.is_set() {
                slot.logged = clock.stamp().epoch;
                self.changes.push(index, clock.stamp());
            }
        }
        let dead = self.numbers.iter_mut().filter(|(_, number)| number.alive_from > 0);
        for (scene, number) in dead.filter(|(scene, _)| !scene.is_reserved()) {
            number.logged = clock.stamp().epoch;
            self.deaths.push(scene, clock.stamp());
        }
    }

    /// The highest version of the entity's number that is alive.
    pub fn alive(&self, scene: SceneEntity) -> Option<u16> {
        self.numbers.get(scene)?.versions.highest()
    }

    /// Whether a version of the entity's number is alive. A reserved one needs a `Transform`, which
    /// only a host writes: otherwise any scene could use up the numbers of players.
    pub fn is_in_use(&self, scene: SceneEntity) -> bool {
        let number = self.numbers.get(scene);
        let mut alive = number.into_iter().flat_map(|number| number.versions.up_to(u16::MAX));
        alive.any(|index| !scene.is_reserved() || self.slot(index).is_set())
    }

    /// Notes that the present round of corrections has a slot. Returns whether it had it.
    #[inline]
    pub fn note_corrected(&mut self, index: SlotIndex) -> bool {
        let had = std::mem::replace(&mut self.slots[index as usize].is_corrected, true);
        if !had {
            self.corrected.push(index);
        }
        had
    }

    /// Begins a round of corrections.
    pub fn clear_corrected(&mut self) {
        for index in self.corrected.drain(..) {
            self.slots[index as usize].is_corrected = false;
        }
    }
}

/// Whether an entry of the log is the last change of its slot.
fn counts(slot: &Slot, entry: &Entry<SlotIndex>) -> bool {
    slot.logged == entry.stamp.epoch && slot.is_set()
}
