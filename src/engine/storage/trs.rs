//! Accelerator: the columns of plain `T R S` of many archetypes at once, for `local/plain/`.
#![allow(unsafe_code)]

use nalgebra::Matrix4;

use super::{
    casts::{inner, inner_mut},
    columns::Columns,
};
use crate::{
    components::{LocalToParent, LocalToWorld, NonUniformScale, Rotation, Scale, Translation},
    engine::{
        simd::{ScaleColumn, TrsColumns},
        storage::mask::Mask,
    },
};

/// The columns of one archetype: inputs to read, and the matrices to write. These are its
/// `LocalToParent`, or its `LocalToWorld` if it has no such column. If it has two scales, only
/// `Scale` is read.
pub(crate) struct Plain<'a> {
    pub columns: TrsColumns<'a>,
    pub matrices: &'a mut [Matrix4<f32>],
    /// The wanted columns as bytes; see [`Columns::numbers`].
    pub numbers: Vec<(Mask, usize, &'a [u8])>,
}

impl Columns<'_> {
    /// The columns of each of these archetypes, given with its components, and with those of them
    /// that are wanted as bytes as well.
    ///
    /// # Panics
    /// If the archetypes do not ascend: each may be named only once. If matrices are wanted as
    /// bytes.
    pub fn plain<'a>(
        &'a mut self,
        archetypes: impl Iterator<Item = (u32, Mask, Mask)> + 'a,
    ) -> impl Iterator<Item = (u32, Plain<'a>)> + 'a {
        let columns = &*self;
        let mut next = 0;
        archetypes.map(move |(archetype, mask, wanted)| {
            assert!(archetype >= next, "archetypes ascend");
            next = archetype + 1;
            // SAFETY: `&mut self` stands for the whole world as long as the slices live. Every
            // archetype is named once, and in it every matrix once.
            let mut plain = unsafe { columns.plain_of(archetype, mask) };
            assert!(!wanted.has_any(Mask::LOCAL_TO_PARENT | Mask::LOCAL_TO_WORLD));
            plain.numbers.extend(wanted.iter().map(|it| columns.numbers(it, archetype)));
            (archetype, plain)
        })
    }

    /// # Safety
    /// No other slice of these columns may be alive during `'a`.
    unsafe fn plain_of<'a>(&self, archetype: u32, mask: Mask) -> Plain<'a> {
        // SAFETY: the caller's promise. Columns that the archetype lacks are not looked up, to save
        // time.
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
                numbers: Vec::new(),
            }
        }
    }
}
