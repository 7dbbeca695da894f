//! `TRSToLocalToWorldSystem` and `TRSToLocalToParentSystem` where the local matrix is more than a
//! plain `T R S`: with composites or `ParentScaleInverse`, one row at a time.
//!
//! ```text
//!  local matrix = T(translation) ParentScaleInverse rotation scale
//!                                                   |        └ CompositeScale, or Scale, or
//!                                                   |          NonUniformScale: the first present
//!                                                   └ CompositeRotation, or Rotation
//! ```
//!
//! With a translation of (4, 0, 0), a scale of 3, and a parent scaled by 2, the matrix scales by
//! `1/2 * 3` and moves by 4: the scale of the parent is cancelled for the entity, not for its
//! place. In the world it then has a scale of 3, at a distance of 8 from its parent.
//!
//! This code composes plain archetypes, too, where the accelerator [`plain`](super::plain) is off.

use nalgebra::Vector3;

use super::{composite::Axes, update, work::Work};
use crate::{
    components::{CompositeScale, LocalToParent, LocalToWorld, ParentScaleInverse, Translation},
    engine::{
        rules,
        storage::{LocalColumns, Mask},
    },
    math::compose::{RotationPart, ScalePart, local_matrix},
};

/// Writes the local matrix where it differs, in the rows that are due: into `LocalToParent` if the
/// archetype has it, else into `LocalToWorld`. The rows that it wrote stay marked.
///
/// `is_linked` says of a row whether it has a parent, so that `ParentScaleInverse` counts. A row
/// without any input keeps its matrix:
///
/// ```text
///  inputs of the archetype      linked row                  row without parent
///  ParentScaleInverse alone     its value is the matrix     the user's matrix stays
///  Translation as well          T ParentScaleInverse        T
/// ```
pub(super) fn compose(
    columns: LocalColumns<'_>,
    work: &mut Work,
    is_linked: impl Fn(usize) -> bool + Sync,
) {
    let LocalColumns { local_to_world, local_to_parent, rotation, composite_rotation, .. } =
        columns;
    let (rotation, composite_rotation) = (&*rotation, &*composite_rotation);
    let axes = Axes::of(work.mask, columns.scale, columns.non_uniform_scale);
    let rows = Rows {
        is_linked,
        matrices: match work.mask.has(Mask::LOCAL_TO_PARENT) {
            true => Matrices::Local(local_to_parent),
            false => Matrices::World(local_to_world),
        },
        translation: columns.translation,
        inverse: &*columns.parent_scale_inverse,
        scale: (&*columns.composite_scale, axes),
    };
    match rules::first(work.mask, rules::ROTATIONS) {
        Mask::COMPOSITE_ROTATION => {
            rows.rotated(work, |row| RotationPart::Matrix(&composite_rotation[row].0))
        }
        Mask::ROTATION => rows.rotated(work, |row| RotationPart::Quaternion(&rotation[row].0)),
        _ => rows.rotated(work, |_| RotationPart::None),
    }
}

/// The matrices to write.
enum Matrices<'a> {
    Local(&'a mut [LocalToParent]),
    World(&'a mut [LocalToWorld]),
}

/// The columns of an archetype but its rotations. Which of them count is the same for all rows, so
/// there is a loop for each case.
struct Rows<'a, L> {
    is_linked: L,
    matrices: Matrices<'a>,
    translation: &'a [Translation],
    inverse: &'a [ParentScaleInverse],
    scale: (&'a [CompositeScale], Axes<'a>),
}

impl<L: Fn(usize) -> bool + Sync> Rows<'_, L> {
    #[inline]
    fn rotated<'r>(self, work: &mut Work, rotation: impl Fn(usize) -> RotationPart<'r> + Sync) {
        let (composite, axes) = self.scale;
        match (rules::first(work.mask, rules::SCALINGS), axes) {
            (Mask::COMPOSITE_SCALE, _) => {
                self.scaled(work, rotation, |row| ScalePart::Matrix(&composite[row].0))
            }
            (_, Axes::None) => self.scaled(work, rotation, |_| ScalePart::None),
            (_, Axes::Uniform(column)) => {
                let scale = |row: usize| ScalePart::Axes(Vector3::repeat(column[row].0));
                self.scaled(work, rotation, scale)
            }
            (_, Axes::NonUniform(column)) => {
                self.scaled(work, rotation, |row| ScalePart::Axes(column[row].0))
            }
        }
    }

    #[inline]
    fn scaled<'r, 's>(
        self,
        work: &mut Work,
        rotation: impl Fn(usize) -> RotationPart<'r> + Sync,
        scale: impl Fn(usize) -> ScalePart<'s> + Sync,
    ) {
        let Self { is_linked, matrices, translation, inverse, .. } = self;
        let (first, mut marks) = (work.first, work.due_marks());
        let has_inputs = work.mask.has_any(rules::ROOT_LOCAL_TO_WORLD.inputs);
        let matrix = {
            #[inline(always)]
            |row: usize| {
                let inverse = inverse.get(row).filter(|_| is_linked(row));
                let translation = translation.get(row).map(|it| &it.0.vector);
                local_matrix(translation, inverse.map(|it| &it.0), rotation(row), scale(row))
            }
        };
        match matrices {
            Matrices::World(column) => {
                update(column, first, &mut marks, |row, _| matrix(row).into())
            }
            Matrices::Local(column) => update(column, first, &mut marks, |row, stored| {
                if has_inputs || is_linked(row) { matrix(row).into() } else { *stored }
            }),
        };
        work.set_changed(&marks);
    }
}
