//! Taking a matrix apart into translation, rotation, shear and scale.
//!
//! Every affine matrix whose axes do not lie in one plane is `T R H S` for exactly one translation,
//! one rotation, one shear `H` (unit upper triangular, as in [`Shear`](crate::components::Shear))
//! and, up to the choice of which axes are mirrored, one scale. That is the order of the crate's
//! components.
//!
//! It is a QR decomposition. The rotation carries the x axis along the matrix' first column, and
//! the xy plane into the plane of the first two. The shear is how far the columns then deviate from
//! right angles: 0 exactly if a translation, rotation and scale can hold the matrix.

use nalgebra::{Matrix3, Matrix4, Rotation3, UnitQuaternion, Vector3};

use super::registers::is_affine;

/// Up to this deviation, relative to the lengths of the factors' rows and columns, a matrix counts
/// as a translation, rotation and scale. Rounding in a long chain may shear so far, which no eye
/// can see.
pub(crate) const SHEAR_TOLERANCE: f32 = 1e-5;

/// A matrix of `f32` counts as singular if a column's part outside the plane (or line) of the
/// columns before it is at most this fraction of its length.
const FLATNESS: f64 = 4.0 * f32::EPSILON as f64;

/// A translation, a rotation, a shear and a scale whose product `T R H S` is the matrix they came
/// from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decomposition {
    /// The last column.
    pub translation: Vector3<f32>,
    /// A proper rotation: mirroring is in the scale.
    pub rotation: UnitQuaternion<f32>,
    /// `(xy, xz, yz)` of `[[1, xy, xz], [0, 1, yz], [0, 0, 1]]`: the cotangents of the angles that
    /// are no right angles.
    pub shear: Vector3<f32>,
    /// Scale along the axes before shear; an odd number of them is negative where the matrix
    /// mirrors.
    pub scale: Vector3<f32>,
}

/// Why a matrix has no decomposition, or is not a [`Transform`](crate::Transform).
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DecomposeError {
    /// The bottom row is not `(0, 0, 0, 1)`: the matrix projects, which no translation, rotation,
    /// shear and scale do.
    #[error("the matrix is projective: its bottom row is not (0, 0, 0, 1)")]
    Projective,
    /// The axes lie in one plane (a scale is zero, for example), so the rotation is not determined.
    #[error("the matrix is singular: it flattens space, so its rotation is not determined")]
    Singular,
    /// An element is infinite or not a number.
    #[error("the matrix is not finite")]
    NotFinite,
    /// The axes are not at right angles; the number is the cotangent of the worst of these angles.
    /// A decomposition holds shear, a [`Transform`](crate::Transform) does not.
    #[error("the matrix is sheared (by {0}): its axes are not at right angles")]
    Sheared(f32),
}

/// Takes an affine matrix apart. A mirroring one gets a negative x scale; [`decompose_signed`]
/// chooses otherwise.
///
/// # Errors
/// [`DecomposeError`] for projective, singular and non-finite matrices.
///
/// # Examples
/// ```
/// use legion_transform::math::decompose::decompose;
/// use nalgebra::{Matrix4, Vector3};
///
/// let mirrored = Matrix4::new_nonuniform_scaling(&Vector3::new(1.0, -2.0, 3.0));
/// let parts = decompose(&mirrored).unwrap();
/// // A mirrored y is a mirrored x, and half a turn about z.
/// assert!(parts.scale.x < 0.0 && parts.shear.norm() == 0.0);
/// assert!((parts.to_matrix() - mirrored).norm() < 1e-6);
/// ```
pub fn decompose(matrix: &Matrix4<f32>) -> Result<Decomposition, DecomposeError> {
    decompose_signed(matrix, &Vector3::repeat(1.0))
}

