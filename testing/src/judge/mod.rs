//! Whether a run has made of a world what it must, and whether an edit has kept what it meant.

pub(crate) mod case;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod findings;
pub(crate) mod idle;
pub(crate) mod list_mirror;
pub(crate) mod meaning;
pub(crate) mod mismatch;
pub(crate) mod relations;
pub(crate) mod run;
pub(crate) mod seen;
pub(crate) mod smooth;
pub(crate) mod spy;
pub(crate) mod steps;
pub(crate) mod values;
pub(crate) mod versions;
