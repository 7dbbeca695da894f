//! The formulas by which components become matrices. An absent input is `None` and counts as the
//! identity. All arithmetic is in `f32`, in a fixed order and without fused multiply-add.

use std::ops::{Add, Mul, Sub};

use nalgebra::{Matrix4, UnitQuaternion, Vector3};
use wide::f32x4;

pub use super::inverse::inverse;
pub(crate) use super::registers::is_affine;
use super::registers::{
    InRegisters, LAST, UPPER, column, from_columns, lanes, of_lanes, scale_columns, translate,
};

/// `R(rotation)` as the upper left of the local matrix, column by column; of a quaternion, or of
/// one in each lane.
///
/// The form with the fewest operations: every element is a sum of two products, and on the diagonal
/// 1 minus such a sum.
#[inline(always)]
pub(crate) fn linear<T>([x, y, z, w]: [T; 4], one: T) -> [[T; 3]; 3]
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>,
{
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, yy, zz) = (x2 * x, y2 * y, z2 * z);
    let (xy, xz, yz) = (x2 * y, x2 * z, y2 * z);
    let (xw, yw, zw) = (x2 * w, y2 * w, z2 * w);
    [
        [one - (yy + zz), xy + zw, xz - yw],
        [xy - zw, one - (xx + zz), yz + xw],
        [xz + yw, yz - xw, one - (xx + yy)],
    ]
}

/// The affine matrix with this linear part and this last column.
#[inline]
fn affine(linear: [[f32; 3]; 3], last: &Vector3<f32>) -> Matrix4<f32> {
    let [x, y, z] = linear.map(|it| column(&it));
    from_columns([x, y, z, f32x4::new([last.x, last.y, last.z, 1.0])])
}

/// `T(translation) R(rotation) S(scale)`: the local matrix of an entity without composites.
#[must_use]
#[inline]
pub fn translation_rotation_scale(
    translation: &Vector3<f32>,
    rotation: &UnitQuaternion<f32>,
    scale: &Vector3<f32>,
) -> Matrix4<f32> {
    affine(scaled(rotation, scale), translation)
}

/// `R(rotation) S(scale)`
#[inline]
fn scaled(rotation: &UnitQuaternion<f32>, scale: &Vector3<f32>) -> [[f32; 3]; 3] {
    let [x, y, z] = linear(rotation.coords.into(), 1.0);
    [x.map(|it| it * scale.x), y.map(|it| it * scale.y), z.map(|it| it * scale.z)]
}

/// `T(pivot_translation) T(pivot) R(rotation) R(post_rotation) T(-pivot)`: `CompositeRotation` from
/// its inputs.
#[must_use]
#[inline]
pub fn composite_rotation(
    pivot_translation: Option<&Vector3<f32>>,
    pivot: Option<&Vector3<f32>>,
    rotation: Option<&UnitQuaternion<f32>>,
    post_rotation: Option<&UnitQuaternion<f32>>,
) -> Matrix4<f32> {
    let turn = match (rotation, post_rotation) {
        (Some(rotation), Some(post)) => rotation * post,
        (Some(one), None) | (None, Some(one)) => *one,
        (None, None) => UnitQuaternion::identity(),
    };
    let [x, y, z] = linear(turn.coords.into(), 1.0).map(|it| column(&it));
    from_columns(about([x, y, z, LAST], vector(&pivot_translation), vector(&pivot)))
}

/// [`composite_rotation`] of four quaternions, a lane each until the columns are transposed back.
#[inline(always)]
pub(crate) fn composite_rotations(
    turns: &[[f32; 4]; 4],
    pivot_translations: Option<&[[f32; 3]; 4]>,
    pivots: Option<&[[f32; 3]; 4]>,
) -> [InRegisters; 4] {
    let [a, b, c, d] = turns;
    let turns = [f32x4::new(*a), f32x4::new(*b), f32x4::new(*c), f32x4::new(*d)];
    let [x, y, z] = linear(f32x4::transpose(turns), f32x4::ONE);
    let mut at = [f32x4::ZERO; 3];
    if let Some(pivots) = pivots {
        let p = lanes(pivots);
        for i in 0..3 {
            at[i] = p[i] - (x[i] * p[0] + y[i] * p[1] + z[i] * p[2]);
        }
    }
    if let Some(translations) = pivot_translations {
        let translation = lanes(translations);
        for i in 0..3 {
            at[i] = translation[i] + at[i];
        }
    }
    of_lanes([x, y, z, at])
}

