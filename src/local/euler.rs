//! `RotationEulerSystem` and `PostRotationEulerSystem`: `Rotation` and `PostRotation` from angles.

use nalgebra::UnitQuaternion;

use super::update::{Marks, SameBits, update};
use crate::{
    components::*,
    layout::{Mask, TransformComponent},
    raw::slices::Columns,
};

trait Euler: TransformComponent {
    fn rotation(&self) -> UnitQuaternion<f32>;
}

macro_rules! eulers {
    ($($component:ident),*) => {$(
        impl Euler for $component {
            fn rotation(&self) -> UnitQuaternion<f32> {
                $component::rotation(self)
            }
        }
    )*};
}
eulers!(RotationEulerXYZ, RotationEulerXZY, RotationEulerYXZ, RotationEulerYZX, RotationEulerZXY, RotationEulerZYX);
eulers!(PostRotationEulerXYZ, PostRotationEulerXZY, PostRotationEulerYXZ);
eulers!(PostRotationEulerYZX, PostRotationEulerZXY, PostRotationEulerZYX);

/// Writes `Target` from the angles where the result differs.
fn write<From: Euler, Target: TransformComponent + SameBits + std::convert::From<UnitQuaternion<f32>>>(
    columns: &mut Columns<'_>,
    archetype: u32,
    marks: &mut Marks,
) -> bool {
    let (angles, targets) = columns.read_write::<From, Target>(archetype);
    update(targets, marks, |row, _| angles[row].rotation().into())
}

/// Calls [`write`] for the first of six components that the archetype has: that is their order of precedence.
macro_rules! write_first {
    ($target:ident, $columns:ident, $archetype:ident, $mask:ident, $marks:ident; $($component:ident: $name:ident),*) => {
        $(if $mask.has(Mask::$name) {
            write::<$component, $target>($columns, $archetype, $marks)
        } else)* {
            false
        }
    };
}

/// `RotationEulerSystem`: writes `Rotation` in an archetype that has it and angles. Returns whether anything differed.
pub(super) fn rotation(columns: &mut Columns<'_>, archetype: u32, mask: Mask, marks: &mut Marks) -> bool {
    write_first!(Rotation, columns, archetype, mask, marks;
        RotationEulerXYZ: ROTATION_EULER_XYZ, RotationEulerXZY: ROTATION_EULER_XZY, RotationEulerYXZ: ROTATION_EULER_YXZ,
        RotationEulerYZX: ROTATION_EULER_YZX, RotationEulerZXY: ROTATION_EULER_ZXY, RotationEulerZYX: ROTATION_EULER_ZYX)
}

/// `PostRotationEulerSystem`: likewise for `PostRotation`.
pub(super) fn post_rotation(columns: &mut Columns<'_>, archetype: u32, mask: Mask, marks: &mut Marks) -> bool {
    write_first!(PostRotation, columns, archetype, mask, marks;
        PostRotationEulerXYZ: POST_ROTATION_EULER_XYZ, PostRotationEulerXZY: POST_ROTATION_EULER_XZY,
        PostRotationEulerYXZ: POST_ROTATION_EULER_YXZ, PostRotationEulerYZX: POST_ROTATION_EULER_YZX,
        PostRotationEulerZXY: POST_ROTATION_EULER_ZXY, PostRotationEulerZYX: POST_ROTATION_EULER_ZYX)
}
