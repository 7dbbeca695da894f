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

use super::{composite::Axes, update, work::Work};
use crate::{
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
    let (mask, first, mut marks) = (work.mask, work.first, work.due_marks());
    let LocalColumns { local_to_world, local_to_parent, rotation, composite_rotation, .. } =
        columns;
    let (rotation, composite_rotation) = (&*rotation, &*composite_rotation);
    let (composite_scale, parent_scale_inverse) =
        (&*columns.composite_scale, &*columns.parent_scale_inverse);
    let (rotated_by, scaled_by) =
        (rules::first(mask, rules::ROTATIONS), rules::first(mask, rules::SCALINGS));
    let axes = Axes::of(mask, columns.scale, columns.non_uniform_scale);
    let translation = columns.translation;
    // Which components count is the same for all rows; only values differ.
    let matrix = |row: usize| {
        let rotation = match rotated_by {
            Mask::COMPOSITE_ROTATION => RotationPart::Matrix(&composite_rotation[row].0),
            Mask::ROTATION => RotationPart::Quaternion(&rotation[row].0),
            _ => RotationPart::None,
        };
        let scale = match scaled_by {
            Mask::COMPOSITE_SCALE => ScalePart::Matrix(&composite_scale[row].0),
            _ => axes.get(row).map_or(ScalePart::None, ScalePart::Axes),
        };
        let inverse = parent_scale_inverse.get(row).filter(|_| is_linked(row));
        local_matrix(
            translation.get(row).map(|it| &it.0.vector),
            inverse.map(|it| &it.0),
            rotation,
            scale,
        )
    };
    if mask.has(Mask::LOCAL_TO_PARENT) {
        let has_inputs = mask.has_any(rules::ROOT_LOCAL_TO_WORLD.inputs);
        update(local_to_parent, first, &mut marks, |row, stored| {
            if has_inputs || is_linked(row) { matrix(row).into() } else { *stored }
        });
    } else {
        update(local_to_world, first, &mut marks, |row, _| matrix(row).into());
    }
    work.set_changed(&marks);
}
