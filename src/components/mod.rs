//! The components that users write and read.
//!
//! Every value is public and of nalgebra's own type. Matrices act on column vectors (`p' = M p`),
//! angles are radians, quaternions are stored `(x, y, z, w)`.

mod composites;
mod euler;
mod frame;
mod inherited;
mod inherits;
mod matrices;
#[cfg(feature = "serde")]
pub(crate) mod numbers;
mod pivots;
mod relations;
mod rotation;
mod scale;
mod sines;
mod translation;
mod unit;
mod visible;

pub use composites::{CompositeRotation, CompositeScale, ParentScaleInverse};
pub(crate) use euler::with_rotation_euler;
pub use euler::{
    EulerOrder, PostRotationEulerXYZ, PostRotationEulerXZY, PostRotationEulerYXZ,
    PostRotationEulerYZX, PostRotationEulerZXY, PostRotationEulerZYX, RotationEulerXYZ,
    RotationEulerXZY, RotationEulerYXZ, RotationEulerYZX, RotationEulerZXY, RotationEulerZYX,
};
pub use frame::Frame;
pub use inherited::{Effective, Inherited};
pub use inherits::Inherits;
pub use matrices::{LocalToParent, LocalToWorld, WorldToLocal};
pub use pivots::{
    RotationPivot, RotationPivotTranslation, ScalePivot, ScalePivotTranslation, Shear,
};
pub use relations::{Children, Parent, PreviousParent};
pub use rotation::{PostRotation, Rotation};
pub use scale::{NonUniformScale, Scale};
pub use translation::Translation;
pub(crate) use unit::{unit, unit_or_same};
pub use visible::{RenderLayers, Visible};

/// `Deref`, `DerefMut` and `From` both ways between a component and the value inside it.
macro_rules! wraps {
    ($component:ident, $value:ty) => {
        $crate::components::reads!($component, $value);
        impl std::ops::DerefMut for $component {
            fn deref_mut(&mut self) -> &mut $value {
                &mut self.0
            }
        }
    };
}

/// [`wraps`] without `DerefMut`, for what is derived: who means to write it writes `.0`.
macro_rules! reads {
    ($component:ident, $value:ty) => {
        impl std::ops::Deref for $component {
            type Target = $value;
            fn deref(&self) -> &$value {
                &self.0
            }
        }
        impl From<$value> for $component {
            fn from(value: $value) -> Self {
                Self(value)
            }
        }
        impl From<$component> for $value {
            fn from(component: $component) -> Self {
                component.0
            }
        }
    };
}

/// The methods and traits of components that hold a 4x4 matrix.
macro_rules! matrix_component {
    ($component:ident) => {
        $crate::components::reads!($component, nalgebra::Matrix4<f32>);

        impl $component {
            /// The matrix that changes nothing.
            #[must_use]
            pub fn identity() -> Self {
                Self(nalgebra::Matrix4::identity())
            }
        }

        impl Default for $component {
            fn default() -> Self {
                Self::identity()
            }
        }
    };
}

/// The methods and traits of components that hold three numbers. `$same` is three times the
/// default, which changes nothing.
macro_rules! vector_component {
    ($component:ident, $same:expr) => {
        $crate::components::wraps!($component, nalgebra::Vector3<f32>);

        impl $component {
            /// From the three numbers.
            #[must_use]
            pub const fn new(x: f32, y: f32, z: f32) -> Self {
                Self(nalgebra::Vector3::new(x, y, z))
            }
        }

        impl From<[f32; 3]> for $component {
            fn from([x, y, z]: [f32; 3]) -> Self {
                Self::new(x, y, z)
            }
        }

        impl Default for $component {
            fn default() -> Self {
                Self::new($same, $same, $same)
            }
        }
    };
}

pub(crate) use {matrix_component, reads, vector_component, wraps};
