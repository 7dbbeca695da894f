//! The matrices of all archetypes at once, through raw pointers: the next slot's row may be in any
//! archetype. No two threads touch one row: distinct slots have distinct rows, and each slot is one
//! thread's.
//!
//! # The block word
//!
//! To find the rows of an archetype whose worlds changed, not all of a million stamps
//! ([`Nodes`](super::nodes::Nodes)) are looked at: a word of 64 bits says in which blocks a world
//! may have changed. Bit 2 stands for block 2, rows 8,192 to 12,287. Row 300,000 is in block 73,
//! and shares bit 9 with block 9.
//!
//! If each row wrote the word, its cache line would go from core to core. So each thread writes
//! only a bit that is missing: at most 64 writes a thread, archetype and run.
#![allow(unsafe_code)]

use std::{
    marker::PhantomData,
    ptr::{null, null_mut},
    sync::atomic::{AtomicU64, Ordering},
};

use nalgebra::Matrix4;

use crate::{
    components::{Inherits, LocalToParent, LocalToWorld},
    engine::{
        parallel,
        simd::prefetch,
        storage::{ChangeTracker, Columns, Mask, Row},
    },
};

/// World and local matrices by archetype and row.
pub(crate) struct Matrices<'a> {
    archetypes: Vec<RawMatrices>,
    exclusive: PhantomData<&'a mut LocalToWorld>,
}

/// [`Matrices`], as each thread has them.
#[derive(Clone, Copy)]
pub(crate) struct SharedMatrices<'a>(&'a [RawMatrices]);

/// The matrices of one archetype.
pub(crate) struct RawMatrices {
    world: *mut LocalToWorld,
    /// Null where worlds are not computed.
    pub local: *const LocalToParent,
    /// Which parts of the parents' worlds the rows inherit. Null where all rows inherit all.
    parts: *const Inherits,
    len: u32,
    /// Whether worlds are computed, and of the parents' whole worlds. The two pointers say so, too,
    /// but a visit of a node asks this once.
    pub is_whole: bool,
    /// The [blocks](block_of) in which a world may have changed.
    written: AtomicU64,
}

/// The bit of the block that a row is in. Blocks 0, 64, 128 and so on share bit 0.
#[inline(always)]
pub(super) fn block_of(row: u32) -> u64 {
    1 << (row as usize / parallel::BLOCK % 64)
}

// SAFETY: only `unsafe` functions read the pointers to matrices. Their callers promise that while
// one thread writes a matrix, no other reads or writes it. No thread writes an `Inherits`.
unsafe impl Send for Matrices<'_> {}
// SAFETY: as above.
unsafe impl Sync for Matrices<'_> {}

impl<'a> Matrices<'a> {
    /// The matrices of these archetypes, all of which have `LocalToWorld`.
    pub fn new(columns: &'a mut Columns<'_>, tracker: &ChangeTracker, members: &[u32]) -> Self {
        let none = |_| RawMatrices {
            world: null_mut(),
            local: null(),
            parts: null(),
            len: 0,
            is_whole: false,
            written: AtomicU64::new(0),
        };
        let mut all: Vec<_> = columns.archetypes().iter().map(none).collect();
        for &index in members {
            let world = columns.write::<LocalToWorld>(index);
            let (world, len) = (world.as_mut_ptr(), world.len());
            let matrices = &mut all[index as usize];
            (matrices.world, matrices.len) = (world, len as u32);
            let sheet = &tracker[index];
            if !sheet.mask.has(Mask::LOCAL_TO_PARENT) || !sheet.writes(Mask::LOCAL_TO_WORLD) {
                continue;
            }
            let local = columns.read::<LocalToParent>(index);
            assert!(local.len() == len, "both columns have a row for each entity");
            (matrices.local, matrices.is_whole) = (local.as_ptr(), true);
            if sheet.mask.has(Mask::INHERITS) {
                let inherits = columns.read::<Inherits>(index);
                assert!(inherits.len() == len, "and so has this one");
                (matrices.parts, matrices.is_whole) = (inherits.as_ptr(), false);
            }
        }
        Self { archetypes: all, exclusive: PhantomData }
    }

