//! Who hangs off whom: from the `Parent`s that users write to a parents-first order, and to `PreviousParent` and `Children`.

mod bed;
mod children;
mod cycles;
pub mod edit;
pub(crate) mod forest;
mod links;
pub(crate) mod parent_system;
mod planting;
mod previous;
mod rows;
pub mod walk;
