//! The matrices of many archetypes at once, for threads that know which rows are theirs.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use super::{
    kernel::Level,
    slices::{Columns, Row},
};
use crate::{
    archetypes::Archetypes,
    components::{LocalToParent, LocalToWorld},
    layout::Mask,
};

/// World and local matrices by archetype and row.
pub(crate) struct Matrices<'a> {
    archetypes: Vec<RawMatrices>,
    exclusive: PhantomData<&'a mut LocalToWorld>,
}

#[derive(Clone, Copy)]
struct RawMatrices {
    world: *mut LocalToWorld,
    local: *const LocalToParent,
    len: usize,
}

// SAFETY: the pointers are used in `unsafe` functions only, whose callers see to it that no two threads touch a matrix at the
// same time unless both read it.
unsafe impl Send for Matrices<'_> {}
// SAFETY: as above.
unsafe impl Sync for Matrices<'_> {}

impl<'a> Matrices<'a> {
    /// The matrices of these archetypes, all of which have `LocalToWorld`.
    pub fn new(columns: &'a mut Columns<'_>, archetypes: &Archetypes, members: &[u32]) -> Self {
        let none = RawMatrices { world: std::ptr::null_mut(), local: std::ptr::null(), len: 0 };
        let mut all = vec![none; columns.archetypes().len()];
        for &index in members {
            let world = columns.write::<LocalToWorld>(index);
            let (world, len) = (world.as_mut_ptr(), world.len());
            let computed =
                archetypes[index].mask.has(Mask::LOCAL_TO_PARENT) && archetypes[index].writes(Mask::LOCAL_TO_WORLD);
            let local = if computed { columns.read::<LocalToParent>(index).as_ptr() } else { std::ptr::null() };
            all[index as usize] = RawMatrices { world, local, len };
        }
        Self { archetypes: all, exclusive: PhantomData }
    }

    /// Whether the bundle computes world matrices in this archetype.
    #[inline]
    pub fn computes(&self, archetype: u32) -> bool {
        !self.archetypes[archetype as usize].local.is_null()
    }

    /// Computes the world of `row` from its parent's, or from its own local matrix alone, and writes it if it differs. Returns
    /// whether it did.
    ///
    /// # Safety
    /// The archetype of `row` must be one that [computes](Self::computes). While this runs, nobody else may write the world of
    /// `parent`, nor read or write that of `row`.
    #[inline]
    pub unsafe fn advance(&self, level: Level, row: Row, parent: Option<Row>) -> bool {
        // SAFETY: both are checked to be in bounds; the caller keeps others away, and a parent is another row than its child.
        unsafe {
            let local = &*self.at(row).local.add(row.row as usize);
            let world = self.at(row).world.add(row.row as usize);
            match parent {
                Some(parent) => {
                    let above = &*self.at(parent).world.add(parent.row as usize);
                    level.product(&above.0, &local.0, &mut (*world).0)
                }
                None => super::kernel::replace(&mut (*world).0, &local.0),
            }
        }
    }

    /// The matrices of a row's archetype, with the row in bounds.
    #[inline]
    fn at(&self, row: Row) -> &RawMatrices {
        let matrices = &self.archetypes[row.archetype as usize];
        assert!((row.row as usize) < matrices.len, "rows of the forest are rows of the world");
        matrices
    }
}
