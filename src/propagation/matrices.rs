//! The matrices of many archetypes at once, for threads that know which rows are theirs.
#![allow(unsafe_code)]

use std::{
    marker::PhantomData,
    ptr::{null, null_mut},
    sync::atomic::{AtomicU8, AtomicU64, Ordering},
};

use nalgebra::Matrix4;

use crate::{
    changes::{WorldChanges, part_of},
    components::{LocalToParent, LocalToWorld},
    simd::prefetch,
    storage::{ChangeTracker, Columns, Mask, Row},
};

/// World and local matrices by archetype and row.
pub(crate) struct Matrices<'a> {
    archetypes: Vec<RawMatrices>,
    /// Whether the rows are flagged whose world is written.
    pub flags: bool,
    exclusive: PhantomData<&'a mut LocalToWorld>,
}

/// The same, for a thread.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'a>(&'a [RawMatrices]);

/// The matrices of one archetype.
pub(crate) struct RawMatrices {
    world: *mut LocalToWorld,
    local: *const LocalToParent,
    len: usize,
    /// The [parts](part_of) of the rows in which a world was written; only whether there is any, if
    /// rows are not flagged.
    written: AtomicU64,
    /// The flags of the rows in which one was, where that is asked for.
    flags: *const AtomicU8,
}

// SAFETY: the pointers are used in `unsafe` functions only, whose callers see to it that no two
// threads touch a matrix at the same time unless both read it.
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

    /// The archetypes in which worlds were written, with the parts of the rows.
    pub fn written(self) -> Vec<(u32, u64)> {
        let written = self.archetypes.into_iter().map(|matrices| matrices.written.into_inner());
        (0..).zip(written).filter(|&(_, parts)| parts != 0).collect()
    }

    /// For a thread.
    pub fn shared(&self) -> Shared<'_> {
        Shared(&self.archetypes)
    }
}

impl<'a> Shared<'a> {
    /// The matrices of the archetype of `row`, if the bundle computes world matrices there.
    #[inline(always)]
    pub fn computed(self, row: Row) -> Option<&'a RawMatrices> {
        self.0.get(row.archetype as usize).filter(|matrices| !matrices.local.is_null())
    }

    /// The world of a row.
    ///
    /// # Safety
    /// Nothing may write it while the reference lives.
    #[inline(always)]
    pub unsafe fn world(self, row: Row) -> &'a Matrix4<f32> {
        let matrices = &self.0[row.archetype as usize];
        matrices.check(row);
        // SAFETY: in bounds; the caller keeps others away.
        unsafe { &(*matrices.world.add(row.row as usize)).0 }
    }

    /// Asks for the matrices of a row that will be needed soon.
    #[inline(always)]
    pub fn prefetch(self, row: Row) {
        if let Some(matrices) = self.0.get(row.archetype as usize) {
            prefetch(matrices.world.wrapping_add(row.row as usize));
            prefetch(matrices.local.wrapping_add(row.row as usize));
        }
    }
}

impl RawMatrices {
    /// Takes note that the world of a row was written; with `FLAGS`, in which row.
    ///
    /// # Safety
    /// It is one of the archetype's rows, and `FLAGS` is [`Matrices::flags`].
    #[inline(always)]
    pub unsafe fn note_written<const FLAGS: bool>(&self, row: u32) {
        // Threads would fight over the line if each wrote.
        let parts = self.written.load(Ordering::Relaxed);
        if FLAGS {
            let flag = self.flags.wrapping_add(row as usize);
            // SAFETY: the caller's promise; there is a flag a row.
            unsafe { &*flag }.store(1, Ordering::Relaxed);
            // Most often the rows that follow are flagged soon.
            prefetch(flag.wrapping_add(256));
            if parts & part_of(row) == 0 {
                self.note_part(row);
            }
        } else if parts == 0 {
            self.note_part(row);
        }
    }

    #[cold]
    #[inline(never)]
    fn note_part(&self, row: u32) {
        self.written.fetch_or(part_of(row), Ordering::Relaxed);
    }

    /// The local and the world matrix of a row.
    ///
    /// # Safety
    /// `self` is what [`computed`](Shared::computed) returns for the row, and nothing else touches
    /// its world matrix while the references live.
    #[inline(always)]
    pub unsafe fn of<'a>(&self, row: Row) -> (&'a Matrix4<f32>, &'a mut Matrix4<f32>) {
        self.check(row);
        // SAFETY: in bounds; the caller keeps others away.
        unsafe {
            (&(*self.local.add(row.row as usize)).0, &mut (*self.world.add(row.row as usize)).0)
        }
    }

    /// Where the local and the world matrices begin from a row on, and how many there are.
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
