//! Accelerator: reading Legion's counter of versions, for the account of `closing.rs`.
//!
//! To read it is to advance it, so that the reads of one account are bumps to another. Each thread
//! counts its reads, so that those between two reads on one thread are told from bumps. Reads of
//! other threads are not: they look like bumps, so that the account stays open, which is the safe
//! side. Reads that nothing came between form a block:
//!
//! ```text
//!  counter   40  41  42   43    44    45   46   47
//!            an insertion  read  read  a write  read
//!                         [   block  ]         [ block
//! ```
#![allow(unsafe_code)]

use std::{
    cell::Cell,
    sync::atomic::{AtomicU64, Ordering},
};

use legion::{
    query::{Fetch, Read, View},
    storage::{ArchetypeIndex, ComponentStorage, PackedStorage, UnknownComponentStorage},
};

/// A read, as far as the next one needs it.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    /// The value of the counter, which no column will ever have as its version.
    pub value: u64,
    /// Which thread it was, and how often that has read.
    thread: u64,
    reads: u64,
    /// The first value of its block.
    pub first: u64,
}

/// The reads of one thread.
struct Reads {
    /// 0 before the first.
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
            // The value before the first is the last one there is, so that 0 continues a block like
            // any other.
            first: Cell::new(u64::MAX),
            last: Cell::new(u64::MAX),
            previous_first: Cell::new(u64::MAX),
            previous_last: Cell::new(u64::MAX),
        }
    };
}

impl Reading {
    /// How often anything but reads that are known of moved the counter since an earlier read.
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

/// A column of no rows, in a storage of its own, to be written in vain.
pub(super) struct Probe(PackedStorage<Nothing>);

struct Nothing;

const COLUMN: ArchetypeIndex = ArchetypeIndex(0);

impl Probe {
    pub fn new() -> Self {
        let mut storage = PackedStorage::default();
        storage.insert_archetype(COLUMN, None);
        Self(storage)
    }

    /// Advances the counter.
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

    #[inline]
    fn advance(&mut self) -> u64 {
        // SAFETY: the storage is this probe's own and borrowed exclusively, and the pointer to its
        // rows is dropped.
        unsafe { self.0.get_mut_raw(COLUMN) };
        let slice = self.0.get(COLUMN).expect("inserted when the probe was made");
        // Legion shows versions to filters, which see a fetch.
        let fetch: <Read<Nothing> as View<'_>>::Fetch = From::from(slice);
        fetch.version::<Nothing>().expect("the fetch is of this component")
    }
}

#[cold]
fn number_thread() -> u64 {
    static THREADS: AtomicU64 = AtomicU64::new(0);
    THREADS.fetch_add(1, Ordering::Relaxed) + 1
}
