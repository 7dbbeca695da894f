//! `RotationEulerSystem` and `PostRotationEulerSystem`: `Rotation` and `PostRotation` from angles.
//!
//! There are twelve components of angles: six orders of the axes, for two targets. An archetype may
//! have several: the first one in the table of [`rules`](crate::engine::rules) counts, here passed as
//! `euler`. With `RotationEulerXYZ(0, 0, π/2)` the result is the quaternion (0, 0, 0.707, 0.707).

use nalgebra::UnitQuaternion;

use super::{update, work::Work};
use crate::{
    components::*,
    engine::storage::{Columns, Mask, TransformComponent, for_each_euler},
    math::SameBits,
};

/// Writes `Target`, a rotation that the archetype has, from this Euler component where the result
/// differs, in the rows that are due. Returns whether anything was written.
pub(super) fn write<Target: TransformComponent + SameBits + From<UnitQuaternion<f32>>>(
    columns: &mut Columns<'_>,
    work: &Work,
    euler: Mask,
) -> bool {
    // One arm for each component: `Mask::ROTATION_EULER_XYZ => read it, write Target`.
    macro_rules! write {
        ($($component:ident: $bit:ident),* $(,)?) => {
            match euler {
                $(Mask::$bit => {
                    let (all, targets) = columns.read_write::<$component, Target>(work.index);
                    let marks = &mut work.due_marks();
                    update(targets, work.first, marks, |row, _| all[row].rotation().into())
                })*
                _ => false,
            }
        };
    }
    for_each_euler!(write)
}