    /// The archetypes in which worlds were written, each with its block word.
    pub fn written(self) -> Vec<(u32, u64)> {
        let written = self.archetypes.into_iter().map(|matrices| matrices.written.into_inner());
        (0..).zip(written).filter(|&(_, blocks)| blocks != 0).collect()
    }

    /// A view for each thread.
    pub fn shared(&self) -> SharedMatrices<'_> {
        SharedMatrices(&self.archetypes)
    }
}

impl<'a> SharedMatrices<'a> {
    /// The matrices of the archetype of `row`.
    #[inline(always)]
    pub fn of(self, row: Row) -> Option<&'a RawMatrices> {
        self.0.get(row.archetype as usize)
    }

    /// The world of a row, to be read.
    ///
    /// # Safety
    /// Nothing writes it while the reference lives.
    #[inline(always)]
    pub unsafe fn world(self, row: Row) -> &'a Matrix4<f32> {
        let matrices = &self.0[row.archetype as usize];
        matrices.check(row.row);
        // SAFETY: `check` passed, so the row is in bounds. The caller promises that nothing writes
        // it.
        unsafe { &(*matrices.world.add(row.row as usize)).0 }
    }

    /// Begins to load the matrices of a row that will be needed soon.
    #[inline(always)]
    pub fn prefetch(self, row: Row) {
        if let Some(matrices) = self.of(row) {
            prefetch(matrices.world.wrapping_add(row.row as usize));
            prefetch(matrices.local.wrapping_add(row.row as usize));
        }
    }
}

impl RawMatrices {
    /// Notes in the block word that the world of a row was written.
    #[inline(always)]
    pub fn note_written(&self, row: u32) {
        // Read before it is written: see the head of the file.
        if self.written.load(Ordering::Relaxed) & block_of(row) == 0 {
            self.note_block(row);
        }
    }

    /// Sets a bit of the block word. `fetch_or`, because another thread may set another bit now.
    #[cold]
    #[inline(never)]
    fn note_block(&self, row: u32) {
        self.written.fetch_or(block_of(row), Ordering::Relaxed);
    }

    /// The local and the world matrix of a row.
    ///
    /// # Safety
    /// [`of`](SharedMatrices::of) returned `self` for the row, `local` is not null, and nothing
    /// else touches the world matrix while the references live.
    #[inline(always)]
    pub unsafe fn of<'a>(&self, row: Row) -> (&'a Matrix4<f32>, &'a mut Matrix4<f32>) {
        self.check(row.row);
        // SAFETY: `check` passed, so the row is in bounds of both columns. The caller promises that
        // nothing else touches the world.
        unsafe {
            (&(*self.local.add(row.row as usize)).0, &mut (*self.world.add(row.row as usize)).0)
        }
    }

    /// Which parts of the parent's world a row inherits, where not all inherit the whole.
    #[inline(always)]
    pub fn parts(&self, row: u32) -> Inherits {
        assert!(row < self.len && !self.parts.is_null());
        // SAFETY: `new` took the pointer from a column as long as the worlds', and propagation
        // writes no `Inherits`.
        unsafe { *self.parts.add(row as usize) }
    }

    /// Pointers to the local and the world matrix of a row, and the number of rows from there on.
    #[inline(always)]
    pub fn rows_from(&self, row: u32) -> (*const LocalToParent, *mut LocalToWorld, u32) {
        self.check(row);
        let skipped = row as usize;
        (self.local.wrapping_add(skipped), self.world.wrapping_add(skipped), self.len - row)
    }

    #[inline(always)]
    fn check(&self, row: u32) {
        assert!(row < self.len, "rows of the forest are rows of the world");
    }
}