/// [`decompose`] with a choice of the axes that are mirrored.
///
/// One matrix has four decompositions, which differ by half turns. The scale gets the signs of
/// `signs` if their product is the sign of the determinant; if not, x gets the other sign. Pass the
/// entity's scale: then its signs stay, and a rotation does not come out as a mirror.
///
/// # Errors
/// As [`decompose`].
pub fn decompose_signed(
    matrix: &Matrix4<f32>,
    signs: &Vector3<f32>,
) -> Result<Decomposition, DecomposeError> {
    if matrix.iter().any(|x| !x.is_finite()) {
        return Err(DecomposeError::NotFinite);
    }
    if !is_affine(matrix) {
        return Err(DecomposeError::Projective);
    }
    let translation = Vector3::new(matrix.m14, matrix.m24, matrix.m34);
    let linear =
        decompose_linear(&linear(matrix), &signs.map(f64::from)).ok_or(DecomposeError::Singular)?;
    let parts = Decomposition {
        translation,
        rotation: UnitQuaternion::new_normalize(
            UnitQuaternion::from_rotation_matrix(&linear.rotation).into_inner().cast(),
        ),
        shear: linear.shear.cast(),
        scale: linear.scale.cast(),
    };
    // A tiny column beside a huge one can leave a shear that is beyond `f32`.
    let finite = parts.shear.iter().chain(&parts.scale).all(|x| x.is_finite());
    if finite { Ok(parts) } else { Err(DecomposeError::Singular) }
}

impl Decomposition {
    /// The product `T R H S`.
    #[must_use]
    pub fn to_matrix(&self) -> Matrix4<f32> {
        let mut shear = Matrix3::identity();
        (shear.m12, shear.m13, shear.m23) = (self.shear.x, self.shear.y, self.shear.z);
        let linear =
            self.rotation.to_rotation_matrix() * shear * Matrix3::from_diagonal(&self.scale);
        let mut matrix = linear.to_homogeneous();
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&self.translation);
        matrix
    }

    /// Whether any angle between axes differs from a right angle by more than `tolerance` (a
    /// cotangent: 0.01 is about half a degree).
    #[must_use]
    pub fn is_sheared(&self, tolerance: f32) -> bool {
        self.shear.amax() > tolerance
    }
}

/// The linear part of a matrix, in `f64`.
pub(crate) fn linear(matrix: &Matrix4<f32>) -> Matrix3<f64> {
    matrix.fixed_view::<3, 3>(0, 0).map(f64::from)
}

/// The parts of a linear map `R H S`, in `f64`.
struct LinearParts {
    rotation: Rotation3<f64>,
    shear: Vector3<f64>,
    scale: Vector3<f64>,
}

/// `None` if the map is singular. The caller checks that all elements are finite.
fn decompose_linear(linear: &Matrix3<f64>, signs: &Vector3<f64>) -> Option<LinearParts> {
    let mut q = right_angled(linear)?;
    // Q U = (Q D)(D U) for any diagonal D of signs; the wanted ones make Q D a rotation and D U
    // carry the signs. U now has a negative x if the map mirrors.
    let mirrors = q.column(0).dot(&linear.column(0)) < 0.0;
    let mut wanted = signs.map(|s| if s < 0.0 { -1.0 } else { 1.0 });
    if mirrors != (wanted.product() < 0.0) {
        wanted.x = -wanted.x;
    }
    let flip = Vector3::new(if mirrors { -wanted.x } else { wanted.x }, wanted.y, wanted.z);
    (0..3).for_each(|i| q.column_mut(i).scale_mut(flip[i]));
    let u = q.tr_mul(linear);
    let scale = u.diagonal();
    Some(LinearParts {
        rotation: Rotation3::from_matrix_unchecked(q),
        shear: Vector3::new(u.m12 / scale.y, u.m13 / scale.z, u.m23 / scale.z),
        scale,
    })
}

/// The axes of a map made perpendicular, as by Gram and Schmidt: x as it is, z across x and y, y
/// across both. All are of length 1 and right-handed: if the map mirrors, x points the other way.
/// `None` if the map is singular, or if x and y are so short (1e-77) or so long (1e77) that no
/// `f32` holds both.
#[inline]
pub(crate) fn right_angled(linear: &Matrix3<f64>) -> Option<Matrix3<f64>> {
    let (x, y, z) = (linear.column(0), linear.column(1), linear.column(2));
    let (across, width) = (x.cross(&y), x.norm_squared());
    let area = across.norm_squared();
    let (right, back) = (x * width.sqrt().recip(), across * area.sqrt().recip());
    let depth = back.dot(&z);
    const FLAT: f64 = FLATNESS * FLATNESS;
    // Below `MIN_POSITIVE`, digits of the area are lost. Not a number is not greater.
    let is_wide = area > (FLAT * width * y.norm_squared()).max(f64::MIN_POSITIVE);
    let is_solid = is_wide && depth * depth > FLAT * z.norm_squared();
    let side = depth.signum();
    is_solid.then(|| Matrix3::from_columns(&[right * side, back.cross(&right), back * side]))
}
