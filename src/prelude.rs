//! What every user imports: `use legion_transform::prelude::*;`

pub use crate::{
    bundle::{TransformBuilderExt, TransformSystemBundle},
    components::*,
    edit::{EditError, Edits, FailedEdits, IfNotTrs},
    findings::{Finding, FindingKind, Findings},
    query::{FreshWorld, QueryError, ReadTransforms, walk::Walk},
    stats::{RunStats, TransformStats},
    transform::Transform,
    write_group::{WriteGroupFilter, WriteGroups},
};
