//! The formulas in plain code.

use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use super::{ScaleColumn, TrsColumns, replace};
use crate::math::compose;

pub(super) fn compose(columns: TrsColumns<'_>, matrices: &mut [Matrix4<f32>], marks: &mut [u64]) {
    for (row, matrix) in matrices.iter_mut().enumerate() {
        let translation = columns.translation.get(row).copied().unwrap_or_else(Vector3::zeros);
        let rotation = columns.rotation.get(row).copied().unwrap_or_else(UnitQuaternion::identity);
        let scale = match columns.scale {
            ScaleColumn::None => Vector3::repeat(1.0),
            ScaleColumn::Uniform(column) => Vector3::repeat(column[row]),
            ScaleColumn::Axes(column) => column[row],
        };
        if replace(matrix, &compose::translation_rotation_scale(&translation, &rotation, &scale)) {
            marks[row / 64] |= 1 << (row % 64);
        }
    }
}
