//! One entity's local inputs, as the next run will see them, and the local matrix they make.

mod rotation;
mod scale;

use legion::{Entity, EntityStore, world::EntryRef};
use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use self::{rotation::RotationInputs, scale::ScaleInputs};
use super::overrides::Overrides;
use crate::{
    components::*,
    math::compose::{self, RotationPart, ScalePart},
    query::access::{QueryError, component, entry, has},
    storage::{Mask, TransformComponent},
    transform::Transform,
};

/// All inputs of a local matrix. Without a parent `parent_scale_inverse` is `None`.
#[derive(Clone, Debug, Default)]
pub(crate) struct LocalInputs {
    pub translation: Option<Vector3<f32>>,
    pub parent_scale_inverse: Option<Matrix4<f32>>,
    pub rotation: RotationInputs,
    pub scale: ScaleInputs,
}

/// The components of an entity. Which ones it has is known at once: Legion looks through its types
/// for each.
struct Stored<'e> {
    entry: &'e EntryRef<'e>,
    entity: Entity,
    mask: Mask,
}

impl<'e> Stored<'e> {
    fn new(entry: &'e EntryRef<'e>, entity: Entity) -> Self {
        Self { entry, entity, mask: Mask::of(entry.archetype().layout()) }
    }

    /// The entity's `T`, if it has one; only then is access needed.
    fn get<T: TransformComponent>(&self) -> Result<Option<&'e T>, QueryError> {
        match self.mask.has(T::MASK) {
            true => component(self.entry, self.entity),
            false => Ok(None),
        }
    }
}

/// The components that are there.
fn present<const N: usize>(components: [(Mask, bool); N]) -> Mask {
    components
        .into_iter()
        .filter(|(_, is_there)| *is_there)
        .fold(Mask::NONE, |all, (component, _)| all | component)
}

impl LocalInputs {
    /// The entity's inputs. `parent` is its parent, unless it is a root or on a cycle.
    pub fn load<S: EntityStore>(
        store: &S,
        entity: Entity,
        parent: Option<Entity>,
        overrides: &Overrides,
    ) -> Result<Self, QueryError> {
        let entry = entry(store, entity)?;
        let row = Stored::new(&entry, entity);
        let parent_scale_inverse = match parent {
            Some(parent) => parent_scale_inverse(store, &row, parent, overrides)?,
            None => None,
        };
        Ok(Self {
            translation: row.get::<Translation>()?.map(|translation| translation.0.vector),
            parent_scale_inverse,
            rotation: RotationInputs::load(&row, overrides)?,
            scale: ScaleInputs::load(&row, overrides)?,
        })
    }

    /// Whether there are no inputs. Then the stored matrix stays.
    pub fn is_empty(&self) -> bool {
        self.translation.is_none()
            && self.parent_scale_inverse.is_none()
            && self.rotation.is_empty()
            && self.scale.is_empty()
    }

    /// The inputs as a transform. `None` without inputs, or with others than a translation, a
    /// rotation and a scale.
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

/// `ParentScaleInverse` after the next run: the inverse of the parent's scale if the parent has one
/// and the bundle writes the component, else the stored value.
fn parent_scale_inverse<S: EntityStore>(
    store: &S,
    child: &Stored<'_>,
    parent: Entity,
    overrides: &Overrides,
) -> Result<Option<Matrix4<f32>>, QueryError> {
    let Some(stored) = child.get::<ParentScaleInverse>()? else { return Ok(None) };
    if overrides.has(child.entry, Mask::PARENT_SCALE_INVERSE) {
        return Ok(Some(stored.0));
    }
    let entry = entry(store, parent)?;
    let scale = ScaleInputs::load(&Stored::new(&entry, parent), overrides)?;
    Ok(Some(scale.inverse().unwrap_or(stored.0)))
}

/// Whether the bundle computes nothing for this entity's `LocalToWorld`: `LocalToParent` without
/// `Parent`.
pub(crate) fn is_orphan(entry: &EntryRef<'_>) -> bool {
    has::<LocalToParent>(entry) && !has::<Parent>(entry)
}
