//! The formulas in plain code.

use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use super::{ScaleColumn, TrsColumns, replace};
use crate::math::compose;

pub(super) fn compose(columns: TrsColumns<'_>, matrices: &mut [Matrix4<f32>], marks: &mut [u64]) {
    for (index, matrix) in matrices.iter_mut().enumerate() {
        if replace(matrix, &row(&columns, index)) {
            marks[index / 64] |= 1 << (index % 64);
        }
    }
}

pub(super) fn write(columns: TrsColumns<'_>, matrices: &mut [Matrix4<f32>]) {
    for (index, matrix) in matrices.iter_mut().enumerate() {
        *matrix = row(&columns, index);
    }
}

#[inline]
fn row(columns: &TrsColumns<'_>, row: usize) -> Matrix4<f32> {
    let translation = columns.translation.get(row).copied().unwrap_or_else(Vector3::zeros);
    let rotation = columns.rotation.get(row).copied().unwrap_or_else(UnitQuaternion::identity);
    let scale = match columns.scale {
        ScaleColumn::None => Vector3::repeat(1.0),
        ScaleColumn::Uniform(column) => Vector3::repeat(column[row]),
        ScaleColumn::Axes(column) => column[row],
    };
    compose::translation_rotation_scale(&translation, &rotation, &scale)
}
