//! What every user imports: `use legion_transform::prelude::*;`

pub use crate::{
    bundle::{TransformBuilderExt, TransformSystemBundle},
    components::*,
    findings::{Finding, FindingKind, Findings},
    hierarchy::{
        edit::{EditError, Edits, FailedEdits, IfNotTrs},
        walk::Walk,
    },
    stats::{RunStats, TransformStats},
    transform::Transform,
    world::query::{FreshWorld, QueryError, ReadTransforms},
    write_group::{WriteGroupFilter, WriteGroups},
};
