//! What follows from world matrices, and answers about them.

pub(crate) mod inverse;
pub mod query;
