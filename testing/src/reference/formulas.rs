//! The formulas of the table in the guide's page `unity`, in `f64` and with error bounds: what a
//! correct engine in `f32` may come out at.

use crate::reference::{algebra::product, bounded::Bounded};

pub use crate::reference::algebra::{M, V};

/// The identity.
#[must_use]
pub fn identity() -> Bounded {
    Bounded::exact(M::identity())
}

/// T of a vector.
#[must_use]
pub fn translation(by: V) -> Bounded {
    let mut matrix = M::identity();
    for row in 0..3 {
        matrix[(row, 3)] = by[row];
    }
    Bounded::exact(matrix)
}

/// A matrix that is a rotation: its elements carry errors relative to 1, not to themselves.
#[must_use]
pub fn turning(value: M) -> Bounded {
    let mut magnitude = M::repeat(1.0);
    for i in 0..3 {
        magnitude[(i, 3)] = 0.0;
        magnitude[(3, i)] = 0.0;
    }
    if value.iter().any(|x| !x.is_finite()) {
        magnitude = M::repeat(f64::NAN);
    }
    Bounded { value, magnitude }
}

/// R of a quaternion, stored x, y, z, w. One of another length has the matrix of the same formula,
/// whose errors are relative to its length squared.
#[must_use]
pub fn rotation(q: [f64; 4]) -> Bounded {
    let [x, y, z, w] = q;
    let square = x * x + y * y + z * z + w * w;
    #[rustfmt::skip]
    let value = M::new(
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w), 0.0,
        2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w), 0.0,
        2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y), 0.0,
        0.0, 0.0, 0.0, 1.0,
    );
    let Bounded { value, magnitude } = turning(value);
    Bounded { value, magnitude: magnitude * square.max(1.0) }
}

/// The axes of the six Euler orders, the axis that acts first named first. Of several components
/// on an entity the first order of this list counts.
pub const EULER_ORDERS: [&str; 6] = ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"];

fn about(axis: char, angles: V) -> M {
    let (sin, cos) = match axis {
        'X' => angles.x.sin_cos(),
        'Y' => angles.y.sin_cos(),
        _ => angles.z.sin_cos(),
    };
    #[rustfmt::skip]
    let matrix = match axis {
        'X' => M::new(
            1.0, 0.0, 0.0, 0.0,
            0.0, cos, -sin, 0.0,
            0.0, sin, cos, 0.0,
            0.0, 0.0, 0.0, 1.0,
        ),
        'Y' => M::new(
            cos, 0.0, sin, 0.0,
            0.0, 1.0, 0.0, 0.0,
            -sin, 0.0, cos, 0.0,
            0.0, 0.0, 0.0, 1.0,
        ),
        _ => M::new(
            cos, -sin, 0.0, 0.0,
            sin, cos, 0.0, 0.0,
            0.0, 0.0, 1.0, 0.0,
            0.0, 0.0, 0.0, 1.0,
        ),
    };
    matrix
}

/// The rotation of three angles about the fixed axes, in one of the [`EULER_ORDERS`].
#[must_use]
pub fn euler(order: usize, angles: V) -> Bounded {
    let product = EULER_ORDERS[order]
        .chars()
        .fold(M::identity(), |turned, axis| product(&about(axis, angles), &turned));
    turning(product)
}

/// S of a uniform scale, as a vector.
#[must_use]
pub fn uniform(scale: f64) -> V {
    V::repeat(scale)
}

/// S of a vector.
#[must_use]
pub fn scaling(scale: V) -> Bounded {
    let mut matrix = M::identity();
    for axis in 0..3 {
        matrix[(axis, axis)] = scale[axis];
    }
    Bounded::exact(matrix)
}

/// [[1, xy, xz], [0, 1, yz], [0, 0, 1]]
fn shear(by: V) -> Bounded {
    let mut matrix = M::identity();
    matrix[(0, 1)] = by.x;
    matrix[(0, 2)] = by.y;
    matrix[(1, 2)] = by.z;
    Bounded::exact(matrix)
}

