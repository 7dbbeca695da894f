//! What follows from world matrices.

pub(crate) mod inverse;
