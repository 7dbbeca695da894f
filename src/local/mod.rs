//! Local matrices: from the components that users write to `LocalToParent`, or to the
//! `LocalToWorld` of an entity without parent.
//!
//! ```text
//! Euler angles --euler--> Rotation, PostRotation --composite--> CompositeRotation, CompositeScale
//! scale of the parent --parent_scale--> ParentScaleInverse
//! all of these --plain (T R S) or general (the rest)--> local matrix
//! changed local matrices --results--> versions, the list of changes, marks in the forest
//! ```

mod composite;
mod context;
mod euler;
mod general;
mod parent_scale;
mod plain;
mod results;
mod systems;
mod update;
mod work;

pub(crate) use context::Context;
pub(crate) use systems::LocalSystems;
pub(crate) use update::update;
