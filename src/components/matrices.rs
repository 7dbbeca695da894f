//! The matrices: the systems compute them, renderers read them.

use nalgebra::{Matrix4, Point3, Vector3};

use super::matrix_component;

/// One axis as a direction of length 1.
macro_rules! direction {
    ($name:ident, $sign:literal, $column:literal, $axis:literal, $space:literal) => {
        #[doc = concat!(
            "The direction of the entity's ", $axis, " axis in ", $space, ", of length 1; zero \
             where the matrix flattens this axis."
        )]
        #[must_use]
        pub fn $name(&self) -> Vector3<f32> {
            let axis = $sign * self.0.fixed_view::<3, 1>(0, $column).map(f64::from);
            axis.try_normalize(0.0).map_or_else(Vector3::zeros, |axis| axis.cast())
        }
    };
}

/// The position and the directions of a matrix, in the space into which it maps.
macro_rules! position_and_directions {
    ($component:ident, $space:literal) => {
        impl $component {
            #[doc = concat!("Where the entity's origin is in ", $space, ": the last column.")]
            #[must_use]
            pub fn position(&self) -> Point3<f32> {
                Point3::new(self.0.m14, self.0.m24, self.0.m34)
            }

            #[doc = concat!("The same as a vector: from the origin of ", $space, ".")]
            #[must_use]
            pub fn translation(&self) -> Vector3<f32> {
                self.position().coords
            }

            direction!(right, 1.0, 0, "x", $space);
            direction!(left, -1.0, 0, "negative x", $space);
            direction!(up, 1.0, 1, "y", $space);
            direction!(down, -1.0, 1, "negative y", $space);
            direction!(forward, 1.0, 2, "z", $space);
            direction!(back, -1.0, 2, "negative z", $space);
        }
    };
}

/// The product of a matrix and a point.
macro_rules! maps_points {
    ($component:ident, $from:literal, $to:literal) => {
        #[doc = concat!("A point of ", $from, " in ", $to, ".")]
        impl std::ops::Mul<Point3<f32>> for $component {
            type Output = Point3<f32>;

            fn mul(self, point: Point3<f32>) -> Point3<f32> {
                self.0.transform_point(&point)
            }
        }
    };
}

/// From an entity's local space to world space: the one transform component other systems rely on.
///
/// Every entity with a transform has it. It is derived: from the entity's own inputs
/// ([`Translation`](super::Translation), [`Rotation`](super::Rotation), ...), times the parent's
/// `LocalToWorld` for a member of a hierarchy. An entity with nothing but `LocalToWorld` is static:
/// its matrix is yours to write, and its children follow.
///
/// Directions have length 1; the columns of the matrix are as long as the entity is scaled:
///
/// ```
/// # use legion_transform::prelude::*;
/// # use nalgebra::Vector3;
/// let matrix = LocalToWorld(Transform::from_xyz(5.0, 0.0, 0.0).with_scale([2.0; 3]).to_matrix());
/// assert_eq!((matrix.position(), matrix.back()), ([5.0, 0.0, 0.0].into(), -Vector3::z()));
/// assert_eq!((matrix.scale(), matrix.column(0).norm()), ([2.0; 3].into(), 2.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct LocalToWorld(
    #[cfg_attr(feature = "serde", serde(with = "super::numbers"))] pub Matrix4<f32>,
);
matrix_component!(LocalToWorld);
position_and_directions!(LocalToWorld, "the world");
maps_points!(LocalToWorld, "the entity's space", "the world");

/// From an entity's local space to its parent's local space.
///
/// Together with [`Parent`](super::Parent) it makes the entity a member of a hierarchy. It is
/// derived from the entity's inputs; without any of them it is yours to write, projections and
/// shears included.
///
/// ```
/// # use legion_transform::prelude::*;
/// # use nalgebra::Vector3;
/// let hand = LocalToParent(Translation::new(0.5, 1.2, 0.0).to_homogeneous());
/// assert_eq!((hand.position(), hand.forward()), ([0.5, 1.2, 0.0].into(), Vector3::z()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct LocalToParent(
    #[cfg_attr(feature = "serde", serde(with = "super::numbers"))] pub Matrix4<f32>,
);
matrix_component!(LocalToParent);
position_and_directions!(LocalToParent, "the parent's space");
maps_points!(LocalToParent, "the entity's space", "the parent's space");

/// From world space to an entity's local space: the inverse of [`LocalToWorld`], kept current where
/// present.
///
/// A `LocalToWorld` without a finite inverse gives the identity and a finding.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct WorldToLocal(
    #[cfg_attr(feature = "serde", serde(with = "super::numbers"))] pub Matrix4<f32>,
);
matrix_component!(WorldToLocal);
maps_points!(WorldToLocal, "the world", "the entity's space");
