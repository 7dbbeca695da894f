//! Other formats, plain numbers, and the algebra of transforms.

mod algebra;
mod interchange;
mod normals_and_views;
mod parts;
