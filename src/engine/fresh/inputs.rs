//! One entity's local inputs, as the next run will see them, and the local matrix they make.

mod rotation;
mod scale;

use legion::{Entity, EntityStore};
use nalgebra::{Matrix4, Vector3};

use self::{rotation::RotationInputs, scale::ScaleInputs};
use super::{
    access::{QueryError, entry},
    kind::Kind,
    rows::{FreshRow, FreshRows},
};
use crate::{
    components::*,
    engine::storage::Mask,
    math::compose::{self, RotationFactor, ScaleFactor},
    transform::Transform,
};

/// All inputs of a local matrix. Without a parent `parent_scale_inverse` is `None`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LocalInputs {
    pub translation: Option<Vector3<f32>>,
    pub parent_scale_inverse: Option<Matrix4<f32>>,
    pub rotation: RotationInputs,
    pub scale: ScaleInputs,
}

/// The components that are there.
fn present<const N: usize>(components: [(Mask, bool); N]) -> Mask {
    components
        .into_iter()
        .filter(|(_, is_there)| *is_there)
        .fold(Mask::NONE, |all, (component, _)| all | component)
}

impl LocalInputs {
    /// The inputs of a row. `parent` is its parent, unless it is a root or on a cycle.
    pub fn load<'a, S: EntityStore>(
        rows: &FreshRows<'a, S>,
        node: FreshRow<'_, 'a>,
        parent: Option<FreshRow<'_, 'a>>,
    ) -> Result<Self, QueryError> {
        let parent_scale_inverse = match parent {
            Some(parent) => parent_scale_inverse(rows, node, parent)?,
            None => None,
        };
        Ok(Self {
            translation: node.translation()?.map(|translation| translation.0.vector),
            parent_scale_inverse,
            rotation: RotationInputs::load(rows, node)?,
            scale: ScaleInputs::load(rows, node)?,
        })
    }

    /// Whether there are no inputs. Then the stored matrix stays.
    pub fn is_empty(&self) -> bool {
        self.translation.is_none()
            && self.parent_scale_inverse.is_none()
            && self.rotation.is_empty()
            && self.scale.is_empty()
    }

    /// Whether there are others than a translation, a rotation and a scale.
    pub fn is_composed(&self) -> bool {
        let has_composite = self.rotation.composite.is_some() || self.scale.composite.is_some();
        has_composite || self.parent_scale_inverse.is_some()
    }

    /// The inputs as a transform. `None` without inputs, or with others than a translation, a
    /// rotation and a scale.
    pub fn simple(&self) -> Option<Transform> {
        if self.is_composed() {
            return None;
        }
        Transform::of_parts(self.translation, self.rotation.rotation, self.scale.along_axes())
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
                (Some(composite), _) => RotationFactor::Matrix(composite),
                (None, Some(rotation)) => RotationFactor::Quaternion(rotation),
                (None, None) => RotationFactor::None,
            },
            match (&scale, self.scale.along_axes()) {
                (Some(composite), _) => ScaleFactor::Matrix(composite),
                (None, Some(axes)) => ScaleFactor::Axes(axes),
                (None, None) => ScaleFactor::None,
            },
        ))
    }
}

/// The local matrix of a row, or `None` without inputs. `parent` as in [`LocalInputs::load`].
#[inline]
pub(crate) fn local_matrix<'a, S: EntityStore>(
    rows: &FreshRows<'a, S>,
    node: FreshRow<'_, 'a>,
    parent: Option<FreshRow<'_, 'a>>,
) -> Result<Option<Matrix4<f32>>, QueryError> {
    if !node.archetype.kind.is_plain(parent.is_some()) {
        return Ok(LocalInputs::load(rows, node, parent)?.matrix());
    }
    Ok(plain_transform(node)?.map(|transform| transform.to_matrix()))
}

/// The translation, rotation and scale of a row; `None` if it has none of them.
#[inline]
pub(crate) fn plain_transform(node: FreshRow<'_, '_>) -> Result<Option<Transform>, QueryError> {
    Ok(transform_of(node.translation()?, node.rotation()?, node.scale()?, node.axes()?))
}

/// The transform of an entity whose archetype tells that its local matrix is made of these alone,
/// with no [`FreshRows`]: for one question. `None` if it has none of them, or may have others.
pub(crate) fn simple_transform<S: EntityStore>(
    store: &S,
    entity: Entity,
) -> Result<Option<Transform>, QueryError> {
    let row = entry(store, entity)?;
    let (index, layout) = (row.location().archetype().0, row.archetype().layout());
    let kind = Kind::met(store.id(), index, layout);
    if !kind.is_simple() {
        return Ok(None);
    }
    let (translation, rotation) = (kind.get(&row, entity)?, kind.get(&row, entity)?);
    let (scale, axes) = (kind.get(&row, entity)?, kind.get(&row, entity)?);
    Ok(transform_of(translation, rotation, scale, axes))
}

/// The transform of an entity with these inputs; `None` if it has none of them.
#[inline]
fn transform_of(
    translation: Option<&Translation>,
    rotation: Option<&Rotation>,
    uniform: Option<&Scale>,
    axes: Option<&NonUniformScale>,
) -> Option<Transform> {
    let axes = uniform.map(|scale| Vector3::repeat(scale.0)).or(axes.map(|scale| scale.0));
    let translation = translation.map(|translation| translation.0.vector);
    Transform::of_parts(translation, rotation.map(|rotation| rotation.0), axes)
}

/// `ParentScaleInverse` after the next run: the inverse of the parent's scale if the parent has one
/// and the bundle writes the component, else the stored value.
fn parent_scale_inverse<'a, S: EntityStore>(
    rows: &FreshRows<'a, S>,
    child: FreshRow<'_, 'a>,
    parent: FreshRow<'_, 'a>,
) -> Result<Option<Matrix4<f32>>, QueryError> {
    let Some(stored) = rows.get::<ParentScaleInverse>(child)? else { return Ok(None) };
    if child.is_overridden(Mask::PARENT_SCALE_INVERSE) {
        return Ok(Some(stored.0));
    }
    let scale = ScaleInputs::load(rows, parent)?;
    Ok(Some(scale.inverse().unwrap_or(stored.0)))
}
