//! Which entity hangs off which: from the `Parent`s that users write to the [forest](crate::forest), `PreviousParent` and `Children`.

mod apply;
mod children;
mod cycles;
mod duplicates;
mod gains;
mod links;
mod locate;
mod mirror;
mod numbers;
mod operations;
pub(crate) mod parent_system;
mod previous;
mod rows;
mod scan;
