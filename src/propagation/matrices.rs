//! The matrices of all archetypes at once, for threads that have distinct rows of them.
//!
//! A thread visits slots, and the next slot's row may be in any archetype. So each thread can read
//! and write all columns, through raw pointers by archetype. No two threads touch one row, because
//! distinct slots have distinct rows and each slot is one thread's.
//!
//! # The parts word
//!
//! Which rows changed is a byte a row, set while all threads compute ([`RawMatrices::flags`]). Of a
//! million rows most bytes may be 0, so a word of 64 bits says where any is set: bit 2 for rows
//! 8,192 to 12,287: [`WorldChanges::part_of`] numbers parts of 4,096 rows. Row 10,000 sets bit 2;
//! row 300,000 is in part 73 and shares bit 9 with part 9.
//!
//! All threads share the word, so each reads it first and writes only a bit that is missing: at
//! most 64 writes a thread, archetype and run. If each row wrote it, its cache line would go from
//! core to core, and `hum_all` would take 2.2 times as long.
#![allow(unsafe_code)]

use std::{
    marker::PhantomData,
    ptr::{null, null_mut},
    sync::atomic::{AtomicU8, AtomicU64, Ordering},
};

use nalgebra::Matrix4;

use crate::{
    changes::WorldChanges,
    components::{LocalToParent, LocalToWorld},
    simd::prefetch,
    storage::{ChangeTracker, Columns, Mask, Row},
};

/// World and local matrices by archetype and row.
pub(crate) struct Matrices<'a> {
    archetypes: Vec<RawMatrices>,
    /// Whether changed rows are flagged one by one.
    pub flags: bool,
    exclusive: PhantomData<&'a mut LocalToWorld>,
}

/// [`Matrices`], as each thread has them.
#[derive(Clone, Copy)]
pub(crate) struct SharedMatrices<'a>(&'a [RawMatrices]);

/// The matrices of one archetype.
pub(crate) struct RawMatrices {
    world: *mut LocalToWorld,
    local: *const LocalToParent,
    len: usize,
    /// The [parts](WorldChanges::part_of) in which a world was written.
    written: AtomicU64,
    /// A byte a row, 1 where the world was written; null if rows are not flagged.
    flags: *const AtomicU8,
}

// SAFETY: only `unsafe` functions read the pointers. Their callers promise that while one thread
// writes a matrix, no other reads or writes it.
unsafe impl Send for Matrices<'_> {}
// SAFETY: as above.
unsafe impl Sync for Matrices<'_> {}

impl<'a> Matrices<'a> {
    /// The matrices of these archetypes, all of which have `LocalToWorld`.
    pub fn new(
        columns: &'a mut Columns<'_>,
        tracker: &ChangeTracker,
        members: &[u32],
        changes: Option<&'a WorldChanges>,
    ) -> Self {
        let none = || RawMatrices {
            world: null_mut(),
            local: null(),
            len: 0,
            written: AtomicU64::new(0),
            flags: null(),
        };
        let mut all: Vec<RawMatrices> =
            std::iter::repeat_with(none).take(columns.archetypes().len()).collect();
        for &index in members {
            let world = columns.write::<LocalToWorld>(index);
            let (world, len) = (world.as_mut_ptr(), world.len());
            let computed = tracker[index].mask.has(Mask::LOCAL_TO_PARENT)
                && tracker[index].writes(Mask::LOCAL_TO_WORLD);
            let local = match computed {
                true => columns.read::<LocalToParent>(index),
                false => &[],
            };
            assert!(!computed || local.len() == len, "both columns have a row for each entity");
            let local = if computed { local.as_ptr() } else { null() };
            let flags = changes.filter(|_| computed).map_or(null(), |changes| {
                let flags = changes.flags(index);
                assert_eq!(flags.len(), len, "there is a flag a row");
                flags.as_ptr()
            });
            all[index as usize] = RawMatrices { world, local, len, flags, ..none() };
        }
        Self { archetypes: all, flags: changes.is_some(), exclusive: PhantomData }
    }

