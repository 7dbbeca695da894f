//! What judges of the bundle itself need, beside the reference: the formulas with their error
//! bounds, inverses, what is inherited, and write groups.

pub mod formulas;
pub mod frames;
pub mod groups;
pub mod inherits;
pub mod inverse;
pub mod motion;
