//! The inputs that turn an entity.

use legion::EntityStore;
use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use super::present;
use crate::{
    components::*,
    engine::{
        fresh::{FreshRow, FreshRows, QueryError},
        rules,
        storage::{Mask, for_each_euler},
    },
    math::compose,
};

/// The inputs of a rotation. `Rotation` and `PostRotation` come from their Eulers if there are any;
/// the composite is the stored one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RotationInputs {
    pub rotation: Option<UnitQuaternion<f32>>,
    /// The Euler component that writes `rotation`, or would write it if there were a `Rotation`.
    pub euler: Option<EulerOrder>,
    /// New angles for this Euler, if an edit changes them.
    pub angles: Option<Vector3<f32>>,
    /// Whether a user's component writes `Rotation`.
    pub rotation_overridden: bool,
    pub post_rotation: Option<UnitQuaternion<f32>>,
    pub pivot: Option<Vector3<f32>>,
    pub pivot_translation: Option<Vector3<f32>>,
    pub composite: Option<Matrix4<f32>>,
    /// Whether a user's component writes the composite.
    pub composite_overridden: bool,
}

impl RotationInputs {
    pub(super) fn load<'a, S: EntityStore>(
        rows: &FreshRows<'a, S>,
        node: FreshRow<'_, 'a>,
    ) -> Result<Self, QueryError> {
        let rotation_overridden = node.is_overridden(Mask::ROTATION);
        let euler = first_euler(rows, node, rules::ROTATION_EULERS);
        let euler = euler.filter(|_| !rotation_overridden);
        let post_euler = first_euler(rows, node, rules::POST_ROTATION_EULERS);
        let post_euler = post_euler.filter(|_| !node.is_overridden(Mask::POST_ROTATION));
        // The rotation of the Euler if there is one, else the stored one.
        let derived = |stored: UnitQuaternion<f32>,
                       euler: Option<(EulerOrder, UnitQuaternion<f32>)>| {
            euler.map_or(stored, |(_, rotation)| rotation)
        };
        let rotation = node.rotation()?.map(|stored| derived(stored.0, euler));
        let post_rotation = rows.get::<PostRotation>(node)?;
        let post_rotation = post_rotation.map(|stored| derived(stored.0, post_euler));
        Ok(Self {
            rotation,
            euler: euler.map(|(order, _)| order),
            angles: None,
            rotation_overridden,
            post_rotation,
            pivot: rows.get::<RotationPivot>(node)?.map(|pivot| pivot.0),
            pivot_translation: rows.get::<RotationPivotTranslation>(node)?.map(|it| it.0),
            composite: rows.get::<CompositeRotation>(node)?.map(|composite| composite.0),
            composite_overridden: node.is_overridden(Mask::COMPOSITE_ROTATION),
        })
    }

    /// The components of these inputs.
    fn present(&self) -> Mask {
        present([
            (Mask::ROTATION, self.rotation.is_some()),
            (Mask::POST_ROTATION, self.post_rotation.is_some()),
            (Mask::ROTATION_PIVOT, self.pivot.is_some()),
            (Mask::ROTATION_PIVOT_TRANSLATION, self.pivot_translation.is_some()),
            (Mask::COMPOSITE_ROTATION, self.composite.is_some()),
        ])
    }

    /// Whether the bundle writes the composite.
    pub fn derives_composite(&self) -> bool {
        !self.composite_overridden && rules::COMPOSITE_ROTATION.is_derived(self.present())
    }

    /// The composite after the next run, if the entity has one.
    pub fn composite(&self) -> Option<Matrix4<f32>> {
        if !self.derives_composite() {
            return self.composite;
        }
        Some(compose::composite_rotation(
            self.pivot_translation.as_ref(),
            self.pivot.as_ref(),
            self.rotation.as_ref(),
            self.post_rotation.as_ref(),
        ))
    }

    pub(super) fn is_empty(&self) -> bool {
        rules::first(self.present(), rules::ROTATIONS) == Mask::NONE
    }
}

/// The first Euler of a list that the entity has.
fn first_euler<'a, S: EntityStore>(
    rows: &FreshRows<'a, S>,
    node: FreshRow<'_, 'a>,
    list: rules::Precedence,
) -> Option<(EulerOrder, UnitQuaternion<f32>)> {
    macro_rules! read {
        ($($euler:ident: $bit:ident),* $(,)?) => {
            match rules::first(node.archetype.kind.mask, list) {
                $(Mask::$bit => {
                    let euler = rows.get::<$euler>(node).ok()??;
                    Some(($euler::ORDER, euler.rotation()))
                })*
                _ => None,
            }
        };
    }
    for_each_euler!(read)
}
