//! The formulas by which components become matrices.
//!
//! One function a formula. An absent input is `None` and counts as the identity. All arithmetic is
//! in `f32`, in a fixed order and without fused multiply-add: the same inputs give the same bits on
//! every machine and thread.

use nalgebra::{ArrayStorage, Matrix3, Matrix4, UnitQuaternion, Vector3};
use wide::f32x4;

/// `R(rotation)` as the upper left of the local matrix.
///
/// The form with the fewest operations: every element is a sum of two products, and on the diagonal
/// 1 minus such a sum.
#[inline]
fn linear(rotation: &UnitQuaternion<f32>) -> Matrix3<f32> {
    let [x, y, z, w] = rotation.coords.data.0[0];
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, yy, zz) = (x2 * x, y2 * y, z2 * z);
    let (xy, xz, yz) = (x2 * y, x2 * z, y2 * z);
    let (xw, yw, zw) = (x2 * w, y2 * w, z2 * w);
    Matrix3::new(
        1.0 - (yy + zz),
        xy - zw,
        xz + yw, //
        xy + zw,
        1.0 - (xx + zz),
        yz - xw, //
        xz - yw,
        yz + xw,
        1.0 - (xx + yy),
    )
}

/// The affine matrix with this linear part and this last column.
#[inline]
fn affine(linear: &Matrix3<f32>, last: &Vector3<f32>) -> Matrix4<f32> {
    // In registers: a matrix that is stored in parts and read as a whole keeps the processor
    // waiting.
    let [x, y, z] = linear.data.0.map(|[x, y, z]| f32x4::new([x, y, z, 0.0]));
    from_columns([x, y, z, f32x4::new([last.x, last.y, last.z, 1.0])])
}

/// `T(translation) R(rotation) S(scale)`: the local matrix of an entity without composites.
///
/// # Examples
/// ```
/// # use legion_transform::math::compose::translation_rotation_scale;
/// # use nalgebra::{Point3, UnitQuaternion, Vector3};
/// let quarter = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f32::consts::FRAC_PI_2);
/// let m = translation_rotation_scale(
///     &Vector3::new(1.0, 0.0, 0.0),
///     &quarter,
///     &Vector3::new(2.0, 1.0, 1.0),
/// );
/// assert!(
///     (m.transform_point(&Point3::new(1.0, 0.0, 0.0)) - Point3::new(1.0, 2.0, 0.0)).norm() < 1e-6
/// );
/// ```
#[must_use]
#[inline]
pub fn translation_rotation_scale(
    translation: &Vector3<f32>,
    rotation: &UnitQuaternion<f32>,
    scale: &Vector3<f32>,
) -> Matrix4<f32> {
    affine(&scaled(rotation, scale), translation)
}

/// `R(rotation) S(scale)`
#[inline]
fn scaled(rotation: &UnitQuaternion<f32>, scale: &Vector3<f32>) -> Matrix3<f32> {
    let mut r = linear(rotation);
    for (i, s) in scale.iter().enumerate() {
        r.column_mut(i).scale_mut(*s);
    }
    r
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
    let linear = match (rotation, post_rotation) {
        (Some(rotation), Some(post)) => linear(&(rotation * post)),
        (Some(one), None) | (None, Some(one)) => linear(one),
        (None, None) => Matrix3::identity(),
    };
    about(linear.data.0.map(|[x, y, z]| f32x4::new([x, y, z, 0.0])), pivot_translation, pivot)
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
    let s = scale.copied().unwrap_or_else(|| Vector3::repeat(1.0));
    let sheared = shear.map_or([0.0; 3], |shear| [shear.x * s.y, shear.y * s.z, shear.z * s.z]);
    let [xy, xz, yz] = sheared;
    let x = f32x4::new([s.x, 0.0, 0.0, 0.0]);
    let y = f32x4::new([xy, s.y, 0.0, 0.0]);
    let z = f32x4::new([xz, yz, s.z, 0.0]);
    about([x, y, z], pivot_translation, pivot)
}

