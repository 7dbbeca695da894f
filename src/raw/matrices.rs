//! The matrices of many archetypes at once, for threads that know which rows are theirs.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use super::{
    kernel::{Product, prefetch},
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

/// Where the world above a row is.
pub(crate) enum Above<W> {
    Nothing,
    Row(Row),
    /// Still at hand.
    Last(W),
}

/// The matrices of one archetype.
#[derive(Clone, Copy)]
pub(crate) struct RawMatrices {
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

    /// The matrices of the archetype of `row`, if `wanted` and the bundle computes world matrices there.
    #[inline(always)]
    pub fn computed(&self, row: Row, wanted: bool) -> Option<&RawMatrices> {
        self.archetypes.get(row.archetype as usize).filter(|matrices| wanted && !matrices.local.is_null())
    }

    /// Computes the world of `row` from the one above, or from its own local matrix alone, and writes it if it differs. Returns
    /// whether it did, and the world.
    ///
    /// # Safety
    /// The machine has the level of `K`, and `matrices` are the [computed](Self::computed) ones of `row`. While this runs, nobody
    /// else may write the world above, nor read or write that of `row`; these are two rows.
    #[inline(always)]
    pub unsafe fn advance<K: Product>(&self, matrices: &RawMatrices, row: Row, above: Above<K::World>) -> (bool, K::World) {
        matrices.check(row);
        // SAFETY: rows are checked to be in bounds; the caller keeps others away.
        unsafe {
            let local = &(*matrices.local.add(row.row as usize)).0;
            let world = &mut (*matrices.world.add(row.row as usize)).0;
            match above {
                Above::Nothing => (super::kernel::replace(world, local), K::load(local)),
                Above::Row(above) => {
                    let matrices = &self.archetypes[above.archetype as usize];
                    matrices.check(above);
                    let above = K::load(&(*matrices.world.add(above.row as usize)).0);
                    K::product(above, local, world)
                }
                Above::Last(above) => K::product(above, local, world),
            }
        }
    }

    /// Asks for the matrices of a row that will be needed soon.
    #[inline(always)]
    pub fn prefetch(&self, row: Row) {
        if let Some(matrices) = self.archetypes.get(row.archetype as usize) {
            prefetch(matrices.world.wrapping_add(row.row as usize));
            prefetch(matrices.local.wrapping_add(row.row as usize));
        }
    }
}

impl RawMatrices {
    #[inline(always)]
    fn check(&self, row: Row) {
        assert!((row.row as usize) < self.len, "rows of the forest are rows of the world");
    }
}
