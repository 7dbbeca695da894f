//! Where everything is.

pub mod query;
