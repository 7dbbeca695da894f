//! Which transforms compose, and why no type here multiplies two TRS.
//!
//! A *TRS* is translation, rotation, and scale along each axis: scale first, then turn, then move.
//! The product `T1 R1 S1 T2 R2 S2` need not be one, as `R2` cannot be moved past `S1`: a square
//! that is turned by an eighth and then stretched along x is a rhombus. The product is *sheared*.
//!
//! So [`Transform`](crate::Transform) has no `Mul`. [`AffineMap`] composes, in the narrowest type
//! that holds the product:
//!
//! - [`Isometry3`] holds T R.
//! - [`Similarity3`] holds T R and a uniform S, which commutes with rotations.
//! - [`Affine3`] holds anything affine, shear too.
//!
//! See [*My child is skewed*](crate::guide::troubleshooting#my-child-is-skewed).

use std::ops::Mul;

use nalgebra::{
    Affine3, Isometry3, Matrix4, Point3, Similarity3, Translation3, Unit, UnitQuaternion, Vector3,
};

use super::{compose, decompose::DecomposeError, registers::is_affine};
use crate::components::unit_or_same;

/// An affine map in the narrowest nalgebra type that holds it.
///
/// Products are as wide as the wider factor, inverses as wide as the map: a chain of isometries
/// stays an isometry, whose inverse is cheap. Rotations of products and inverses have the length 1
/// within 4e-7, after any number of steps. What each step rounds adds up and is not multiplied: a
/// turn by about 1e-7 radians, a translation by about 1e-7 of its length. A world matrix becomes
/// one with
/// [`from_matrix`](Self::from_matrix), a [`Transform`](crate::Transform) with
/// [`to_map`](crate::Transform::to_map).
///
/// # Examples
/// ```
/// use legion_transform::math::algebra::AffineMap;
/// use nalgebra::{UnitQuaternion, Vector3};
///
/// let turn = UnitQuaternion::from_euler_angles(0.0, 0.0, 0.5);
/// let moved = AffineMap::from_trs(&Vector3::x(), &turn, &Vector3::repeat(1.0));
/// let grown = AffineMap::from_trs(&Vector3::y(), &turn, &Vector3::repeat(2.0));
/// let stretched = AffineMap::from_trs(&Vector3::y(), &turn, &Vector3::new(2.0, 1.0, 1.0));
///
/// assert!(matches!(moved * moved, AffineMap::Isometry(_)));
/// assert!(matches!(moved * grown, AffineMap::Similarity(_)));
/// assert!(matches!(stretched * grown, AffineMap::Affine(_)));
/// assert!(matches!(grown.inverse(), Some(AffineMap::Similarity(_))));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AffineMap {
    /// Translation and rotation.
    Isometry(Isometry3<f32>),
    /// Translation, rotation and a uniform scale (not zero, possibly negative).
    Similarity(Similarity3<f32>),
    /// Anything else that is affine: scale along each axis, shear, flattening.
    Affine(Affine3<f32>),
}

impl AffineMap {
    /// The map that changes nothing.
    #[must_use]
    pub fn identity() -> Self {
        Self::Isometry(Isometry3::identity())
    }

    /// `T R S`, as an isometry if all three scales are 1, as a similarity if they are equal (and
    /// not zero).
    #[must_use]
    pub fn from_trs(
        translation: &Vector3<f32>,
        rotation: &UnitQuaternion<f32>,
        scale: &Vector3<f32>,
    ) -> Self {
        let isometry = Isometry3::from_parts(Translation3 { vector: *translation }, *rotation);
        if scale.x == 1.0 && scale.y == 1.0 && scale.z == 1.0 {
            Self::Isometry(isometry)
        } else if scale.x == scale.y && scale.y == scale.z && scale.x != 0.0 {
            Self::Similarity(Similarity3::from_isometry(isometry, scale.x))
        } else {
            let matrix = compose::translation_rotation_scale(translation, rotation, scale);
            Self::Affine(Affine3::from_matrix_unchecked(matrix))
        }
    }

    /// An affine map of a matrix. It stays [`Affine`](Self::Affine), even if it only turns.
    ///
    /// # Errors
    /// [`DecomposeError::Projective`] if its bottom row is not `(0, 0, 0, 1)`.
    pub fn from_matrix(matrix: &Matrix4<f32>) -> Result<Self, DecomposeError> {
        if is_affine(matrix) {
            Ok(Self::Affine(Affine3::from_matrix_unchecked(*matrix)))
        } else {
            Err(DecomposeError::Projective)
        }
    }

    /// The same map as a matrix.
    #[must_use]
    pub fn to_matrix(&self) -> Matrix4<f32> {
        match self {
            Self::Isometry(map) => map.to_homogeneous(),
            Self::Similarity(map) => map.to_homogeneous(),
            Self::Affine(map) => map.into_inner(),
        }
    }

    /// The same map in the widest of the three types.
    #[must_use]
    pub fn to_affine(&self) -> Affine3<f32> {
        Affine3::from_matrix_unchecked(self.to_matrix())
    }

