//! `RotationEulerSystem` and `PostRotationEulerSystem`: `Rotation` and `PostRotation` from angles.

use nalgebra::UnitQuaternion;

use super::update::{Marks, update};
use crate::{
    components::*,
    math::bits::SameBits,
    rules,
    storage::columns::Columns,
    storage::mask::{Mask, TransformComponent, for_each_euler},
};

trait Euler: TransformComponent {
    fn rotation(&self) -> UnitQuaternion<f32>;
}

macro_rules! eulers {
    ($($component:ident: $bit:ident),* $(,)?) => {$(
        impl Euler for $component {
            fn rotation(&self) -> UnitQuaternion<f32> {
                $component::rotation(self)
            }
        }
    )*};
}
for_each_euler!(eulers);

/// `RotationEulerSystem`: writes `Rotation` in an archetype that has it and angles. Returns whether
/// anything differed.
pub(super) fn rotation(
    columns: &mut Columns<'_>,
    archetype: u32,
    mask: Mask,
    marks: &mut Marks,
) -> bool {
    write_first::<Rotation>(columns, archetype, rules::first(mask, rules::ROTATION_EULERS), marks)
}

/// `PostRotationEulerSystem`: likewise for `PostRotation`.
pub(super) fn post_rotation(
    columns: &mut Columns<'_>,
    archetype: u32,
    mask: Mask,
    marks: &mut Marks,
) -> bool {
    write_first::<PostRotation>(
        columns,
        archetype,
        rules::first(mask, rules::POST_ROTATION_EULERS),
        marks,
    )
}

/// Writes `Target` from this Euler component where the result differs.
fn write_first<Target: TransformComponent + SameBits + From<UnitQuaternion<f32>>>(
    columns: &mut Columns<'_>,
    archetype: u32,
    euler: Mask,
    marks: &mut Marks,
) -> bool {
    macro_rules! write {
        ($($component:ident: $bit:ident),* $(,)?) => {
            match euler {
                $(Mask::$bit => write::<$component, Target>(columns, archetype, marks),)*
                _ => false,
            }
        };
    }
    for_each_euler!(write)
}

fn write<Angles: Euler, Target: TransformComponent + SameBits + From<UnitQuaternion<f32>>>(
    columns: &mut Columns<'_>,
    archetype: u32,
    marks: &mut Marks,
) -> bool {
    let (angles, targets) = columns.read_write::<Angles, Target>(archetype);
    update(targets, marks, |row, _| angles[row].rotation().into())
}
