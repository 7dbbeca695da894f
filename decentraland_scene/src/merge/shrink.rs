//! Memory that is not needed any more, given back.
//!
//! ```text
//!  slots   [512] vacant [513] vacant       logs, and versions of numbers, name slots 0 and 2
//!  then    [512] [513]                     they name slots 0 and 1
//! ```

use super::{
    encoded::Encoded,
    entities::Entities,
    replica::Replica,
    slot::{SlotIndex, State},
    slot_set::SlotSet,
};

impl Replica {
    /// Gives back the memory of entities that died and of changes that were made again. Call it
    /// when much has died, for example when a scene was left. It takes about as long as a
    /// [dump](Self::dump). Nothing else changes: connections go on, and followers that have read
    /// the deaths, too; others [begin anew](Self::begins_anew).
    pub fn shrink(&mut self) {
        self.entities.shrink();
        self.raw.shrink();
        self.networks.shrink();
        self.encoded = Encoded::default();
        self.looks.shrink(self.entities.slots().len());
    }
}

/// The place of a vacant slot.
const NONE: SlotIndex = SlotIndex::MAX;

impl Entities {
    fn shrink(&mut self) {
        let mut used = 0;
        let places = self.slots.iter().map(|slot| match slot.state {
            State::Vacant => NONE,
            _ => {
                used += 1;
                used - 1
            }
        });
        let places: Vec<SlotIndex> = places.collect();
        let place = |index: SlotIndex| places[index as usize];

        self.clean_logs();
        self.changes.move_items(place);
        self.deaths.shrink_to_fit();
        self.corrected = SlotSet::default();
        for (_, number) in self.numbers.iter_mut() {
            number.versions.move_slots(place);
        }
        self.numbers.shrink();
        self.slots.retain(|slot| slot.state != State::Vacant);
        self.slots.shrink_to_fit();
        self.vacant = Vec::new();
    }
}
