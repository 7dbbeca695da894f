//! The log of changes, for any number of readers.
//!
//! ```text
//!  clock   epoch 5, from a   epoch 6, ours   epoch 7 (now)
//!  log     slot 3, slot 9    slot 9          slot 4, slot 3
//!          ^ no longer counts: slots 3 and 9 remember that they changed again in 7 and 6
//!                            ^ cursor of a reader: it reads 6 and 7, and the next epoch begins
//! ```
//!
//! What changed remembers its last epoch, so each change counts once. The log does not know its
//! readers. When it is twice as long as the state, the entries that no longer count are dropped. So
//! every change that counts is in it, for readers that read rarely, too.

use std::sync::atomic::{AtomicU64, Ordering};

/// The id of a replica. A clone has another one: from now on they change apart.
#[derive(Debug, PartialEq, Eq)]
struct ReplicaId(u64);

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
/// [`for_each_change`](super::Replica::for_each_change). It belongs to the replica it was last used
/// with; with another one, it begins anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeCursor {
    replica: u64,
    /// The first epoch that was not read.
    epoch: u32,
}

impl ChangeCursor {
    /// Whether it has never read.
    pub(super) fn is_new(&self) -> bool {
        self.replica == 0
    }

    /// A reader that has to read everything again, also what it would not have to if it had never
    /// read.
    pub(super) const REWOUND: Self = Self { replica: u64::MAX, epoch: 0 };
}

/// Where changes come from: 0 is this replica, others are connections.
pub(super) type Source = u32;

/// When and from where a change came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    pub epoch: u32,
    pub source: Source,
}

/// The epochs of a replica. An epoch ends when a reader has read it, and when changes begin to come
/// from elsewhere.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    id: ReplicaId,
    now: Stamp,
    /// Whether anything was stamped with the current epoch.
    used: bool,
}

impl Default for Clock {
    fn default() -> Self {
        Self { id: ReplicaId::default(), now: Stamp { epoch: 1, source: 0 }, used: false }
    }
}

impl Clock {
    /// The replica.
    pub fn id(&self) -> u64 {
        self.id.0
    }

    #[inline]
    pub fn epoch(&self) -> u32 {
        self.now.epoch
    }

    /// The current epoch, to stamp a change with.
    #[inline]
    pub fn stamp(&mut self) -> Stamp {
        self.used = true;
        self.now
    }

    /// From now on, changes come from here.
    pub fn set_source(&mut self, source: Source) {
        if self.now.source != source {
            self.end_epoch();
            self.now.source = source;
        }
    }

    /// The first epoch that a cursor has not read: 0 if it has read nothing of this replica.
    pub fn unread(&self, cursor: &ChangeCursor) -> u32 {
        if cursor.replica == self.id.0 { cursor.epoch } else { 0 }
    }

    /// The first epoch after all that was written.
    pub fn end(&self) -> u32 {
        self.now.epoch + u32::from(self.used)
    }

    /// The cursor of a reader that has read everything.
    pub fn read_all(&mut self) -> ChangeCursor {
        self.end_epoch();
        ChangeCursor { replica: self.id.0, epoch: self.now.epoch }
    }

    /// Whether epochs are used up. Then the replica begins anew, and all its readers with it.
    pub fn is_exhausted(&self) -> bool {
        // Before anything is stamped again, two epochs can end.
        self.now.epoch >= u32::MAX - 2
    }

    /// Goes on with this epoch.
    #[cfg(test)]
    pub fn skip_to(&mut self, epoch: u32) {
        self.now.epoch = epoch;
    }

    fn end_epoch(&mut self) {
        self.now.epoch += u32::from(std::mem::take(&mut self.used));
    }
}

/// A change: what changed, when, and from where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<T> {
    pub item: T,
    pub stamp: Stamp,
}

/// Changes in the order of their epochs.
///
/// ```text
///  items   3 9 9 4 3
///  runs    5 at 0, 6 at 2, 7 at 3
/// ```
#[derive(Clone, Debug)]
pub(super) struct Log<T> {
    items: Vec<T>,
    /// The stamp of each epoch with changes, and where its items begin.
    runs: Vec<(Stamp, usize)>,
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self { items: Vec::new(), runs: Vec::new() }
    }
}

impl<T: Copy> Log<T> {
    /// Adds a change.
    #[inline]
    pub fn push(&mut self, item: T, stamp: Stamp) {
        if self.runs.last().is_none_or(|(last, _)| last.epoch != stamp.epoch) {
            self.runs.push((stamp, self.items.len()));
        }
        self.items.push(item);
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn last(&self) -> Option<Entry<T>> {
        Some(Entry { item: *self.items.last()?, stamp: self.runs.last()?.0 })
    }

    /// Whether the log should be [cleaned](Self::clean), if at most this number of entries can
    /// count.
    #[inline]
    pub fn is_long(&self, counting: usize) -> bool {
        self.items.len() > 2 * counting + 1024
    }

    /// Drops the entries that do not count.
    pub fn clean(&mut self, counts: impl FnMut(&Entry<T>) -> bool) {
        *self = self.since(0).filter(counts).collect();
    }

    /// Drops the older half. Returns the first epoch of which nothing was ever dropped.
    pub fn forget_half(&mut self) -> u32 {
        let half = self.items.len().div_ceil(2);
        let last = self.since(0).take(half).last();
        *self = self.since(0).skip(half).collect();
        last.map_or(0, |entry| entry.stamp.epoch + 1)
    }

    /// The changes from an epoch on.
    pub fn since(&self, epoch: u32) -> impl Iterator<Item = Entry<T>> {
        let first = self.runs.partition_point(|(stamp, _)| stamp.epoch < epoch);
        let ends = self.runs.iter().skip(first + 1).map(|&(_, start)| start);
        let runs = self.runs[first..].iter().zip(ends.chain([self.items.len()]));
        runs.flat_map(|(&(stamp, start), end)| {
            self.items[start..end].iter().map(move |&item| Entry { item, stamp })
        })
    }
}

impl<T: Copy> FromIterator<Entry<T>> for Log<T> {
    fn from_iter<I: IntoIterator<Item = Entry<T>>>(entries: I) -> Self {
        let mut log = Self::default();
        entries.into_iter().for_each(|entry| log.push(entry.item, entry.stamp));
        log
    }
}
