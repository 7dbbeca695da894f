//! One correction a key and report, whatever the number of messages that lost.
//!
//! A report's corrections are a round, from the first one until they are taken. A slot remembers the last round that it is in, which
//! costs nothing, since it was just compared. That is enough for the report that began the last round. Others, and components
//! other than `Transform`, keep a set of keys.

use hashbrown::HashSet;

use super::{
    MergeReport, Replica,
    entities::{Entities, SlotIndex},
};
use crate::decentraland::wire::{Key, Message, Reader, TRANSFORM};

/// A round of corrections, as slots remember it.
#[derive(Clone, Copy)]
pub(super) struct Round {
    /// 0 for none.
    mark: u16,
    is_full: bool,
}

impl Round {
    pub const NONE: Self = Self { mark: 0, is_full: true };

    /// Likewise, for whom nothing is added to it any more.
    pub fn full(self) -> Self {
        Self { is_full: true, ..self }
    }

    /// Notes that a slot is corrected. Returns whether it was in this round.
    #[inline]
    pub fn note(self, entities: &mut Entities, index: SlotIndex) -> bool {
        match self {
            Self { mark: 0, .. } => false,
            Self { mark, is_full: true } => entities.is_corrected(index, mark),
            Self { mark, is_full: false } => entities.correct(index, mark),
        }
    }
}

/// What is in the corrections of a report.
#[derive(Clone, Debug, Default)]
pub(super) struct Corrected {
    /// The replica and its round.
    round: (u64, u64),
    /// Whether slots alone do not tell which `Transform`s there are.
    keeps_transforms: bool,
    keys: HashSet<Key>,
}

/// How corrections are remembered is no part of what a report says.
impl PartialEq for Corrected {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Corrected {}

impl Corrected {
    /// The message's key, if slots do not tell whether it is there.
    #[inline]
    fn key(&self, winner: &Message<'_>) -> Option<Key> {
        winner.key().filter(|key| key.component != TRANSFORM || self.keeps_transforms)
    }

    /// Whether a key is there, as far as slots do not tell.
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
    /// Goes on with the report's round of corrections, or begins one.
    pub(super) fn begin_round(&mut self, report: &mut MergeReport) -> Round {
        const MARKS: u64 = u16::MAX as u64;
        let MergeReport { corrections, corrected, .. } = report;
        let id = self.entities.id();
        if corrections.is_empty() {
            self.round += 1;
            if self.round.is_multiple_of(MARKS) {
                self.entities.forget_corrections();
            }
            (corrected.round, corrected.keeps_transforms) = ((id, self.round), false);
            corrected.keys.clear();
        } else if corrected.round != (id, self.round) && !corrected.keeps_transforms {
            // Another report came between, so that slots tell of that one.
            corrected.keeps_transforms = true;
            let mut reader = Reader::new(usize::MAX);
            let messages = reader.read(corrections).into_iter().flatten();
            corrected.keys.extend(messages.filter_map(|message| message.ok()?.key()));
        }
        if corrected.keeps_transforms {
            return Round::NONE;
        }
        Round { mark: (self.round % MARKS) as u16 + 1, is_full: false }
    }
}
