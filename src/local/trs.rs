//! `TRSToLocalToWorldSystem` and `TRSToLocalToParentSystem`: the local matrix from whatever inputs an archetype has.

use super::{
    composite::Axes,
    update::{Marks, update},
};
use crate::{
    layout::Mask,
    math::compose::{RotationPart, ScalePart, local_matrix},
    raw::slices::LocalColumns,
};

/// Whether an archetype's local matrix is a plain `T R S`.
pub(super) fn is_plain(mask: Mask) -> bool {
    let compensated = mask.has(Mask::LOCAL_TO_PARENT | Mask::PARENT_SCALE_INVERSE);
    !compensated && !mask.has_any(Mask::COMPOSITE_ROTATION | Mask::COMPOSITE_SCALE)
}

/// Writes the local matrix where it differs, of an archetype that is not plain: into `LocalToParent` if the archetype has it, else into `LocalToWorld`.
///
/// `linked` says of a row whether it hangs off a parent, so that `ParentScaleInverse` counts. A row without any input keeps
/// its matrix.
pub(super) fn local(
    columns: LocalColumns<'_>,
    mask: Mask,
    marks: &mut Marks,
    linked: impl Fn(usize) -> bool + Sync,
) -> bool {
    let LocalColumns { local_to_world, local_to_parent, rotation, composite_rotation, .. } = columns;
    let (rotation, composite_rotation) = (&*rotation, &*composite_rotation);
    let (composite_scale, parent_scale_inverse) = (&*columns.composite_scale, &*columns.parent_scale_inverse);
    let axes = Axes { scale: columns.scale, non_uniform_scale: columns.non_uniform_scale };
    let translation = columns.translation;
    let matrix = |row: usize| {
        let rotation = match (composite_rotation.get(row), rotation.get(row)) {
            (Some(matrix), _) => RotationPart::Matrix(&matrix.0),
            (None, Some(quaternion)) => RotationPart::Quaternion(&quaternion.0),
            (None, None) => RotationPart::None,
        };
        let scale = match (composite_scale.get(row), axes.get(row)) {
            (Some(matrix), _) => ScalePart::Matrix(&matrix.0),
            (None, Some(axes)) => ScalePart::Axes(axes),
            (None, None) => ScalePart::None,
        };
        let inverse = parent_scale_inverse.get(row).filter(|_| linked(row));
        local_matrix(translation.get(row).map(|it| &it.0.vector), inverse.map(|it| &it.0), rotation, scale)
    };
    if !mask.has(Mask::LOCAL_TO_PARENT) {
        return update(local_to_world, marks, |row, _| matrix(row).into());
    }
    let has_inputs = mask.has_any(Mask::LOCAL_INPUTS);
    update(local_to_parent, marks, |row, stored| if has_inputs || linked(row) { matrix(row).into() } else { *stored })
}
