//! One entity's local inputs, as the next run will see them, and the local matrix they make.

use legion::{Entity, EntityStore, world::EntryRef};
use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use super::overrides::Overrides;
use crate::{
    components::*,
    math::compose::{self, RotationPart, ScalePart},
    query::access::{QueryError, component, entry, has},
    rules,
    storage::{Mask, for_each_euler},
    transform::Transform,
};

/// What turns an entity: `Rotation` and `PostRotation` already from their Eulers, the composite as
/// stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct RotationInputs {
    pub rotation: Option<UnitQuaternion<f32>>,
    /// The Euler component that writes `rotation`, or would if the entity had a `Rotation`.
    pub euler: Option<EulerOrder>,
    /// New angles for that Euler, where an edit changes them.
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

/// What scales an entity.
#[derive(Clone, Debug, Default)]
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

/// Everything a local matrix is made of. Without a parent `parent_scale_inverse` is `None`.
#[derive(Clone, Debug, Default)]
pub(crate) struct LocalInputs {
    pub translation: Option<Vector3<f32>>,
    pub parent_scale_inverse: Option<Matrix4<f32>>,
    pub rotation: RotationInputs,
    pub scale: ScaleInputs,
}

fn present<const N: usize>(components: [(Mask, bool); N]) -> Mask {
    components
        .into_iter()
        .filter(|(_, is_there)| *is_there)
        .fold(Mask::NONE, |all, (component, _)| all | component)
}

/// The first Euler of a list that the entity has.
fn first_euler(
    entry: &EntryRef<'_>,
    list: rules::Precedence,
) -> Option<(EulerOrder, UnitQuaternion<f32>)> {
    macro_rules! read {
        ($($euler:ident: $bit:ident),* $(,)?) => {
            match rules::first(Mask::of(entry.archetype().layout()), list) {
                $(Mask::$bit => {
                    let euler = entry.get_component::<$euler>().ok()?;
                    Some(($euler::ORDER, euler.rotation()))
                })*
                _ => None,
            }
        };
    }
    for_each_euler!(read)
}

impl RotationInputs {
    fn load(
        entry: &EntryRef<'_>,
        entity: Entity,
        overrides: &Overrides,
    ) -> Result<Self, QueryError> {
        let rotation_overridden = overrides.has(entry, Mask::ROTATION);
        let euler = first_euler(entry, rules::ROTATION_EULERS).filter(|_| !rotation_overridden);
        let post_euler = first_euler(entry, rules::POST_ROTATION_EULERS);
        let post_euler = post_euler.filter(|_| !overrides.has(entry, Mask::POST_ROTATION));
        // `Rotation` from its Euler where both are there, else as stored.
        let derived = |stored: UnitQuaternion<f32>,
                       euler: Option<(EulerOrder, UnitQuaternion<f32>)>| {
            euler.map_or(stored, |(_, rotation)| rotation)
        };
        let rotation = component::<Rotation>(entry, entity)?.map(|stored| derived(stored.0, euler));
        let post_rotation =
            component::<PostRotation>(entry, entity)?.map(|stored| derived(stored.0, post_euler));
        Ok(Self {
            rotation,
            euler: euler.map(|(order, _)| order),
            angles: None,
            rotation_overridden,
            post_rotation,
            pivot: component::<RotationPivot>(entry, entity)?.map(|pivot| pivot.0),
            pivot_translation: component::<RotationPivotTranslation>(entry, entity)?
                .map(|translation| translation.0),
            composite: component::<CompositeRotation>(entry, entity)?.map(|composite| composite.0),
            composite_overridden: overrides.has(entry, Mask::COMPOSITE_ROTATION),
        })
    }

    /// Which components these inputs come from.
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

    fn is_empty(&self) -> bool {
        rules::first(self.present(), rules::ROTATIONS) == Mask::NONE
    }
}

impl ScaleInputs {
    fn load(
        entry: &EntryRef<'_>,
        entity: Entity,
        overrides: &Overrides,
    ) -> Result<Self, QueryError> {
        Ok(Self {
            uniform: component::<Scale>(entry, entity)?.map(|scale| scale.0),
            axes: component::<NonUniformScale>(entry, entity)?.map(|scale| scale.0),
            shear: component::<Shear>(entry, entity)?.map(|shear| shear.0),
            pivot: component::<ScalePivot>(entry, entity)?.map(|pivot| pivot.0),
            pivot_translation: component::<ScalePivotTranslation>(entry, entity)?
                .map(|translation| translation.0),
            composite: component::<CompositeScale>(entry, entity)?.map(|composite| composite.0),
            composite_overridden: overrides.has(entry, Mask::COMPOSITE_SCALE),
        })
    }