    /// The archetypes in which worlds were written, each with its parts word.
    pub fn written(self) -> Vec<(u32, u64)> {
        let written = self.archetypes.into_iter().map(|matrices| matrices.written.into_inner());
        (0..).zip(written).filter(|&(_, parts)| parts != 0).collect()
    }

    /// A view for each thread.
    pub fn shared(&self) -> SharedMatrices<'_> {
        SharedMatrices(&self.archetypes)
    }
}

impl<'a> SharedMatrices<'a> {
    /// The matrices of the archetype of `row`, if the bundle computes world matrices there.
    #[inline(always)]
    pub fn computed(self, row: Row) -> Option<&'a RawMatrices> {
        self.0.get(row.archetype as usize).filter(|matrices| !matrices.local.is_null())
    }

    /// The world of a row, to be read.
    ///
    /// # Safety
    /// Nothing writes it while the reference lives.
    #[inline(always)]
    pub unsafe fn world(self, row: Row) -> &'a Matrix4<f32> {
        let matrices = &self.0[row.archetype as usize];
        matrices.check(row);
        // SAFETY: `check` passed, so the row is in bounds. The caller promises that nothing writes
        // it.
        unsafe { &(*matrices.world.add(row.row as usize)).0 }
    }

    /// Begins to load the matrices of a row that will be needed soon.
    #[inline(always)]
    pub fn prefetch(self, row: Row) {
        if let Some(matrices) = self.0.get(row.archetype as usize) {
            prefetch(matrices.world.wrapping_add(row.row as usize));
            prefetch(matrices.local.wrapping_add(row.row as usize));
        }
    }
}

impl RawMatrices {
    /// Notes that the world of a row was written: in the parts word, and with `FLAGS` in the row's
    /// byte.
    ///
    /// # Safety
    /// The archetype has this row, and `FLAGS` is [`Matrices::flags`].
    #[inline(always)]
    pub unsafe fn note_written<const FLAGS: bool>(&self, row: u32) {
        // Read before it is written: see the head of the file.
        let parts = self.written.load(Ordering::Relaxed);
        if FLAGS {
            let flag = self.flags.wrapping_add(row as usize);
            // SAFETY: the caller promises that the row exists, and there is a flag a row.
            unsafe { &*flag }.store(1, Ordering::Relaxed);
            // Most often the rows behind it are flagged soon. 256 bytes are four cache lines.
            prefetch(flag.wrapping_add(256));
        }
        if parts & WorldChanges::part_of(row) == 0 {
            self.note_part(row);
        }
    }

    /// Sets a bit of the parts word. `fetch_or`, because another thread may set another bit now.
    #[cold]
    #[inline(never)]
    fn note_part(&self, row: u32) {
        self.written.fetch_or(WorldChanges::part_of(row), Ordering::Relaxed);
    }

    /// The local and the world matrix of a row.
    ///
    /// # Safety
    /// [`computed`](SharedMatrices::computed) returned `self` for the row, and nothing else touches
    /// its world matrix while the references live.
    #[inline(always)]
    pub unsafe fn of<'a>(&self, row: Row) -> (&'a Matrix4<f32>, &'a mut Matrix4<f32>) {
        self.check(row);
        // SAFETY: `check` passed, so the row is in bounds of both columns. The caller promises that
        // nothing else touches the world.
        unsafe {
            (&(*self.local.add(row.row as usize)).0, &mut (*self.world.add(row.row as usize)).0)
        }
    }

    /// Pointers to the local and the world matrix of a row, and the number of rows from there on.
    #[inline(always)]
    pub fn rows_from(&self, first: Row) -> (*const LocalToParent, *mut LocalToWorld, usize) {
        self.check(first);
        let skipped = first.row as usize;
        (self.local.wrapping_add(skipped), self.world.wrapping_add(skipped), self.len - skipped)
    }

    #[inline(always)]
    fn check(&self, row: Row) {
        assert!((row.row as usize) < self.len, "rows of the forest are rows of the world");
    }
}
