//! What a run must make of a world: relations, values, findings, versions.

pub(crate) mod findings;
pub(crate) mod relations;
pub(crate) mod run;
pub(crate) mod smooth;
pub(crate) mod steps;
pub(crate) mod values;
pub(crate) mod versions;
