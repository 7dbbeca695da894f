//! The imports of every user: `use legion_transform::prelude::*;`
//!
//! The components that most programs name, the bundle, [`Transform`], edits, queries, the resources
//! that the bundle fills, and the extension traits. All components are in
//! [`components`](crate::components). Types that few programs name stand at the root of the crate,
//! errors in the module that returns them.

pub use crate::{
    bundle::{TransformBuilderExt, TransformSystemBundle},
    changes::TransformChanges,
    components::{
        Children, Effective, EulerOrder, Inherited, Inherits, LocalToParent, LocalToWorld,
        NonUniformScale, Parent, ParentScaleInverse, PostRotation, PostRotationEulerXYZ, Rotation,
        RotationEulerXYZ, Scale, Translation, WorldToLocal,
    },
    edit::{EditTransforms, Edits, OnShear},
    findings::Findings,
    query::{ReadTransforms, TransformQuery, Walk},
    read_transforms,
    spawn::SpawnTransforms,
    transform::Transform,
};
