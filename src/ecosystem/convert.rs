//! Conversions for other mathematics crates, by the kind of value a component holds.

/// `From` both ways between components and a foreign type, through nalgebra's own conversions.
macro_rules! converts {
    ($kind:ident: $foreign:ty, |$out:ident| $to:expr, |$in:ident| $from:expr) => {
        $kind!($foreign, |$out| $to, |$in| $from);
    };
}

macro_rules! each {
    (
        $foreign:ty, |$out:ident| $to:expr, |$in:ident| $from:expr; $value:ty;
        $($component:ident),*
    ) => {$(
        impl From<$foreign> for $component {
            fn from($in: $foreign) -> Self {
                let value: $value = $from;
                Self::from(value)
            }
        }
        impl From<$component> for $foreign {
            fn from(component: $component) -> Self {
                let $out: $value = component.into();
                $to
            }
        }
    )*};
}

macro_rules! vectors {
    ($foreign:ty, |$out:ident| $to:expr, |$in:ident| $from:expr) => {
        $crate::ecosystem::convert::each!(
            $foreign, |$out| $to, |$in| $from; Vector3<f32>;
            Translation, NonUniformScale, Shear,
            RotationPivot, RotationPivotTranslation, ScalePivot, ScalePivotTranslation,
            RotationEulerXYZ, RotationEulerXZY, RotationEulerYXZ,
            RotationEulerYZX, RotationEulerZXY, RotationEulerZYX,
            PostRotationEulerXYZ, PostRotationEulerXZY, PostRotationEulerYXZ,
            PostRotationEulerYZX, PostRotationEulerZXY, PostRotationEulerZYX
        );
    };
}

macro_rules! rotations {
    ($foreign:ty, |$out:ident| $to:expr, |$in:ident| $from:expr) => {
        $crate::ecosystem::convert::each!(
            $foreign, |$out| $to, |$in| unit_or_same(UnitQuaternion::new_unchecked($from));
            UnitQuaternion<f32>; Rotation, PostRotation
        );
    };
}

macro_rules! matrices {
    ($foreign:ty, |$out:ident| $to:expr, |$in:ident| $from:expr) => {
        $crate::ecosystem::convert::each!(
            $foreign, |$out| $to, |$in| $from; Matrix4<f32>;
            LocalToWorld, LocalToParent, WorldToLocal,
            CompositeRotation, CompositeScale, ParentScaleInverse
        );
    };
}

pub(crate) use {converts, each, matrices, rotations, vectors};
