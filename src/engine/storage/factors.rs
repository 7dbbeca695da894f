//! Accelerator: the factors of the local matrices of many archetypes at once, for
//! `local/columns.rs`.
#![allow(unsafe_code)]

use nalgebra::Matrix4;

use super::{casts::Wraps, columns::Columns, mask::TransformComponent};
use crate::{
    components::*,
    engine::{simd::Factors, storage::mask::Mask},
};

/// The columns of one archetype: inputs to read, and the matrices to write. These are its
/// `LocalToParent`, or its `LocalToWorld` if it has no such column.
pub(crate) struct LocalFactors<'a> {
    pub factors: Factors<'a>,
    pub matrices: &'a mut [Matrix4<f32>],
    /// Columns to copy, as bytes; see [`Columns::numbers`].
    pub numbers: Vec<(Mask, usize, &'a [u8])>,
}

impl Columns<'_> {
    /// Returns the columns of one archetype after another: the
    /// [factors](crate::engine::rules::factors) in one set of components, and those in another to
    /// return as bytes, too.
    ///
    /// # Panics
    /// The function does, if the archetypes do not ascend: each may be named only once. If matrices
    /// are to be returned as bytes.
    pub fn factors<'a>(&'a mut self) -> impl FnMut(u32, Mask, Mask) -> LocalFactors<'a> {
        let (columns, mut next) = (&*self, 0);
        move |archetype, mask, as_bytes| {
            assert!(archetype >= next, "archetypes ascend");
            next = archetype + 1;
            assert!(!as_bytes.has_any(Mask::LOCAL_TO_PARENT | Mask::LOCAL_TO_WORLD));
            let numbers = as_bytes.iter().map(|it| columns.numbers(it, archetype)).collect();
            // SAFETY: `&mut self` stands for the whole world as long as the slices live. Every
            // archetype is named once, and in it every matrix once. Columns of no factor are not
            // looked up, to save time.
            unsafe {
                let factors = Factors {
                    translation: Wraps::inner(columns.if_in::<Translation>(mask, archetype)),
                    inverse: Wraps::inner(columns.if_in::<ParentScaleInverse>(mask, archetype)),
                    turn: Wraps::inner(columns.if_in::<Rotation>(mask, archetype)),
                    rotation: Wraps::inner(columns.if_in::<CompositeRotation>(mask, archetype)),
                    uniform: Wraps::inner(columns.if_in::<Scale>(mask, archetype)),
                    axes: Wraps::inner(columns.if_in::<NonUniformScale>(mask, archetype)),
                    scale: Wraps::inner(columns.if_in::<CompositeScale>(mask, archetype)),
                };
                let matrices = match mask.has(Mask::LOCAL_TO_PARENT) {
                    true => Wraps::inner_mut(columns.raw_mut::<LocalToParent>(archetype)),
                    false => Wraps::inner_mut(columns.raw_mut::<LocalToWorld>(archetype)),
                };
                LocalFactors { factors, matrices, numbers }
            }
        }
    }

    /// # Safety
    /// No slice of `T` in this archetype for writing may be alive during `'a`.
    unsafe fn if_in<'a, T: TransformComponent>(&self, mask: Mask, archetype: u32) -> &'a [T] {
        // SAFETY: the caller's promise.
        if mask.has(T::MASK) { unsafe { self.raw_ref(archetype) } } else { &[] }
    }
}
