//! The pivots of those nodes that have some.

use legion::{Entity, World};
use legion_transform::{
    components::{
        CompositeRotation, CompositeScale, RotationPivot, RotationPivotTranslation, ScalePivot,
        ScalePivotTranslation,
    },
    prelude::*,
};

/// The value of `RotationPivot`.
pub const ROTATION_PIVOT: [f32; 3] = [0.25, -0.5, 0.125];
/// The value of `RotationPivotTranslation`.
pub const ROTATION_PIVOT_TRANSLATION: [f32; 3] = [-0.125, 0.25, 0.5];
/// The value of `ScalePivot`.
pub const SCALE_PIVOT: [f32; 3] = [0.5, 0.25, -0.25];
/// The value of `ScalePivotTranslation`.
pub const SCALE_PIVOT_TRANSLATION: [f32; 3] = [0.125, -0.125, 0.25];

/// Gives an entity these pivots, and the composites that make them count.
pub fn add(world: &mut World, entity: Entity) {
    let mut entry = world.entry(entity).expect("just spawned");
    entry.add_component(RotationPivot(ROTATION_PIVOT.into()));
    entry.add_component(RotationPivotTranslation(ROTATION_PIVOT_TRANSLATION.into()));
    entry.add_component(CompositeRotation::identity());
    entry.add_component(ScalePivot(SCALE_PIVOT.into()));
    entry.add_component(ScalePivotTranslation(SCALE_PIVOT_TRANSLATION.into()));
    entry.add_component(CompositeScale::identity());
}
