//! Maya's and FBX's transform attributes, as components.
//!
//! [`MayaTransform`] and [`FbxTransform`] hold these attributes with the formats' own conventions:
//! **angles in degrees**. Both become a [`PivotTransform`], with angles in radians, and matrices
//! for column vectors.
//!
//! | this crate | Maya | FBX |
//! | --- | --- | --- |
//! | `Translation` | `translate` (T) | Lcl Translation (T) |
//! | `ParentScaleInverse` | `inverseScale` (IS), `segmentScaleCompensate` | InheritType 2 (Rrs) |
//! | `RotationPivotTranslation` | `rotatePivotTranslate` (RT) | RotationOffset (Roff) |
//! | `RotationPivot` | `rotatePivot` (RP) | RotationPivot (Rp) |
//! | `Rotation` | `jointOrient` · `rotate` (JO R) | PreRotation · Lcl Rotation (Rpre R) |
//! | `PostRotation` | `rotateAxis` (RA, a joint's RO) | PostRotation, inverted (Rpost⁻¹) |
//! | `ScalePivotTranslation` | `scalePivotTranslate` (ST) | ScalingOffset (Soff) |
//! | `ScalePivot` | `scalePivot` (SP) | ScalingPivot (Sp) |
//! | `Shear` | `shear` (SH) | |
//! | `NonUniformScale` or `Scale` | `scale` (S) | Lcl Scaling (S) |
//!
//! `spawn` makes an entity with them, `insert` changes one. `components()` is the cheapest, for
//! pivots that do not move.
//!
//! ```
//! use legion::*;
//! use legion_transform::{
//!     interchange::{Detail, MayaTransform},
//!     prelude::*,
//! };
//! use nalgebra::{Point3, Vector3};
//!
//! let mut world = World::default();
//! let mut resources = Resources::default();
//! let mut schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
//!
//! let mut door = MayaTransform::default();
//! door.rotate = Vector3::new(0.0, 90.0, 0.0); // degrees
//! door.rotate_pivot = Vector3::new(-0.5, 0.0, 0.0);
//! let entity = door.spawn(&mut world, None, Detail::Full);
//! schedule.execute(&mut world, &mut resources);
//!
//! // The bundle computes the format's own product, and the hinge stays where it is.
//! let world_matrix = world.entry(entity).unwrap().get_component::<LocalToWorld>().unwrap().0;
//! assert!((world_matrix - door.local_matrix()).amax() < 1e-6);
//! let hinge = Point3::new(-0.5, 0.0, 0.0);
//! assert!((world_matrix.transform_point(&hinge) - hinge).norm() < 1e-6);
//! ```

mod fbx;
mod insert;
mod maya;
mod pivot_transform;

use std::fmt;

pub use fbx::FbxTransform;
pub use maya::MayaTransform;
pub use pivot_transform::PivotTransform;

/// Which of a transform's components an entity gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Detail {
    /// Components that make a difference. An identity is left out, and so is a pivot about which
    /// nothing turns. An equal scale on all axes becomes `Scale`. `Translation` is always there, so
    /// that the bundle owns the entity's matrix.
    #[default]
    Minimal,
    /// All components: every attribute can be animated by writing its component, without moving the
    /// entity to another archetype. Angles stay angles. The rotation's are a `RotationEuler...` in
    /// the node's own order, unless a joint orient or a pre-rotation stands before them. Those of
    /// `PostRotation` have the order XYZ for Maya's `rotateAxis`, and ZYX with the signs turned for
    /// FBX, whose PostRotation is inverted.
    Full,
}

/// A number that is not a rotation order in its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct UnknownRotationOrder {
    /// The format: `"Maya"` or `"FBX"`.
    pub format: &'static str,
    /// The number.
    pub order: i32,
}

impl fmt::Display for UnknownRotationOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, order } = self;
        match (*format, *order) {
            ("FBX", 6) => {
                write!(
                    f,
                    "FBX's rotation order 6 (spheric XYZ) is not an order of Euler angles: export \
                     it as one of 0 to 5"
                )
            }
            _ => write!(f, "{order} is not a rotation order of {format}'s: use 0 to 5"),
        }
    }
}

impl std::error::Error for UnknownRotationOrder {}

/// The methods of [`PivotTransform`], for a format's own type.
macro_rules! through_pivot_transform {
    ($format:ident) => {
        impl $format {
            /// The local matrix that the bundle computes for a root with these attributes, for
            /// column vectors.
            #[must_use]
            pub fn local_matrix(&self) -> nalgebra::Matrix4<f32> {
                self.to_pivot_transform().local_matrix()
            }

            /// The local matrix below `parent`. It cancels the parent's scale if this transform
            /// says so.
            #[must_use]
            pub fn local_matrix_below(&self, parent: &Self) -> nalgebra::Matrix4<f32> {
                self.to_pivot_transform().local_matrix_below(&parent.to_pivot_transform())
            }

            /// A tuple with the pivots as part of two matrices; see
            /// [`PivotTransform::components`](super::PivotTransform::components).
            #[must_use]
            pub fn components(
                &self,
            ) -> (
                $crate::components::Translation,
                $crate::components::CompositeRotation,
                $crate::components::CompositeScale,
            ) {
                self.to_pivot_transform().components()
            }

            /// Makes these the transform of an entity; see
            /// [`PivotTransform::insert`](super::PivotTransform::insert).
            #[inline]
            pub fn insert(&self, entry: &mut legion::world::Entry<'_>, detail: super::Detail) {
                self.to_pivot_transform().insert(entry, detail);
            }

            /// A new entity with this transform; see
            /// [`PivotTransform::spawn`](super::PivotTransform::spawn).
            #[inline]
            pub fn spawn(
                &self,
                world: &mut legion::World,
                parent: Option<legion::Entity>,
                detail: super::Detail,
            ) -> legion::Entity {
                self.to_pivot_transform().spawn(world, parent, detail)
            }
        }

        impl From<&$format> for super::PivotTransform {
            fn from(transform: &$format) -> Self {
                transform.to_pivot_transform()
            }
        }
    };
}

pub(crate) use through_pivot_transform;
