//! Several worlds, merged worlds, and worlds that are wrong in every way: results are defined, and
//! nothing panics.

mod bad_input;
#[cfg(all(feature = "serde", panic = "unwind"))]
mod damaged_bare_scenes;
#[cfg(feature = "serde")]
mod damaged_columns;
mod damaged_worlds;
#[cfg(panic = "unwind")]
mod interrupted_edits;
mod one_without_the_other;
#[cfg(panic = "unwind")]
mod panicking_subscribers;
mod several_bundles;
mod several_worlds;
mod stolen_columns;
#[cfg(panic = "unwind")]
mod turns;
