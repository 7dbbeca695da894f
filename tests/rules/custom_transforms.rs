//! Sections 6 and 7 of Unity's document "TransformSystem": every archetype that its tables discuss,
//! with the document's own systems written against this crate's API.

mod extending;
mod hierarchy;
mod maya_table;
mod overriding;
mod support;
mod systems;