/// `T(pivot_translation) T(pivot) shear S(scale) T(-pivot)`: `CompositeScale` from its inputs.
///
/// `shear` is `(xy, xz, yz)`, meaning `[[1, xy, xz], [0, 1, yz], [0, 0, 1]]`.
#[must_use]
#[inline]
pub fn composite_scale(
    pivot_translation: Option<&Vector3<f32>>,
    pivot: Option<&Vector3<f32>>,
    shear: Option<&Vector3<f32>>,
    scale: Option<&Vector3<f32>>,
) -> Matrix4<f32> {
    let ones = Vector3::repeat(1.0);
    let columns = sheared(vector(&shear), vector(&scale).unwrap_or(ones.as_ref()));
    from_columns(about(columns, vector(&pivot_translation), vector(&pivot)))
}

/// The numbers of a vector.
#[inline]
fn vector<'a>(vector: &Option<&'a Vector3<f32>>) -> Option<&'a [f32; 3]> {
    vector.map(|vector| vector.as_ref())
}

/// `shear S(scale)`
#[inline(always)]
pub(crate) fn sheared(shear: Option<&[f32; 3]>, &[x, y, z]: &[f32; 3]) -> InRegisters {
    let [xy, xz, yz] = shear.map_or([0.0; 3], |&[xy, xz, yz]| [xy * y, xz * z, yz * z]);
    [
        f32x4::new([x, 0.0, 0.0, 0.0]),
        f32x4::new([xy, y, 0.0, 0.0]),
        f32x4::new([xz, yz, z, 0.0]),
        LAST,
    ]
}

/// `T(pivot_translation) T(pivot) linear T(-pivot)`, of a matrix whose bottom row is `(0, 0, 0, 1)`
/// and whose last column is ignored. A pivot changes the last column alone, to
/// `pivot_translation + (pivot - linear pivot)`.
#[inline(always)]
pub(crate) fn about(
    [x, y, z, _]: InRegisters,
    pivot_translation: Option<&[f32; 3]>,
    pivot: Option<&[f32; 3]>,
) -> InRegisters {
    let turned = match pivot {
        Some(p) => column(p) - (x * p[0] + y * p[1] + z * p[2]),
        None => f32x4::ZERO,
    };
    let at = match pivot_translation {
        Some(translation) => column(translation) + turned,
        None => turned,
    };
    [x, y, z, at & UPPER | LAST]
}

