//! The imports of every user: `use legion_transform::prelude::*;`
//!
//! Components, the bundle, [`Transform`], edits and the extension traits. Types that few programs
//! name ([`Findings`](crate::Findings), [`TransformQuery`](crate::TransformQuery),
//! [`Walk`](crate::Walk), [`WriteGroups`](crate::WriteGroups)) stand at the root of the crate,
//! errors in the module that returns them.

pub use crate::{
    bundle::{TransformBuilderExt, TransformSystemBundle},
    components::*,
    edit::{Edits, OnShear},
    query::ReadTransforms,
    spawn::SpawnTransforms,
    transform::Transform,
};
