//! One entity's local inputs, as the next run will see them, and the local matrix they make.

use legion::Entity;
use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use super::{
    met::entry,
    rows::{FreshRow, FreshRows},
    store::Store,
};
use crate::{
    components::*,
    engine::{
        rules,
        storage::{Mask, Meaning, TransformComponent, for_each_euler},
    },
    findings::QueryError,
    math::{
        compose::{self, RotationFactor, ScaleFactor},
        scale_inverse,
    },
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

/// A component that is there, or that the next run inserts.
fn or_given<T: TransformComponent + Copy + Default>(
    node: FreshRow<'_, '_>,
    stored: Option<&T>,
) -> Option<T> {
    stored.copied().or_else(|| node.has(T::MASK).then(T::default))
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
    pub fn load<'a>(
        rows: &FreshRows<'a>,
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

    /// The local matrix of such inputs.
    pub fn composed(&self) -> Option<Matrix4<f32>> {
        if self.is_composed() { self.matrix() } else { None }
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
pub(crate) fn local_matrix<'a>(
    rows: &FreshRows<'a>,
    node: FreshRow<'_, 'a>,
    parent: Option<FreshRow<'_, 'a>>,
) -> Result<Option<Matrix4<f32>>, QueryError> {
    if !node.archetype.meaning.is_plain(parent.is_some()) {
        return Ok(LocalInputs::load(rows, node, parent)?.matrix());
    }
    Ok(plain_transform(node)?.map(|transform| transform.to_matrix()))
}

/// The translation, rotation and scale of a row; `None` if it has none of them.
#[inline]
pub(crate) fn plain_transform(node: FreshRow<'_, '_>) -> Result<Option<Transform>, QueryError> {
    Ok(FreshRows::transform_of(node.translation()?, node.rotation()?, node.scale()?, node.axes()?))
}

impl FreshRows<'_> {
    /// The transform of an entity whose archetype tells that its local matrix is made of these
    /// alone, with no rows: for one question. `None` if it has none of them, or may have others.
    pub fn simple(store: &dyn Store<'_>, entity: Entity) -> Result<Option<Transform>, QueryError> {
        let row = entry(store, entity)?;
        let meaning = Meaning::met(store, row.location().archetype());
        if !meaning.is_simple() {
            return Ok(None);
        }
        let (translation, rotation) = (meaning.get(&row, entity)?, meaning.get(&row, entity)?);
        let (scale, axes) = (meaning.get(&row, entity)?, meaning.get(&row, entity)?);
        Ok(Self::transform_of(translation, rotation, scale, axes))
    }

    /// The transform of an entity with these inputs; `None` if it has none of them.
    #[inline]
    pub fn transform_of(
        translation: Option<&Translation>,
        rotation: Option<&Rotation>,
        uniform: Option<&Scale>,
        axes: Option<&NonUniformScale>,
    ) -> Option<Transform> {
        let axes = uniform.map(|scale| Vector3::repeat(scale.0)).or(axes.map(|scale| scale.0));
        let translation = translation.map(|translation| translation.0.vector);
        Transform::of_parts(translation, rotation.map(|rotation| rotation.0), axes)
    }
}

// Plain rows are read by these two; `worlds::descend` has a loop of its own for them.
const _: () = assert!(rules::AXES.len() == 2);

/// `ParentScaleInverse` after the next run: the inverse of the parent's scale if the parent has one
/// and the bundle writes the component, else the stored value.
fn parent_scale_inverse<'a>(
    rows: &FreshRows<'a>,
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
    fn load<'a>(rows: &FreshRows<'a>, node: FreshRow<'_, 'a>) -> Result<Self, QueryError> {
        let rotation_overridden = node.is_overridden(Mask::ROTATION);
        let euler = first_euler(rows, node, rules::ROTATION_EULERS);
        let euler = euler.filter(|_| !rotation_overridden);
        let post_euler = first_euler(rows, node, rules::POST_ROTATION_EULERS);
        let post_euler = post_euler.filter(|_| !node.is_overridden(Mask::POST_ROTATION));
        let rotation = or_given(node, node.rotation()?);
        let post_rotation = or_given(node, rows.get::<PostRotation>(node)?);
        Ok(Self {
            rotation: rotation.map(|it| euler.map_or(it.0, |(_, turn)| turn)),
            euler: euler.map(|(order, _)| order),
            angles: None,
            rotation_overridden,
            post_rotation: post_rotation.map(|it| post_euler.map_or(it.0, |(_, turn)| turn)),
            pivot: rows.get::<RotationPivot>(node)?.map(|pivot| pivot.0),
            pivot_translation: rows.get::<RotationPivotTranslation>(node)?.map(|it| it.0),
            composite: or_given(node, rows.get::<CompositeRotation>(node)?).map(|it| it.0),
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

    fn is_empty(&self) -> bool {
        rules::first(self.present(), rules::ROTATIONS) == Mask::NONE
    }
}

/// The first Euler of a list that the entity has.
fn first_euler<'a>(
    rows: &FreshRows<'a>,
    node: FreshRow<'_, 'a>,
    list: rules::Precedence<rules::Euler>,
) -> Option<(EulerOrder, UnitQuaternion<f32>)> {
    macro_rules! read {
        ($($euler:ident: $bit:ident),* $(,)?) => {
            match rules::source(node.archetype.meaning.mask, list)? {
                $(rules::Euler::$euler => {
                    let euler = rows.get::<$euler>(node).ok()??;
                    Some(($euler::ORDER, euler.rotation()))
                })*
            }
        };
    }
    for_each_euler!(read)
}

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
    fn load<'a>(rows: &FreshRows<'a>, node: FreshRow<'_, 'a>) -> Result<Self, QueryError> {
        Ok(Self {
            uniform: node.scale()?.map(|scale| scale.0),
            axes: node.axes()?.map(|scale| scale.0),
            shear: rows.get::<Shear>(node)?.map(|shear| shear.0),
            pivot: rows.get::<ScalePivot>(node)?.map(|pivot| pivot.0),
            pivot_translation: rows.get::<ScalePivotTranslation>(node)?.map(|it| it.0),
            composite: or_given(node, rows.get::<CompositeScale>(node)?).map(|it| it.0),
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
        match rules::source(self.present(), rules::AXES)? {
            rules::AxesSource::Uniform => self.uniform.map(Vector3::repeat),
            rules::AxesSource::NonUniform => self.axes,
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

    fn is_empty(&self) -> bool {
        rules::first(self.present(), rules::SCALINGS) == Mask::NONE
    }
}
