//! Who hangs off whom.

pub mod edit;
pub mod walk;
