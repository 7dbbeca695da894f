//! World matrices between runs, and what follows from them.

pub(crate) mod inverse;
pub mod query;
