//! Reading Legion's counter of versions: whether anything has happened, and for the account of
//! `closing.rs`.
//!
//! To read the counter is to advance it, so the reads of one world's log look like bumps to
//! another's. Each thread counts its reads: 7 values between two reads on one thread, with 2 reads
//! of other worlds among them, are 5 bumps. Reads on other threads count as bumps: the safe side.
//! Reads with nothing in between form a *block*:
//!
//! ```text
//!  counter   40 41 42        43     44     45        46
//!            3 bumps         read   read   a write   read
//!                            [  block  ]             [ block ...
//! ```
//!
//! The bumps of the insertion end at 42, right before the block, whichever world the reads are of.
#![allow(unsafe_code)]

use std::{
    cell::Cell,
    sync::atomic::{AtomicU64, Ordering},
};

use legion::{
    query::{Fetch, Read, View},
    storage::{ArchetypeIndex, ComponentStorage, PackedStorage, UnknownComponentStorage},
};

use crate::components::LocalToWorld;

/// A read of the counter.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    /// The value of the counter, which no column will ever have as its version.
    pub value: u64,
    /// The number of the thread, and how many reads it has made.
    thread: u64,
    reads: u64,
    /// The first value of its block.
    pub first: u64,
}

/// The reads of one thread.
struct Reads {
    /// The thread's own number; 0 before its first read.
    thread: Cell<u64>,
    count: Cell<u64>,
    /// The first and the last value of the last block, and of the one before.
    first: Cell<u64>,
    last: Cell<u64>,
    previous_first: Cell<u64>,
    previous_last: Cell<u64>,
}

thread_local! {
    static READS: Reads = const {
        Reads {
            thread: Cell::new(0),
            count: Cell::new(0),
            // The counter begins with 0. `u64::MAX`, plus 1 with overflow, is 0: no special case.
            first: Cell::new(u64::MAX),
            last: Cell::new(u64::MAX),
            previous_first: Cell::new(u64::MAX),
            previous_last: Cell::new(u64::MAX),
        }
    };
}

impl Reading {
    /// How many bumps there were since an earlier read: all of them but known reads.
    #[inline]
    pub fn bumps_since(&self, earlier: &Self) -> u64 {
        let known = if self.thread == earlier.thread { self.reads - earlier.reads } else { 1 };
        self.value - earlier.value - known
    }

    /// The last value of an earlier read's block, if this read, on the same thread, is of the next.
    #[inline]
    pub fn end_of(&self, earlier: &Self) -> Option<u64> {
        READS.with(|reads| {
            let is_previous =
                self.thread == earlier.thread && reads.previous_first.get() == earlier.first;
            is_previous.then(|| reads.previous_last.get())
        })
    }
}

/// A column without rows, in a storage of its own. To borrow it for writing raises the counter.
pub(super) struct Probe(PackedStorage<LocalToWorld>);

const COLUMN: ArchetypeIndex = ArchetypeIndex(0);

impl Probe {
    pub fn new() -> Self {
        let mut storage = PackedStorage::default();
        storage.insert_archetype(COLUMN, None);
        Self(storage)
    }

    /// Reads the counter, and adds the read to the thread's block or begins a new block.
    #[inline]
    pub fn read(&mut self) -> Reading {
        let value = self.advance();
        READS.with(|reads| {
            if value != reads.last.get().wrapping_add(1) {
                reads.previous_first.set(reads.first.replace(value));
                reads.previous_last.set(reads.last.get());
            }
            reads.last.set(value);
            reads.count.set(reads.count.get() + 1);
            if reads.thread.get() == 0 {
                reads.thread.set(number_thread());
            }
            Reading {
                value,
                thread: reads.thread.get(),
                reads: reads.count.get(),
                first: reads.first.get(),
            }
        })
    }

    /// Advances the counter. Returns the value that this has taken.
    #[inline]
    fn advance(&mut self) -> u64 {
        // SAFETY: the storage is this probe's own and borrowed exclusively, and the pointer to its
        // rows is dropped.
        unsafe { self.0.get_mut_raw(COLUMN) };
        let slice = self.0.get(COLUMN).expect("inserted when the probe was made");
        // Legion shows versions to query filters only, and filters see a fetch.
        let fetch: <Read<LocalToWorld> as View<'_>>::Fetch = From::from(slice);
        fetch.version::<LocalToWorld>().expect("the fetch is of this component")
    }
}

#[cold]
fn number_thread() -> u64 {
    static THREADS: AtomicU64 = AtomicU64::new(0);
    THREADS.fetch_add(1, Ordering::Relaxed) + 1
}
