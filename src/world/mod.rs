//! World matrices, and the raw access to Legion's storage that computing them takes.

pub(crate) mod inverse;
pub(crate) mod propagate;
pub(crate) mod slices;