    /// Which components these inputs come from.
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
            None => self.along_axes().map(|axes| compose::scale_inverse(&axes)),
        }
    }

    /// Whether the bundle writes the composite from a scale along the axes and nothing else.
    fn derives_composite_from_axes(&self) -> bool {
        self.derives_composite() && rules::is_scale_along_axes(self.present())
    }

    fn is_empty(&self) -> bool {
        rules::first(self.present(), rules::SCALINGS) == Mask::NONE
    }
}

impl LocalInputs {
    /// The entity's inputs. `parent` is its parent, unless it is a root or on a cycle.
    pub fn load<S: EntityStore>(
        store: &S,
        entity: Entity,
        parent: Option<Entity>,
        overrides: &Overrides,
    ) -> Result<Self, QueryError> {
        let entry = &entry(store, entity)?;
        let parent_scale_inverse = match parent {
            Some(parent) => parent_scale_inverse(store, entry, entity, parent, overrides)?,
            None => None,
        };
        Ok(Self {
            translation: component::<Translation>(entry, entity)?
                .map(|translation| translation.0.vector),
            parent_scale_inverse,
            rotation: RotationInputs::load(entry, entity, overrides)?,
            scale: ScaleInputs::load(entry, entity, overrides)?,
        })
    }

    /// Whether there is nothing to compose, so that the stored matrix stays.
    pub fn is_empty(&self) -> bool {
        self.translation.is_none()
            && self.parent_scale_inverse.is_none()
            && self.rotation.is_empty()
            && self.scale.is_empty()
    }

    /// The inputs as a transform, if there are any, and no others than a translation, a rotation
    /// and a scale.
    pub fn simple(&self) -> Option<Transform> {
        let composed = self.rotation.composite.is_some() || self.scale.composite.is_some();
        if self.is_empty() || composed || self.parent_scale_inverse.is_some() {
            return None;
        }
        Some(Transform {
            translation: self.translation.unwrap_or_else(Vector3::zeros),
            rotation: self.rotation.rotation.unwrap_or_else(UnitQuaternion::identity),
            scale: self.scale.along_axes().unwrap_or_else(|| Vector3::repeat(1.0)),
        })
    }

    /// The local matrix, or `None` without inputs.
    pub fn matrix(&self) -> Option<Matrix4<f32>> {
        if self.is_empty() {
            return None;
        }
        let rotation = self.rotation.composite();
        let scale = self.scale.composite();
        Some(compose::local_matrix(
            self.translation.as_ref(),
            self.parent_scale_inverse.as_ref(),
            match (&rotation, &self.rotation.rotation) {
                (Some(composite), _) => RotationPart::Matrix(composite),
                (None, Some(rotation)) => RotationPart::Quaternion(rotation),
                (None, None) => RotationPart::None,
            },
            match (&scale, self.scale.along_axes()) {
                (Some(composite), _) => ScalePart::Matrix(composite),
                (None, Some(axes)) => ScalePart::Axes(axes),
                (None, None) => ScalePart::None,
            },
        ))
    }
}

/// `ParentScaleInverse` after the next run: from the parent's scale where it has one and the bundle
/// writes it, else as stored.
fn parent_scale_inverse<S: EntityStore>(
    store: &S,
    child: &EntryRef<'_>,
    entity: Entity,
    parent: Entity,
    overrides: &Overrides,
) -> Result<Option<Matrix4<f32>>, QueryError> {
    let Some(stored) = component::<ParentScaleInverse>(child, entity)? else { return Ok(None) };
    if overrides.has(child, Mask::PARENT_SCALE_INVERSE) {
        return Ok(Some(stored.0));
    }
    let scale = ScaleInputs::load(&entry(store, parent)?, parent, overrides)?;
    Ok(Some(scale.inverse().unwrap_or(stored.0)))
}

/// Whether the bundle computes nothing for this entity's `LocalToWorld`: `LocalToParent` without
/// `Parent`.
pub(crate) fn is_orphan(entry: &EntryRef<'_>) -> bool {
    has::<LocalToParent>(entry) && !has::<Parent>(entry)
}
