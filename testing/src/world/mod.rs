//! Random worlds, and what happens to them: components, trees, and histories of edits that shrink
//! and print as programs.

pub(crate) mod edits;
pub(crate) mod program;
pub(crate) mod source;
pub(crate) mod strategies;
pub(crate) mod value;
