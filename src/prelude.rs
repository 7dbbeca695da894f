//! The imports of every user: `use legion_transform::prelude::*;`
//!
//! Components, the bundle, [`Transform`], edits, queries, the resources that the bundle fills, and
//! the extension traits. Types that few programs name ([`TransformStats`](crate::TransformStats),
//! [`WriteGroups`](crate::WriteGroups)) stand at the root of the crate, errors in the module that
//! returns them, and [`PreviousParent`](crate::components::PreviousParent), the bundle's own
//! record, in [`components`](crate::components).

pub use crate::{
    bundle::{TransformBuilderExt, TransformSystemBundle},
    changes::TransformChanges,
    components::{
        Children, CompositeRotation, CompositeScale, Effective, EulerOrder, Frame, Inherited,
        Inherits, LocalToParent, LocalToWorld, NonUniformScale, Parent, ParentScaleInverse,
        PostRotation, PostRotationEulerXYZ, PostRotationEulerXZY, PostRotationEulerYXZ,
        PostRotationEulerYZX, PostRotationEulerZXY, PostRotationEulerZYX, RenderLayers, Rotation,
        RotationEulerXYZ, RotationEulerXZY, RotationEulerYXZ, RotationEulerYZX, RotationEulerZXY,
        RotationEulerZYX, RotationPivot, RotationPivotTranslation, Scale, ScalePivot,
        ScalePivotTranslation, Shear, Translation, Visible, WorldToLocal,
    },
    edit::{EditTransforms, Edits, OnShear},
    findings::Findings,
    query::{ReadTransforms, TransformQuery, Walk},
    read_transforms,
    spawn::SpawnTransforms,
    transform::Transform,
};
