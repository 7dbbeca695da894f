//! Hierarchical transforms for [Legion](legion), the archetypal ECS.
//!
//! You insert components ([`Translation`](components::Translation),
//! [`Rotation`](components::Rotation), [`Scale`](components::Scale),
//! [`Parent`](components::Parent), ...) and add the [`TransformSystemBundle`] to a schedule. After
//! each run every entity's [`LocalToWorld`](components::LocalToWorld), a nalgebra `Matrix4<f32>`,
//! is right, at every depth. In order of importance:
//!
//! 1. **Never wrong after an edit.** After one run every matrix is right. An overwritten one is
//!    computed again within 32 runs, unless a [write group](write_group) protects it. Mistakes do
//!    not panic: the bundle repairs them, or reports them as [`findings`].
//! 2. **Without changes no cost,** and with changes a cost in proportion. No matrix is rewritten
//!    with the same bits.
//! 3. **The same bits** for every number of threads, on every instruction set and [every
//!    platform](guide::install#the-same-bits-on-every-platform).
//!
//! ```
//! use legion::*;
//! use legion_transform::prelude::*;
//!
//! let mut world = World::default();
//! let mut resources = Resources::default();
//! let bundle = TransformSystemBundle::default();
//! bundle.insert_resources(&mut resources);
//! let mut schedule = Schedule::builder().add_transforms(bundle).build();
//!
//! let sun = world.push_transform((Translation::new(100.0, 0.0, 0.0),));
//! let earth = world.push_child(
//!     sun,
//!     (
//!         Translation::new(1.0, 2.0, 3.0),
//!         Rotation::from_rotation_y(0.5), // radians
//!         Scale(2.0), // and your own components
//!     ),
//! );
//! schedule.execute(&mut world, &mut resources);
//!
//! let entry = world.entry(earth).unwrap();
//! assert_eq!(entry.get_component::<LocalToWorld>().unwrap().position(), [101.0, 2.0, 3.0].into());
//! ```
//!
//! [Installing](guide::install) has the features, and two lines for `Cargo.toml` without which
//! debug builds are slow.
//!
//! # The data flows one way
//!
//! ```text
//! components        hierarchy            local                        world
//! what you write -> from Parent:      -> from Eulers, pivots,      -> LocalToWorld, the parent's
//!                   PreviousParent,      T * PSI * R * S of each      times LocalToParent,
//!                   Children,            entity: LocalToParent,       parents first;
//!                   cycles               or a root's LocalToWorld     WorldToLocal
//! ```
//!
//! # Where to look
//!
//! [`guide`] has pages, in reading order. [`components`] are what you write, [`bundle`] has the
//! options, [`spawn`] and [`edit`] make and change entities, [`query`] says where they are *now*,
//! and [`findings`] are your mistakes, with their fixes.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod bundle;
pub mod changes;
pub mod cloning;
pub mod components;
pub mod ecosystem;
pub mod edit;
mod engine;
pub mod findings;
pub mod frames;
pub mod guide;
pub mod interchange;
pub mod math;
pub mod prelude;
pub mod query;
pub mod scene;
pub mod smooth;
pub mod spawn;
pub mod stats;
pub mod transform;
pub mod write_group;

/// The ECS, in the version that this crate was built with.
pub use legion;
/// The types of all values, in the version that this crate was built with.
pub use nalgebra;

#[doc(inline)]
pub use bundle::{TransformBuilderExt, TransformSystemBundle};
#[doc(inline)]
pub use changes::TransformChanges;
#[doc(inline)]
pub use edit::Edits;
#[doc(inline)]
pub use findings::Findings;
#[doc(inline)]
pub use query::{TransformQuery, Walk};
#[doc(inline)]
pub use stats::TransformStats;
#[doc(inline)]
pub use transform::Transform;
#[doc(inline)]
pub use write_group::WriteGroups;

/// The README's programs, compiled and run with the documentation's tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Calls what may panic, as `harness::caught` does for tests that the package does not have. Where
/// a panic ends the process, it is not there, and a test that calls it is left out.
#[cfg(all(test, panic = "unwind"))]
fn caught<R>(call: impl FnOnce() -> R) -> std::thread::Result<R> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(call))
}
