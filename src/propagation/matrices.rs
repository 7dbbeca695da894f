//! The matrices of many archetypes at once, for threads that know which rows are theirs.
#![allow(unsafe_code)]

use std::{
    marker::PhantomData,
    ptr::{null, null_mut},
    sync::atomic::{AtomicBool, Ordering},
};

use nalgebra::Matrix4;

use crate::{
    changes::{RowFlags, WorldChanges},
    components::{LocalToParent, LocalToWorld},
    simd::prefetch,
    storage::columns::{Columns, Row},
    storage::mask::Mask,
    storage::tracker::ChangeTracker,
};

/// World and local matrices by archetype and row.
pub(crate) struct Matrices<'a> {
    archetypes: Vec<RawMatrices<'a>>,
    exclusive: PhantomData<&'a mut LocalToWorld>,
}

/// The same, as a thread has them at cursor.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'a>(&'a [RawMatrices<'a>]);

/// The matrices of one archetype.
pub(crate) struct RawMatrices<'a> {
    world: *mut LocalToWorld,
    local: *const LocalToParent,
    len: usize,
    /// Whether a world was written.
    written: AtomicBool,
    /// The rows in which one was, where that is asked for.
    flags: Option<&'a RowFlags>,
}

// SAFETY: the pointers are used in `unsafe` functions only, whose callers see to it that no two threads touch a matrix at the
// same time unless both read it.
unsafe impl Send for Matrices<'_> {}
// SAFETY: as above.
unsafe impl Sync for Matrices<'_> {}

impl<'a> Matrices<'a> {
    /// The matrices of these tracker, all of which have `LocalToWorld`.
    pub fn new(
        columns: &'a mut Columns<'_>,
        tracker: &ChangeTracker,
        members: &[u32],
        changes: Option<&'a WorldChanges>,
    ) -> Self {
        let none = || RawMatrices { world: null_mut(), local: null(), len: 0, written: AtomicBool::new(false), flags: None };
        let mut all: Vec<RawMatrices<'_>> = std::iter::repeat_with(none).take(columns.archetypes().len()).collect();
        for &index in members {
            let world = columns.write::<LocalToWorld>(index);
            let (world, len) = (world.as_mut_ptr(), world.len());
            let computed = tracker[index].mask.has(Mask::LOCAL_TO_PARENT) && tracker[index].writes(Mask::LOCAL_TO_WORLD);
            let local = if computed { columns.read::<LocalToParent>(index).as_ptr() } else { null() };
            let flags = changes.filter(|_| computed).map(|changes| changes.flags(index));
            all[index as usize] = RawMatrices { world, local, len, flags, ..none() };
        }
        Self { archetypes: all, exclusive: PhantomData }
    }

    /// The archetypes in which a world was written.
    pub fn written(self) -> Vec<u32> {
        let written = self.archetypes.into_iter().map(|matrices| matrices.written.into_inner());
        (0..).zip(written).filter_map(|(index, written)| written.then_some(index)).collect()
    }

    /// For a thread.
    pub fn shared(&self) -> Shared<'_> {
        Shared(&self.archetypes)
    }
}

impl<'a> Shared<'a> {
    /// The matrices of the archetype of `row`, if the bundle computes world matrices there.
    #[inline(always)]
    pub fn computed(self, row: Row) -> Option<&'a RawMatrices<'a>> {
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

impl RawMatrices<'_> {
    /// Takes note that the world of a row was written.
    #[inline(always)]
    pub fn note_written(&self, row: u32) {
        if let Some(flags) = self.flags {
            flags.set(row as usize);
        }
        // Threads would fight over the line if each stored.
        if !self.written.load(Ordering::Relaxed) {
            self.written.store(true, Ordering::Relaxed);
        }
    }

    /// The local and the world matrix of a row.
    ///
    /// # Safety
    /// These are the [computed](Shared::computed) ones of the row, and nothing else touches its world matrix while the references live.
    #[inline(always)]
    pub unsafe fn of<'a>(&self, row: Row) -> (&'a Matrix4<f32>, &'a mut Matrix4<f32>) {
        self.check(row);
        // SAFETY: in bounds; the caller keeps others away.
        unsafe { (&(*self.local.add(row.row as usize)).0, &mut (*self.world.add(row.row as usize)).0) }
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
