//! The imports of every user: `use legion_transform::prelude::*;`
//!
//! The components that most programs name, the bundle, [`Transform`], edits, queries, the resources
//! that the bundle fills, and the extension traits. The rest is in the modules, and at the root of
//! the crate.

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
