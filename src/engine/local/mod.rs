//! Local matrices: from the components that users write to `LocalToParent`, or to the
//! `LocalToWorld` of an entity without parent.
//!
//! ```text
//! Euler angles --euler--> Rotation, PostRotation --composite--> CompositeRotation, CompositeScale
//! scale of the parent --parent_scale--> ParentScaleInverse
//! all of these --columns--> local matrix
//! changed local matrices --results--> versions, the list of changes, marks in the forest
//! ```
//!
//! # One tick, with numbers
//!
//! A user turns `RotationEulerXYZ` of row 5 in an archetype of 10,000 linked entities:
//!
//! ```text
//! inputs     angles are compared with their copy; row 5 differs and is due
//! euler      its rotation is computed, differs and is written
//! columns    its matrix is composed and differs
//! results    the version of `LocalToParent` is bumped once; the node of row 5 is dirty
//! ```
//!
//! Legion's versions say only that a column may have been written. So each system compares before
//! it writes, and a version is bumped only where a value has changed. An archetype is skipped if no
//! input and no result was written there, no entity came, and none of its rows is due.

mod columns;
mod composite;
mod context;
mod euler;
mod inputs;
mod parent_scale;
mod results;
mod rows;
mod systems;
mod work;

pub(crate) use context::Context;
pub(crate) use rows::Rows;
pub(crate) use systems::LocalSystems;
