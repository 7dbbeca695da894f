//! `CompositeRotationSystem` and `CompositeScaleSystem`: the composites from pivots, rotations, scales and shear.

use nalgebra::Vector3;

use super::update::{Marks, update};
use crate::{
    components::{CompositeRotation, CompositeScale},
    math::compose,
    raw::slices::LocalColumns,
};

/// Writes `CompositeRotation` where it differs; the archetype has it and at least one of its inputs.
pub(super) fn rotation(columns: LocalColumns<'_>, marks: &mut Marks) -> bool {
    let LocalColumns { rotation, post_rotation, rotation_pivot: pivot, rotation_pivot_translation: translation, .. } =
        columns;
    let (rotation, post_rotation) = (&*rotation, &*post_rotation);
    update(columns.composite_rotation, marks, |row, _| {
        CompositeRotation(compose::composite_rotation(
            translation.get(row).map(|it| &it.0),
            pivot.get(row).map(|it| &it.0),
            rotation.get(row).map(|it| &it.0),
            post_rotation.get(row).map(|it| &it.0),
        ))
    })
}

/// Writes `CompositeScale` where it differs; the archetype has it and at least one of its inputs.
pub(super) fn scale(columns: LocalColumns<'_>, marks: &mut Marks) -> bool {
    let LocalColumns { scale_pivot: pivot, scale_pivot_translation: translation, shear, .. } = columns;
    let axes = Axes { scale: columns.scale, non_uniform_scale: columns.non_uniform_scale };
    update(columns.composite_scale, marks, |row, _| {
        CompositeScale(compose::composite_scale(
            translation.get(row).map(|it| &it.0),
            pivot.get(row).map(|it| &it.0),
            shear.get(row).map(|it| &it.0),
            axes.get(row).as_ref(),
        ))
    })
}

/// An archetype's scales along the axes: `Scale` wins over `NonUniformScale`.
#[derive(Clone, Copy)]
pub(super) struct Axes<'a> {
    pub scale: &'a [crate::components::Scale],
    pub non_uniform_scale: &'a [crate::components::NonUniformScale],
}

impl Axes<'_> {
    pub fn get(&self, row: usize) -> Option<Vector3<f32>> {
        let uniform = self.scale.get(row).map(|it| Vector3::repeat(it.0));
        uniform.or_else(|| self.non_uniform_scale.get(row).map(|it| it.0))
    }
}
