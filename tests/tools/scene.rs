//! Default conversion: which components each node gets, with which values, and that the first run
//! finds nothing to do.

mod errors;
mod forests;
mod subtree;
mod support;
mod versions;
mod whole;
