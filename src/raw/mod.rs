//! The formulas for the instruction sets of the machine at hand.

pub(crate) mod kernel;