/// The rotation of a local matrix: a quaternion, or a user's or composed matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RotationFactor<'a> {
    /// No rotation.
    None,
    /// `Rotation`
    Quaternion(&'a UnitQuaternion<f32>),
    /// `CompositeRotation`
    Matrix(&'a Matrix4<f32>),
}

/// The scale of a local matrix: along the axes (all three equal for a uniform one), or a user's or
/// composed matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ScaleFactor<'a> {
    /// No scale.
    None,
    /// `Scale` or `NonUniformScale`
    Axes(Vector3<f32>),
    /// `CompositeScale`
    Matrix(&'a Matrix4<f32>),
}

/// `T(translation) parent_scale_inverse rotation scale`: the local matrix from any subset of its
/// inputs.
#[must_use]
#[inline(always)] // which parts there are is known where it is called
pub(crate) fn local_matrix(
    translation: Option<&Vector3<f32>>,
    parent_scale_inverse: Option<&Matrix4<f32>>,
    rotation: RotationFactor<'_>,
    scale: ScaleFactor<'_>,
) -> Matrix4<f32> {
    let (mut translation, zeros) = (translation, Vector3::zeros());
    let matrix = match (rotation, scale) {
        (RotationFactor::None, ScaleFactor::Matrix(scale)) => *scale,
        (RotationFactor::Quaternion(turn), ScaleFactor::Matrix(scale)) => {
            product(&affine(linear(turn.coords.into(), 1.0), &zeros), scale)
        }
        (RotationFactor::Matrix(rotation), ScaleFactor::Matrix(scale)) => product(rotation, scale),
        (RotationFactor::Matrix(rotation), ScaleFactor::None) => *rotation,
        (RotationFactor::Matrix(rotation), ScaleFactor::Axes(axes)) => {
            from_columns(scale_columns(rotation.data.0.map(f32x4::new), axes.as_ref()))
        }
        (RotationFactor::None, _) | (RotationFactor::Quaternion(_), _) => {
            let none = UnitQuaternion::identity();
            let turn = if let RotationFactor::Quaternion(it) = rotation { it } else { &none };
            let axes = if let ScaleFactor::Axes(it) = scale { it } else { Vector3::repeat(1.0) };
            let here = if parent_scale_inverse.is_none() { translation.take() } else { None };
            translation_rotation_scale(here.unwrap_or(&zeros), turn, &axes)
        }
    };
    let matrix = parent_scale_inverse.map_or(matrix, |inverse| product(inverse, &matrix));
    translation.map_or(matrix, |translation| {
        from_columns(translate(translation.as_ref(), matrix.data.0.map(f32x4::new)))
    })
}

/// `a b`. Affine factors skip the bottom row, which also keeps an infinite translation out of the
/// product's linear part.
#[inline]
#[must_use]
pub(crate) fn product(a: &Matrix4<f32>, b: &Matrix4<f32>) -> Matrix4<f32> {
    if is_affine(a) && is_affine(b) { affine_product(a, b) } else { projective_product(a, b) }
}

/// Apart, so that [`product`] is small enough to become part of its callers.
#[cold]
fn projective_product(a: &Matrix4<f32>, b: &Matrix4<f32>) -> Matrix4<f32> {
    a * b
}

/// `a b` for two matrices whose bottom rows are `(0, 0, 0, 1)`.
#[inline]
#[must_use]
pub(crate) fn affine_product(a: &Matrix4<f32>, b: &Matrix4<f32>) -> Matrix4<f32> {
    affine_columns(a, b.data.0.map(|[x, y, z, _]| [x, y, z]))
}

/// The origin of [`affine_product`], bit for bit.
#[inline]
pub(crate) fn origin_below(a: &Matrix4<f32>, at: &Vector3<f32>) -> Vector3<f32> {
    let a = a.data.0.map(f32x4::from);
    let [x, y, z, _] = (a[0] * at.x + a[1] * at.y + a[2] * at.z + a[3]).to_array();
    Vector3::new(x, y, z)
}

/// `a T(translation) R(rotation) S(scale)`, where the bottom row of `a` is `(0, 0, 0, 1)`. So is
/// that of the product.
#[inline]
pub(crate) fn product_with_trs(
    a: &Matrix4<f32>,
    translation: &Vector3<f32>,
    rotation: &UnitQuaternion<f32>,
    scale: &Vector3<f32>,
) -> Matrix4<f32> {
    let [x, y, z] = scaled(rotation, scale);
    affine_columns(a, [x, y, z, (*translation).into()])
}

/// The product of an affine matrix with a second one, of which all but the last row is given.
#[inline]
fn affine_columns(a: &Matrix4<f32>, b: [[f32; 3]; 4]) -> Matrix4<f32> {
    // A column at a time. Each last element is replaced: 0, and 1 in the last column.
    let a = a.data.0.map(f32x4::from);
    let [x, y, z, at] = b.map(|column| a[0] * column[0] + a[1] * column[1] + a[2] * column[2]);
    let at = (at + a[3]) & UPPER | LAST;
    from_columns([x & UPPER, y & UPPER, z & UPPER, at])
}
