//! Maya's and FBX's transform attributes: the matrices that the formats' own formulas give, from
//! this crate's components.

mod fbx;
mod maya;
mod maya_row_vectors;
mod support;
