//! One correction a key and report, for any number of messages that lost.
//!
//! A report's corrections are a round, from the first one until they are taken. The replica
//! marks the slots of the last round. That is enough for the report that began it.
//! Other reports, and components other than `Transform`, keep a set of keys.

use hashbrown::HashSet;

use super::{entities::Entities, replica::Replica, slot::SlotIndex};
use crate::wire::{Key, Message, Reader, TRANSFORM};

/// The bytes of corrections that a sender may still cause: so that no stream of short messages,
/// each of which loses to a long value, gets much more than it sends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Credit(pub usize);

impl Default for Credit {
    fn default() -> Self {
        Self(64 << 10)
    }
}

impl Credit {
    /// A correction of a `Transform` is at most 3.4 times as long as a message that loses to it.
    const FACTOR: usize = 4;

    pub fn earn(&mut self, received: usize) {
        self.0 = self.0.saturating_add(received.saturating_mul(Self::FACTOR));
    }

    #[inline]
    pub fn spend(&mut self, sent: usize) {
        self.0 -= sent;
    }
}

/// How a message that loses is noted.
#[derive(Clone, Copy)]
pub(super) enum Round {
    /// Not at all.
    None,
    /// Nothing is added any more.
    Full,
    Open,
}

impl Round {
    /// Notes that a slot is corrected. Returns whether it was in this round.
    #[inline]
    pub fn note(self, entities: &mut Entities, index: SlotIndex) -> bool {
        match self {
            Self::None => false,
            Self::Full => entities.slot(index).is_corrected,
            Self::Open => entities.note_corrected(index),
        }
    }

    /// The same round. Without room for an answer it is full: the answer is not noted as given.
    #[inline]
    pub fn with_room(self, has_room: bool) -> Self {
        match self {
            Self::Open if !has_room => Self::Full,
            _ => self,
        }
    }
}

/// The keys of a report's corrections.
#[derive(Clone, Debug, Default)]
pub(super) struct Corrected {
    /// The replica and its round.
    round: (u64, u64),
    /// Whether the slots alone do not know all `Transform`s in the report.
    keeps_transforms: bool,
    keys: HashSet<Key>,
}

/// All are equal: the memory of corrections is not a part of a report's value.
impl PartialEq for Corrected {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Corrected {}

impl Corrected {
    /// The message's key, if the slots do not know whether it is in the report.
    #[inline]
    fn key(&self, winner: &Message<'_>) -> Option<Key> {
        winner.key().filter(|key| key.component != TRANSFORM || self.keeps_transforms)
    }

    /// Whether a key is in the set that completes the slots.
    #[inline]
    pub fn has(&self, winner: &Message<'_>) -> bool {
        self.key(winner).is_some_and(|key| self.keys.contains(&key))
    }

    #[inline]
    pub fn insert(&mut self, winner: &Message<'_>) {
        if let Some(key) = self.key(winner) {
            self.keys.insert(key);
        }
    }
}

impl Replica {
    /// Goes on with a report's round of corrections, or begins one. `corrections` are the messages
    /// in the report, `corrected` their keys.
    pub(super) fn begin_round(&mut self, corrections: &[u8], corrected: &mut Corrected) -> Round {
        let id = self.clock.id();
        if corrections.is_empty() {
            self.round += 1;
            self.entities.clear_corrected();
            (corrected.round, corrected.keeps_transforms) = ((id, self.round), false);
            corrected.keys.clear();
        } else if corrected.round != (id, self.round) && !corrected.keeps_transforms {
            // Another report came between, so the slots are of that one.
            corrected.keeps_transforms = true;
            let mut reader = Reader::new(usize::MAX);
            let messages = reader.read(corrections).into_iter().flatten();
            corrected.keys.extend(messages.filter_map(|message| message.ok()?.key()));
        }
        if corrected.keeps_transforms { Round::None } else { Round::Open }
    }
}
