//! The imports of every user: `use legion_transform::prelude::*;`
//!
//! Components, the bundle, [`Transform`], edits, queries, the resources that the bundle fills, and
//! the extension traits. Types that few programs name ([`TransformStats`](crate::TransformStats),
//! [`WriteGroups`](crate::WriteGroups)) stand at the root of the crate, errors in the module that
//! returns them.

pub use crate::{
    bundle::{TransformBuilderExt, TransformSystemBundle},
    changes::TransformChanges,
    components::*,
    edit::{Edits, OnShear},
    findings::Findings,
    query::{ReadTransforms, TransformQuery, Walk},
    read_transforms,
    spawn::SpawnTransforms,
    transform::Transform,
};
