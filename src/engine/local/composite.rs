//! `CompositeRotationSystem` and `CompositeScaleSystem`: the composites from pivots, rotations,
//! scales and shear.
//!
//! ```text
//!  CompositeRotation = T(pivot translation) T(pivot) R(rotation) R(post rotation) T(-pivot)
//!  CompositeScale    = T(pivot translation) T(pivot) shear S(scale) T(-pivot)
//! ```
//!
//! A point in the pivot stays there. With a scale of 3 around the pivot (1, 0, 0), point 1 on the x
//! axis is scaled to `1 + 3 * (1 - 1) = 1`, and point 2 to `1 + 3 * (2 - 1) = 4`. Columns that an
//! archetype lacks are empty slices, and stand for the identity.

use nalgebra::Vector3;

use super::{update, work::Work};
use crate::{
    components::{CompositeRotation, CompositeScale, NonUniformScale, Scale},
    engine::{
        rules,
        storage::{LocalColumns, Mask},
    },
    math::compose,
};

/// Writes `CompositeRotation` where it differs, in rows that are due. The archetype has it and at
/// least one of its inputs. Returns whether anything was written.
pub(super) fn rotation(columns: LocalColumns<'_>, work: &Work) -> bool {
    let LocalColumns {
        rotation,
        post_rotation,
        rotation_pivot: pivot,
        rotation_pivot_translation: translation,
        ..
    } = columns;
    let (rotation, post_rotation) = (&*rotation, &*post_rotation);
    update(columns.composite_rotation, work.first, &mut work.due_marks(), |row, _| {
        CompositeRotation(compose::composite_rotation(
            translation.get(row).map(|it| &it.0),
            pivot.get(row).map(|it| &it.0),
            rotation.get(row).map(|it| &it.0),
            post_rotation.get(row).map(|it| &it.0),
        ))
    })
}

/// Writes `CompositeScale` where it differs, in rows that are due. The archetype has it and at
/// least one of its inputs. Returns whether anything was written.
pub(super) fn scale(columns: LocalColumns<'_>, work: &Work) -> bool {
    let LocalColumns { scale_pivot: pivot, scale_pivot_translation: translation, shear, .. } =
        columns;
    let axes = Axes::of(work.mask, columns.scale, columns.non_uniform_scale);
    update(columns.composite_scale, work.first, &mut work.due_marks(), |row, _| {
        CompositeScale(compose::composite_scale(
            translation.get(row).map(|it| &it.0),
            pivot.get(row).map(|it| &it.0),
            shear.get(row).map(|it| &it.0),
            axes.get(row).as_ref(),
        ))
    })
}

/// An archetype's scales along the axes. With `Scale` and `NonUniformScale` both, `Scale` counts.
#[derive(Clone, Copy)]
pub(super) enum Axes<'a> {
    None,
    Uniform(&'a [Scale]),
    NonUniform(&'a [NonUniformScale]),
}

impl<'a> Axes<'a> {
    /// The scales of the component that counts.
    pub fn of(mask: Mask, scale: &'a [Scale], non_uniform_scale: &'a [NonUniformScale]) -> Self {
        match rules::first(mask, rules::AXES) {
            Mask::SCALE => Self::Uniform(scale),
            Mask::NON_UNIFORM_SCALE => Self::NonUniform(non_uniform_scale),
            _ => Self::None,
        }
    }

    /// The scale of a row: `Scale(2.0)` is (2, 2, 2).
    pub fn get(&self, row: usize) -> Option<Vector3<f32>> {
        match self {
            Self::None => None,
            Self::Uniform(column) => Some(Vector3::repeat(column[row].0)),
            Self::NonUniform(column) => Some(column[row].0),
        }
    }
}
