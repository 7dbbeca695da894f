//! Local matrices: from what users write to `LocalToParent`, or to the `LocalToWorld` of an entity
//! without parent.

pub(crate) mod compose;
mod composite;
mod euler;
mod finite;
pub(crate) mod input_cache;
pub(crate) mod parent_scale;
mod plain;
mod trs;
pub(crate) mod update;
