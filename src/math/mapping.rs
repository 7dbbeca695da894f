//! A matrix between two spaces, and what it does to points, vectors, directions and rotations.

use nalgebra::{Matrix4, Point3, Unit, UnitQuaternion, Vector3};

use super::{
    compose::inverse,
    decompose::{DecomposeError, decompose},
};

/// A map from one space to another: from an entity's to the world's, back, or between two entities'.
///
/// # Examples
/// ```
/// use legion_transform::math::mapping::Mapping;
/// use nalgebra::{Matrix4, Point3, Vector3};
///
/// let map = Mapping(Matrix4::new_translation(&Vector3::x()).prepend_scaling(2.0));
/// assert_eq!(map.point(&Point3::new(1.0, 1.0, 1.0)), Point3::new(3.0, 2.0, 2.0));
/// assert_eq!(map.vector(&Vector3::y()), Vector3::new(0.0, 2.0, 0.0)); // no translation
/// assert_eq!(map.direction(&Vector3::y_axis()), Some(Vector3::y_axis())); // no length
/// assert_eq!(map.inverse().unwrap().point(&Point3::new(3.0, 2.0, 2.0)), Point3::new(1.0, 1.0, 1.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mapping(pub Matrix4<f32>);

impl Mapping {
    /// Where a point comes to lie. A projective matrix divides by w.
    #[must_use]
    pub fn point(&self, point: &Point3<f32>) -> Point3<f32> {
        self.0.transform_point(point)
    }

    /// A difference between points (a velocity, an extent): turned and scaled, not translated.
    #[must_use]
    pub fn vector(&self, vector: &Vector3<f32>) -> Vector3<f32> {
        self.0.fixed_view::<3, 3>(0, 0) * vector
    }

    /// Where something points that points along `direction`: what [`vector`](Self::vector) gives, at length 1. `None`
    /// where the matrix flattens the direction away.
    ///
    /// Under non-uniform scale this is not the direction turned by [`rotation`](Self::rotation) alone (Unity's
    /// `TransformDirection`); it is the one along which the things in that space are seen to point.
    #[must_use]
    pub fn direction(&self, direction: &Unit<Vector3<f32>>) -> Option<Unit<Vector3<f32>>> {
        Unit::try_new(self.vector(direction), 0.0).filter(|unit| unit.iter().all(|x| x.is_finite()))
    }

    /// The normal of a mapped surface, which is mapped by the inverse transpose, at length 1. `None` where there is none.
    #[must_use]
    pub fn normal(&self, normal: &Unit<Vector3<f32>>) -> Option<Unit<Vector3<f32>>> {
        let back = self.inverse()?.0.fixed_view::<3, 3>(0, 0).transpose();
        Unit::try_new(back * normal.into_inner(), 0.0).filter(|unit| unit.iter().all(|x| x.is_finite()))
    }

    /// An orientation: turned by the rotation that is in the matrix (that of its [decomposition](decompose)).
    ///
    /// # Errors
    /// [`DecomposeError`] where the matrix has no rotation: it is projective, singular or not finite.
    pub fn rotation(&self, rotation: &UnitQuaternion<f32>) -> Result<UnitQuaternion<f32>, DecomposeError> {
        Ok(decompose(&self.0)?.rotation * rotation)
    }

    /// The map back, or `None` where there is no finite one.
    #[must_use]
    pub fn inverse(&self) -> Option<Self> {
        inverse(&self.0).map(Self)
    }
}
