//! The log of changed `Transform`s, for any number of followers.
//!
//! ```text
//!  epoch     5            6             7 (current)
//!  slots     [3, 9]       [9]           [4, 3]        slot 3 changed again in 7:
//!  died      [512]        []            []            its entry in 5 no longer counts
//!                         ^ cursor of a follower: it reads 6 and 7, and begins 8
//! ```
//!
//! The log does not know its followers. It keeps a bounded number of changes; a follower that is
//! too far behind reads the whole state.

use std::{
    collections::VecDeque,
    sync::atomic::{AtomicU64, Ordering},
};

use super::slot::SlotIndex;
use crate::wire::SceneEntity;

/// The id of a replica. A clone has another one: from now on they change apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ReplicaId(u64);

impl Default for ReplicaId {
    fn default() -> Self {
        // 0 is the id of a cursor that has read nothing.
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self(LAST.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

impl Clone for ReplicaId {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// How far a follower has read the changes of a replica, for
/// [`for_each_change`](super::Replica::for_each_change). It belongs to the replica it was
/// last used with; with another one, it begins anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeCursor {
    replica: u64,
    /// The first epoch that was not read.
    epoch: u32,
}

/// The changes of one epoch.
#[derive(Clone, Debug, Default)]
pub(super) struct Epoch {
    pub slots: Vec<SlotIndex>,
    pub died: Vec<SceneEntity>,
}

impl Epoch {
    fn len(&self) -> usize {
        self.slots.len() + self.died.len()
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct ChangeLog {
    id: ReplicaId,
    /// The last of `epochs`; 0 while there is no follower, and then nothing is logged.
    current: u32,
    epochs: VecDeque<Epoch>,
}

impl ChangeLog {
    /// How many epochs are kept, and how many changes at least.
    const EPOCHS: usize = 64;
    const CHANGES: usize = 1024;

    /// The replica.
    pub fn id(&self) -> u64 {
        self.id.0
    }

    /// The epoch that a slot has to be marked with when it is logged.
    #[inline]
    pub fn current(&self) -> u32 {
        self.current
    }

    /// Logs a slot that does not stand in the current epoch.
    pub fn slot(&mut self, index: SlotIndex) {
        if let Some(epoch) = self.epochs.back_mut() {
            epoch.slots.push(index);
        }
    }

    /// Logs a death. Without a reader, deaths do not collect for ever: beyond the number of slots,
    /// they are forgotten.
    pub fn death(&mut self, scene: SceneEntity, slots: usize) {
        let Some(epoch) = self.epochs.back_mut() else { return };
        epoch.died.push(scene);
        if epoch.died.len() > slots.max(Self::CHANGES) {
            self.epochs.clear();
            self.begin(slots);
        }
    }

    /// Whether a cursor is of this replica.
    pub fn is_of(&self, cursor: &ChangeCursor) -> bool {
        cursor.replica == self.id.0
    }

    /// The epochs that the cursor has not read, and the number of the first of them. `None` if they
    /// are no longer kept.
    pub fn unread(&self, cursor: &ChangeCursor) -> Option<impl Iterator<Item = (u32, &Epoch)>> {
        // The number of the first epoch that is kept: the current one is the last of them.
        let first = self.current.checked_sub(self.epochs.len() as u32)? + 1;
        let skipped = cursor.epoch.checked_sub(first)?;
        self.is_of(cursor).then(|| (cursor.epoch..).zip(self.epochs.iter().skip(skipped as usize)))
    }

    /// Call when the cursor has read everything. Returns false if epochs are used up: then mark all
    /// slots with epoch 0.
    pub fn advance(&mut self, cursor: &mut ChangeCursor, slots: usize) -> bool {
        let counts = self.current < u32::MAX;
        if !counts {
            *self = Self::default();
        }
        if self.epochs.back().is_none_or(|epoch| epoch.len() > 0) {
            self.begin(slots);
        }
        *cursor = ChangeCursor { replica: self.id.0, epoch: self.current };
        counts
    }

    /// Begins an epoch, and forgets the oldest ones if there are too many.
    fn begin(&mut self, slots: usize) {
        let mut changes: usize = self.epochs.iter().map(Epoch::len).sum();
        let mut next = Epoch::default();
        while self.epochs.len() >= Self::EPOCHS || changes > slots.max(Self::CHANGES) {
            let Some(oldest) = self.epochs.pop_front() else { break };
            changes -= oldest.len();
            next = oldest;
        }
        // Uses its memory again, unless it is unusually large.
        if next.slots.capacity() + next.died.capacity() > Self::CHANGES {
            next = Epoch::default();
        }
        next.slots.clear();
        next.died.clear();
        self.epochs.push_back(next);
        self.current += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(log: &mut ChangeLog, cursor: &mut ChangeCursor) -> Option<Vec<SlotIndex>> {
        let slots = log
            .unread(cursor)
            .map(|epochs| epochs.flat_map(|(_, epoch)| epoch.slots.clone()).collect());
        assert!(log.advance(cursor, 10));
        slots
    }

    #[test]
    fn followers_read_on_where_they_were() {
        let mut log = ChangeLog::default();
        let (mut often, mut rarely) = (ChangeCursor::default(), ChangeCursor::default());
        log.slot(1); // There is no follower yet.
        assert_eq!((read(&mut log, &mut often), read(&mut log, &mut rarely)), (None, None));
        for slot in 2..5 {
            log.slot(slot);
            assert_eq!(read(&mut log, &mut often), Some(vec![slot]));
            assert_eq!(read(&mut log, &mut often), Some(vec![]));
        }
        assert_eq!(read(&mut log, &mut rarely), Some(vec![2, 3, 4]));
        assert_eq!(read(&mut log.clone(), &mut rarely), None);
    }

    #[test]
    fn a_follower_too_far_behind_begins_anew() {
        let mut log = ChangeLog::default();
        let (mut often, mut never) = (ChangeCursor::default(), ChangeCursor::default());
        assert_eq!((read(&mut log, &mut often), read(&mut log, &mut never)), (None, None));
        for slot in 0..200 {
            log.slot(slot);
            assert_eq!(read(&mut log, &mut often), Some(vec![slot]));
        }
        assert!(log.epochs.len() <= ChangeLog::EPOCHS);
        assert_eq!(read(&mut log, &mut never), None);
        // Deaths without a reader.
        for _ in 0..5000 {
            log.death(SceneEntity::default(), 10);
        }
        assert!(log.epochs.iter().map(Epoch::len).sum::<usize>() <= ChangeLog::CHANGES);
        assert_eq!(read(&mut log, &mut often), None);
    }

    #[test]
    fn epochs_that_are_used_up_begin_anew() {
        let mut log = ChangeLog::default();
        let mut cursor = ChangeCursor::default();
        read(&mut log, &mut cursor);
        log.current = u32::MAX;
        cursor.epoch = u32::MAX;
        log.slot(3);
        assert!(!log.advance(&mut cursor, 10));
        assert_eq!(log.current(), 1);
        log.slot(4);
        assert_eq!(read(&mut log, &mut cursor), Some(vec![4]));
    }
}
