//! What every user imports: `use legion_transform::prelude::*;`

pub use crate::{
    bundle::{TransformBuilderExt, TransformSystemBundle},
    components::*,
    findings::{Finding, FindingKind, Findings},
    stats::{RunStats, TransformStats},
    write_group::{WriteGroupFilter, WriteGroups},
};
