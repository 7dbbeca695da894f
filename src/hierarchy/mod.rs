//! Who hangs off whom: from the `Parent`s that users write to a parents-first order, and to `PreviousParent` and `Children`.

mod bed;
mod children;
mod cycles;
mod duplicates;
pub(crate) mod forest;
mod gains;
mod holes;
mod links;
mod locate;
mod mirror;
mod numbers;
mod operations;
pub(crate) mod parent_system;
#[cfg(feature = "parallel")]
mod parting;
mod planting;
mod previous;
mod replant;
mod rows;
mod scan;
