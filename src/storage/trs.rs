//! Accelerator: the columns of plain `T R S` of many archetypes at once, for `local/plain/`.
#![allow(unsafe_code)]

use nalgebra::Matrix4;

use super::{
    casts::{inner, inner_mut},
    columns::Columns,
};
use crate::{
    components::{LocalToParent, LocalToWorld, NonUniformScale, Rotation, Scale, Translation},
    simd::{ScaleColumn, TrsColumns},
    storage::mask::Mask,
};

/// What is read and what is written in one archetype (of two scales, one is named): `LocalToParent`
/// if it has it, else `LocalToWorld`.
pub(crate) struct Plain<'a> {
    pub columns: TrsColumns<'a>,
    pub matrices: &'a mut [Matrix4<f32>],
}

impl Columns<'_> {
    /// The columns of these archetypes, of these components each.
    ///
    /// # Panics
    /// If the archetypes do not ascend: each may be named only once.
    pub fn plain<'a>(
        &'a mut self,
        archetypes: impl Iterator<Item = (u32, Mask)> + 'a,
    ) -> impl Iterator<Item = (u32, Plain<'a>)> + 'a {
        let columns = &*self;
        let mut next = 0;
        archetypes.map(move |(archetype, mask)| {
            assert!(archetype >= next, "archetypes ascend");
            next = archetype + 1;
            // SAFETY: `&mut self` stands for the whole world for as long as the slices live; every
            // archetype is named once, and every component type once in it.
            (archetype, unsafe { columns.plain_of(archetype, mask) })
        })
    }

    /// # Safety
    /// No other slice of these columns may be alive during `'a`.
    unsafe fn plain_of<'a>(&self, archetype: u32, mask: Mask) -> Plain<'a> {
        // SAFETY: the caller's promise. What the archetype does not have is not asked for, as that
        // takes time too.
        unsafe {
            let scale = match () {
                () if mask.has(Mask::SCALE) => {
                    ScaleColumn::Uniform(inner(self.raw_mut::<Scale>(archetype)))
                }
                () if mask.has(Mask::NON_UNIFORM_SCALE) => {
                    ScaleColumn::Axes(inner(self.raw_mut::<NonUniformScale>(archetype)))
                }
                () => ScaleColumn::None,
            };
            let translation = if mask.has(Mask::TRANSLATION) {
                self.raw_mut::<Translation>(archetype)
            } else {
                &mut []
            };
            let rotation = if mask.has(Mask::ROTATION) {
                self.raw_mut::<Rotation>(archetype)
            } else {
                &mut []
            };
            let matrices = match mask.has(Mask::LOCAL_TO_PARENT) {
                true => inner_mut(self.raw_mut::<LocalToParent>(archetype)),
                false => inner_mut(self.raw_mut::<LocalToWorld>(archetype)),
            };
            Plain {
                columns: TrsColumns {
                    translation: inner(translation),
                    rotation: inner(rotation),
                    scale,
                },
                matrices,
            }
        }
    }
}