    /// The map back, in the same type; `None` if an affine map flattens space or the inverse is not
    /// finite.
    #[must_use]
    pub fn inverse(&self) -> Option<Self> {
        match self {
            Self::Isometry(map) => Some(Self::Isometry(inverse(map))),
            Self::Similarity(map) => {
                let (scale, mut back) = (1.0 / map.scaling(), inverse(&map.isometry));
                back.translation.vector *= scale;
                let is_finite = scale.is_finite() && scale != 0.0;
                is_finite.then(|| Self::Similarity(Similarity3::from_isometry(back, scale)))
            }
            Self::Affine(map) => compose::inverse(map.matrix())
                .map(|inverse| Self::Affine(Affine3::from_matrix_unchecked(inverse))),
        }
    }

    /// Maps a point.
    #[must_use]
    pub fn transform_point(&self, point: &Point3<f32>) -> Point3<f32> {
        match self {
            Self::Isometry(map) => map.transform_point(point),
            Self::Similarity(map) => map.transform_point(point),
            Self::Affine(map) => map.transform_point(point),
        }
    }

    /// Maps a difference between points (a velocity, an extent): turned and scaled, not moved.
    #[must_use]
    pub fn transform_vector(&self, vector: &Vector3<f32>) -> Vector3<f32> {
        match self {
            Self::Isometry(map) => map.transform_vector(vector),
            Self::Similarity(map) => map.transform_vector(vector),
            Self::Affine(map) => map.transform_vector(vector),
        }
    }

    /// Maps a direction like [`transform_vector`](Self::transform_vector), to length 1. `None` if
    /// the map flattens the direction to zero.
    ///
    /// Under non-uniform scale this is not the direction turned by the map's rotation alone
    /// (Unity's `TransformDirection`): an arrow drawn along `direction` in the inner space points
    /// along the result in the outer one.
    #[must_use]
    pub fn transform_direction(
        &self,
        direction: &Unit<Vector3<f32>>,
    ) -> Option<Unit<Vector3<f32>>> {
        unit(self.transform_vector(direction))
    }

    /// The normal of a mapped surface, of length 1: the inverse transpose maps normals. `None` if
    /// the map has no inverse, or the result cannot be normalised.
    #[must_use]
    pub fn transform_normal(&self, normal: &Unit<Vector3<f32>>) -> Option<Unit<Vector3<f32>>> {
        let back = self.inverse()?.to_matrix().fixed_view::<3, 3>(0, 0).transpose();
        unit(back * normal.into_inner())
    }
}

/// The isometry with a rotation of length 1.
fn rigid(map: Isometry3<f32>) -> Isometry3<f32> {
    Isometry3::from_parts(map.translation, unit_or_same(map.rotation))
}

/// The similarity with a rotation of length 1.
fn similar(map: Similarity3<f32>) -> Similarity3<f32> {
    Similarity3::from_isometry(rigid(map.isometry), map.scaling())
}

/// The isometry back. A conjugate is an inverse, but for its length.
fn inverse(map: &Isometry3<f32>) -> Isometry3<f32> {
    let rotation = unit_or_same(map.rotation.conjugate());
    Isometry3::from_parts(Translation3::from(-(rotation * map.translation.vector)), rotation)
}

fn unit(vector: Vector3<f32>) -> Option<Unit<Vector3<f32>>> {
    Unit::try_new(vector, 0.0).filter(|unit| unit.iter().all(|x| x.is_finite()))
}

impl Default for AffineMap {
    fn default() -> Self {
        Self::identity()
    }
}

/// First `right`, then `self`, in the wider of the two types.
impl Mul for AffineMap {
    type Output = Self;

    fn mul(self, right: Self) -> Self {
        match (self, right) {
            (Self::Isometry(a), Self::Isometry(b)) => Self::Isometry(rigid(a * b)),
            (Self::Isometry(a), Self::Similarity(b)) => Self::Similarity(similar(a * b)),
            (Self::Similarity(a), Self::Isometry(b)) => Self::Similarity(similar(a * b)),
            // Scales too small to multiply give zero, which nalgebra's similarities must not hold.
            (Self::Similarity(a), Self::Similarity(b)) if a.scaling() * b.scaling() != 0.0 => {
                Self::Similarity(similar(a * b))
            }
            (a, b) => {
                let product = compose::affine_product(&a.to_matrix(), &b.to_matrix());
                Self::Affine(Affine3::from_matrix_unchecked(product))
            }
        }
    }
}

impl From<Isometry3<f32>> for AffineMap {
    fn from(map: Isometry3<f32>) -> Self {
        Self::Isometry(map)
    }
}

impl From<Similarity3<f32>> for AffineMap {
    fn from(map: Similarity3<f32>) -> Self {
        Self::Similarity(map)
    }
}

impl From<Affine3<f32>> for AffineMap {
    fn from(map: Affine3<f32>) -> Self {
        Self::Affine(map)
    }
}

impl From<AffineMap> for Matrix4<f32> {
    fn from(map: AffineMap) -> Self {
        map.to_matrix()
    }
}
