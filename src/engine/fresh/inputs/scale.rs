//! The inputs that scale an entity.

use legion::EntityStore;
use nalgebra::{Matrix4, Vector3};

use super::present;
use crate::{
    components::*,
    engine::{
        fresh::{FreshRow, FreshRows, QueryError},
        rules,
        storage::Mask,
    },
    math::{compose, scale_inverse},
};

/// The inputs of a scale.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ScaleInputs {
    pub uniform: Option<f32>,
    pub axes: Option<Vector3<f32>>,
    pub shear: Option<Vector3<f32>>,
    pub pivot: Option<Vector3<f32>>,
    pub pivot_translation: Option<Vector3<f32>>,
    pub composite: Option<Matrix4<f32>>,
    /// Whether a user's component writes the composite.
    pub composite_overridden: bool,
}

impl ScaleInputs {
    pub(super) fn load<'a, S: EntityStore>(
        rows: &FreshRows<'a, S>,
        node: FreshRow<'_, 'a>,
    ) -> Result<Self, QueryError> {
        Ok(Self {
            uniform: node.scale()?.map(|scale| scale.0),
            axes: node.axes()?.map(|scale| scale.0),
            shear: rows.get::<Shear>(node)?.map(|shear| shear.0),
            pivot: rows.get::<ScalePivot>(node)?.map(|pivot| pivot.0),
            pivot_translation: rows.get::<ScalePivotTranslation>(node)?.map(|it| it.0),
            composite: rows.get::<CompositeScale>(node)?.map(|composite| composite.0),
            composite_overridden: node.is_overridden(Mask::COMPOSITE_SCALE),
        })
    }

    /// The components of these inputs.
    fn present(&self) -> Mask {
        present([
            (Mask::SCALE, self.uniform.is_some()),
            (Mask::NON_UNIFORM_SCALE, self.axes.is_some()),
            (Mask::SHEAR, self.shear.is_some()),
            (Mask::SCALE_PIVOT, self.pivot.is_some()),
            (Mask::SCALE_PIVOT_TRANSLATION, self.pivot_translation.is_some()),
            (Mask::COMPOSITE_SCALE, self.composite.is_some()),
        ])
    }

    /// The scale along the axes that counts.
    pub fn along_axes(&self) -> Option<Vector3<f32>> {
        match rules::first(self.present(), rules::AXES) {
            Mask::SCALE => self.uniform.map(Vector3::repeat),
            _ => self.axes,
        }
    }

    /// Whether the bundle writes the composite.
    pub fn derives_composite(&self) -> bool {
        !self.composite_overridden && rules::COMPOSITE_SCALE.is_derived(self.present())
    }

    /// The composite after the next run, if the entity has one.
    pub fn composite(&self) -> Option<Matrix4<f32>> {
        if !self.derives_composite() {
            return self.composite;
        }
        Some(compose::composite_scale(
            self.pivot_translation.as_ref(),
            self.pivot.as_ref(),
            self.shear.as_ref(),
            self.along_axes().as_ref(),
        ))
    }

    /// The matrix that cancels this scale in children, if there is any scale.
    pub fn inverse(&self) -> Option<Matrix4<f32>> {
        match self.composite().filter(|_| !self.derives_composite_from_axes()) {
            Some(composite) => Some(compose::inverse(&composite).unwrap_or_else(Matrix4::identity)),
            None => self.along_axes().map(|axes| scale_inverse(&axes)),
        }
    }

    /// Whether the bundle writes the composite, from a scale along the axes alone.
    fn derives_composite_from_axes(&self) -> bool {
        self.derives_composite() && rules::is_scale_along_axes(self.present())
    }

    pub(super) fn is_empty(&self) -> bool {
        rules::first(self.present(), rules::SCALINGS) == Mask::NONE
    }
}