/// `T(pivot_translation) T(pivot) linear T(-pivot)`, of three columns whose last lane is 0. A pivot
/// changes the last column alone, to `pivot_translation + (pivot - linear pivot)`.
#[inline]
fn about(
    [x, y, z]: [f32x4; 3],
    pivot_translation: Option<&Vector3<f32>>,
    pivot: Option<&Vector3<f32>>,
) -> Matrix4<f32> {
    let vector = |v: &Vector3<f32>| f32x4::new([v.x, v.y, v.z, 0.0]);
    let turned = |p: &Vector3<f32>| vector(p) - (x * p.x + y * p.y + z * p.z);
    let turned = pivot.map_or(f32x4::ZERO, turned);
    let at = pivot_translation.map_or(turned, |translation| vector(translation) + turned);
    from_columns([x, y, z, at & UPPER | f32x4::new([0.0, 0.0, 0.0, 1.0])])
}

/// The rotation of a local matrix: a quaternion, or a user's or composed matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RotationPart<'a> {
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
pub(crate) enum ScalePart<'a> {
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
    rotation: RotationPart<'_>,
    scale: ScalePart<'_>,
) -> Matrix4<f32> {
    let quaternion = match rotation {
        RotationPart::None => Some(UnitQuaternion::identity()),
        RotationPart::Quaternion(quaternion) => Some(*quaternion),
        RotationPart::Matrix(_) => None,
    };
    let axes = match scale {
        ScalePart::None => Some(Vector3::repeat(1.0)),
        ScalePart::Axes(axes) => Some(axes),
        ScalePart::Matrix(_) => None,
    };
    if let (Some(quaternion), Some(axes), None) = (quaternion, axes, parent_scale_inverse) {
        let translation = translation.copied().unwrap_or_else(Vector3::zeros);
        return translation_rotation_scale(&translation, &quaternion, &axes);
    }
    let rotation = match rotation {
        RotationPart::None => None,
        RotationPart::Quaternion(quaternion) => {
            Some(affine(&linear(quaternion), &Vector3::zeros()))
        }
        RotationPart::Matrix(matrix) => Some(*matrix),
    };
    let matrix = match (rotation, scale) {
        (Some(rotation), ScalePart::None) => rotation,
        (Some(rotation), ScalePart::Axes(axes)) => scale_columns(&rotation, &axes),
        (Some(rotation), ScalePart::Matrix(scale)) => product(&rotation, scale),
        (None, ScalePart::None) => Matrix4::identity(),
        (None, ScalePart::Axes(axes)) => scale_columns(&Matrix4::identity(), &axes),
        (None, ScalePart::Matrix(scale)) => *scale,
    };
    let matrix = parent_scale_inverse.map_or(matrix, |inverse| product(inverse, &matrix));
    translation.map_or(matrix, |translation| translate(translation, &matrix))
}

#[inline]
fn scale_columns(matrix: &Matrix4<f32>, axes: &Vector3<f32>) -> Matrix4<f32> {
    let [x, y, z, at] = matrix.data.0.map(f32x4::from);
    from_columns([x * axes.x, y * axes.y, z * axes.z, at])
}

/// `T(translation) matrix`, projective bottom rows included.
#[inline]
fn translate(translation: &Vector3<f32>, matrix: &Matrix4<f32>) -> Matrix4<f32> {
    let t = f32x4::from([translation.x, translation.y, translation.z, 0.0]);
    let columns = matrix.data.0.map(|column| {
        let moved = f32x4::from(column) + t * column[3];
        moved & UPPER | f32x4::from([0.0, 0.0, 0.0, column[3]])
    });
    from_columns(columns)
}

#[inline]
fn from_columns(columns: [f32x4; 4]) -> Matrix4<f32> {
    Matrix4::from_data(ArrayStorage(columns.map(f32x4::to_array)))
}