/// The inputs of `CompositeRotation` other than the component itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct RotationInputs {
    /// R of `Rotation`.
    pub rotation: Option<Bounded>,
    /// R of `PostRotation`.
    pub post_rotation: Option<Bounded>,
    /// The pivot.
    pub pivot: Option<V>,
    /// The pivot's translation.
    pub pivot_translation: Option<V>,
}

/// T(RotationPivotTranslation) T(RotationPivot) R(Rotation) R(PostRotation) T(-RotationPivot), or
/// nothing without inputs.
#[must_use]
pub fn composite_rotation(inputs: &RotationInputs) -> Option<Bounded> {
    let RotationInputs { rotation, post_rotation, pivot, pivot_translation } = *inputs;
    if rotation.is_none()
        && post_rotation.is_none()
        && pivot.is_none()
        && pivot_translation.is_none()
    {
        return None;
    }
    let pivot = pivot.unwrap_or_default();
    Some(Bounded::product_of([
        translation(pivot_translation.unwrap_or_default()),
        translation(pivot),
        rotation.unwrap_or_else(identity),
        post_rotation.unwrap_or_else(identity),
        translation(-pivot),
    ]))
}

/// The inputs of `CompositeScale`; `Scale` wins over `NonUniformScale`, so that one vector is
/// enough.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScaleInputs {
    /// S.
    pub scale: Option<V>,
    /// The pivot.
    pub pivot: Option<V>,
    /// The pivot's translation.
    pub pivot_translation: Option<V>,
    /// xy, xz, yz.
    pub shear: Option<V>,
}

/// T(ScalePivotTranslation) T(ScalePivot) Shear S T(-ScalePivot), or nothing without inputs.
#[must_use]
pub fn composite_scale(inputs: &ScaleInputs) -> Option<Bounded> {
    let ScaleInputs { scale, pivot, pivot_translation, shear: by } = *inputs;
    if scale.is_none() && pivot.is_none() && pivot_translation.is_none() && by.is_none() {
        return None;
    }
    let pivot = pivot.unwrap_or_default();
    Some(Bounded::product_of([
        translation(pivot_translation.unwrap_or_default()),
        translation(pivot),
        shear(by.unwrap_or_default()),
        scaling(scale.unwrap_or_else(|| uniform(1.0))),
        translation(-pivot),
    ]))
}

/// The inputs of a local matrix.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalInputs {
    /// T.
    pub translation: Option<V>,
    /// Of an entity with a parent alone.
    pub parent_scale_inverse: Option<Bounded>,
    /// `CompositeRotation`, else `Rotation`.
    pub rotation: Option<Bounded>,
    /// `CompositeScale`, else `Scale`, else `NonUniformScale`.
    pub scale: Option<Bounded>,
}

/// T(Translation) ParentScaleInverse R S, or nothing without inputs.
#[must_use]
pub fn local(inputs: &LocalInputs) -> Option<Bounded> {
    let LocalInputs { translation: by, parent_scale_inverse, rotation, scale } = *inputs;
    if by.is_none() && parent_scale_inverse.is_none() && rotation.is_none() && scale.is_none() {
        return None;
    }
    Some(Bounded::product_of([
        translation(by.unwrap_or_default()),
        parent_scale_inverse.unwrap_or_else(identity),
        rotation.unwrap_or_else(identity),
        scale.unwrap_or_else(identity),
    ]))
}

/// The inverse of a scale: an axis whose reciprocal is not finite, in the `f32` that scales are,
/// inverts to 0.
#[must_use]
pub fn inverse_scaling(scale: V) -> Bounded {
    scaling(scale.map(|s| {
        let reciprocal = 1.0 / s as f32;
        if reciprocal.is_finite() { 1.0 / s } else { 0.0 }
    }))
    .rounded()
}