/// Whether the bottom row is `(0, 0, 0, 1)`.
#[inline]
#[must_use]
pub(crate) fn is_affine(m: &Matrix4<f32>) -> bool {
    let c = &m.data.0;
    // Sums of bits, not short-circuits: four loads and one branch.
    (c[0][3].to_bits() | c[1][3].to_bits() | c[2][3].to_bits()) << 1 == 0 && c[3][3] == 1.0
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

/// `a T(translation) R(rotation) S(scale)`, if the bottom row of `a` is `(0, 0, 0, 1)`.
#[inline]
pub(crate) fn product_with_trs(
    a: &Matrix4<f32>,
    translation: &Vector3<f32>,
    rotation: &UnitQuaternion<f32>,
    scale: &Vector3<f32>,
) -> Option<Matrix4<f32>> {
    let linear = scaled(rotation, scale);
    // By value: a matrix that is stored in parts and read as a whole keeps the processor waiting.
    let [x, y, z] = linear.data.0;
    is_affine(a).then(|| affine_columns(a, [x, y, z, (*translation).into()]))
}

/// The product of an affine matrix with another one, of which all but the last row is given.
#[inline]
fn affine_columns(a: &Matrix4<f32>, b: [[f32; 3]; 4]) -> Matrix4<f32> {
    // A column at a time. Each last element is replaced: 0, and 1 in the last column.
    let a = a.data.0.map(f32x4::from);
    let [x, y, z, at] = b.map(|column| a[0] * column[0] + a[1] * column[1] + a[2] * column[2]);
    let at = (at + a[3]) & UPPER | f32x4::from([0.0, 0.0, 0.0, 1.0]);
    from_columns([x & UPPER, y & UPPER, z & UPPER, at])
}

/// All bits in the upper three rows.
const UPPER: f32x4 = f32x4::new([ALL_BITS, ALL_BITS, ALL_BITS, 0.0]);
const ALL_BITS: f32 = f32::from_bits(u32::MAX);

/// The inverse of a matrix, or `None` where there is no finite one.
///
/// Computed in `f64`, where the determinant of a small `f32` matrix does not vanish, and rounded
/// once. A matrix whose bottom row is `(0, 0, 0, 1)` has an inverse of that kind, `[A⁻¹, -A⁻¹ t]`.
#[must_use]
#[inline(always)]
pub fn inverse(matrix: &Matrix4<f32>) -> Option<Matrix4<f32>> {
    let columns = match is_affine(matrix) {
        true => affine_inverse(&matrix.data.0)?,
        false => general_inverse(matrix)?,
    };
    // 0 times infinity or NaN is NaN.
    let [a, b, c, d] = columns.map(|column| column * 0.0);
    let is_finite = !((a + b) + (c + d)).is_nan().any();
    is_finite.then(|| from_columns(columns))
}

/// By cofactors: the rows of `A⁻¹` are `b × c`, `c × a` and `a × b` of its columns, divided by the
/// determinant. Products of two `f32` are exact in `f64`.
#[inline(always)]
fn affine_inverse(columns: &[[f32; 4]; 4]) -> Option<[f32x4; 4]> {
    let [a, b, c, t] = columns.map(|[x, y, z, _]| Vector3::new(x, y, z).cast::<f64>());
    let rows = [b.cross(&c), c.cross(&a), a.cross(&b)];
    let determinant = a.dot(&rows[0]);
    if determinant == 0.0 {
        return None;
    }
    let factor = 1.0 / determinant;
    let [x, y, z] = rows.map(|row| row * factor);
    let column = |i: usize| f32x4::new([x[i] as f32, y[i] as f32, z[i] as f32, 0.0]);
    let [a, b, c] = [x, y, z].map(|row| -row.dot(&t) as f32);
    Some([column(0), column(1), column(2), f32x4::new([a, b, c, 1.0])])
}

#[cold]
fn general_inverse(matrix: &Matrix4<f32>) -> Option<[f32x4; 4]> {
    let inverse = matrix.cast::<f64>().try_inverse()?;
    Some(inverse.data.0.map(|column| f32x4::new(column.map(|x| x as f32))))
}

/// The inverse of a scale along the axes. It is always finite: an axis whose reciprocal is not
/// finite gives 0.
#[must_use]
pub(crate) fn scale_inverse(axes: &Vector3<f32>) -> Matrix4<f32> {
    let inverse = axes.map(|s| {
        let inverse = 1.0 / s;
        if inverse.is_finite() { inverse } else { 0.0 }
    });
    Matrix4::new_nonuniform_scaling(&inverse)
}
