//! Property tests for systems around [`legion_transform`]: random worlds, edits of them, and an
//! independent reference in `f64` that says what every matrix must be.
//!
//! You write a system: something that aims, animates, imports, replicates, or moves what it finds
//! in a world. You write down what it promises. The kit makes up worlds, plays them through your
//! schedule, and hands back the shortest program that breaks the promise:
//!
//! ```
//! use legion::*;
//! use legion_transform::prelude::*;
//! use legion_transform_testing::{check_system, edits};
//! use proptest::prelude::*;
//!
//! /// Nothing may fall through the floor.
//! #[system(for_each)]
//! fn land(place: &mut Translation) {
//!     place.z = place.z.max(0.0);
//! }
//!
//! # let test = || {
//! check_system(
//!     edits(),
//!     || {
//!         let bundle = TransformSystemBundle::default();
//!         Schedule::builder().add_system(land_system()).add_transforms(bundle).build()
//!     },
//!     |world, _| {
//!         for matrix in <&LocalToWorld>::query().iter(world) {
//!             prop_assert!(matrix.position().z >= 0.0);
//!         }
//!         Ok(())
//!     },
//! );
//! # };
//! # let panic = std::panic::catch_unwind(test).unwrap_err();
//! # assert!(panic.downcast_ref::<String>().unwrap().contains("Parent("));
//! ```
//!
//! It fails. No `Translation` is below the floor, but the child of a parent that is turned over is:
//!
//! ```text
//! assertion failed: matrix.position().z >= 0.0 at src/main.rs:18
//! after
//! let a = world.push((LocalToWorld::identity(),));
//! let b = world.push((LocalToWorld::identity(), Rotation(UnitQuaternion::new_unchecked(Quaternion::new(-4.371139e-8, -1.0, 0.0, 0.0)))));
//! let c = world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(b), Translation::new(0.0, -0.25, 0.0)));
//! schedule.execute(&mut world, &mut resources);
//! ```
//!
//! Three longer ones, with what they print: [`examples`]. `tests/systems` has seven, each also
//! with a mistake, which is found.
//!
//! # What there is
//!
//! | to | use |
//! | --- | --- |
//! | check a system on random worlds and edits | [`check_system`], with options [`Check`] |
//! | make up components | [`translation`], [`rotation`], [`scale`], [`transform`], [`component_of`]; [`Values`]: ranges, mirrors, zeros, infinities |
//! | make up trees | [`Forest`], [`chain`], [`wide`], [`Trees`] |
//! | make up edits | [`edits`](fn@edits): worlds with a [`History`] that shrinks and prints as a program |
//! | have more of them, or yours | [`Histories`]: many entities at once, mistakes, garbage, [`OwnEdit`] |
//! | judge histories yourself, in several worlds | [`check_histories`], [`History::follow`], [`Step::play`] |
//! | know what a world must be | [`Reference`], [`assert_up_to_date`] |
//! | judge a run step by step: relations, values, findings, versions | [`RunJudge`] |
//! | see that an idle system writes nothing | [`assert_nothing_rewritten`] |
//! | see that what changes moves its version | [`assert_versions_moved`] |
//! | see that the list of changes is complete | [`ListMirror`] |
//! | see that a `Smooth` is where it must be | [`SmoothMirror`] |
//! | see that your own edits keep what components mean | [`Check::edits_keep_meaning`], [`Meaning`] |
//! | write a judge of your own | [`snapshot`], [`links`]; with the feature `judges` also `mismatch`, `formulas`, `inverse`, `inherits`, `groups` |
//! | make every edit by name, the crate's own too | `catalogue`, with the feature `judges` |
//!
//! # What a failing test prints
//!
//! First what failed: the property's own message, or a [`Mismatch`] that names the entity, the
//! component, what it must be, what it is, by how much it is off and in which unit, and the chain
//! of parents. Then, after the word "after", a program. Paste it into a test, below these lines:
//!
//! ```
//! use legion::*;
//! use legion_transform::prelude::*;
//! use nalgebra::{Matrix4, Quaternion, UnitQuaternion};
//!
//! let (mut world, mut resources) = (World::default(), Resources::default());
//! let mut schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
//! # let _ = (Matrix4::<f32>::identity(), Quaternion::<f32>::identity());
//! # let _ = UnitQuaternion::<f32>::identity();
//! # schedule.execute(&mut world, &mut resources);
//! ```
//!
//! # The same cases each time
//!
//! [`check_system`] makes up the same 321 worlds in each run, on each machine: a test that passes
//! does not fail after an unrelated change. The environment variable `PROPTEST_CASES=10000` asks
//! for more, `PROPTEST_RNG_SEED=7` for others. In your own `proptest!`, [`config`] does the same.
//!
//! One thing is not the same. All worlds of a process share Legion's counter of versions, so what
//! counts as written in a world may depend on the tests that run beside it. Matrices do not depend
//! on it. How much is listed without need does: run such a test in a process of its own.
//!
//! # What passes
//!
//! A check that tested nothing fails. Each component that your own system asks for must have been
//! on some entity, and so must those that [`components`](Histories::components) names. [`Seen`]
//! says how many there were. A system must not write what does not count: `Rotation` beside Euler
//! angles, for example ([`Check::may_write_in_vain`] allows it). Numbers that are not finite are
//! yours to forbid: [`Check::stays_finite`].
//!
//! # Whether the kit itself is right
//!
//! Its reference is compared with answers worked out by hand, one for each rule, and calls no
//! function of `legion_transform` and no function of nalgebra's that composes or inverts.
//! Faults that are planted in the engine show what the kit alone finds.

#[cfg(feature = "judges")]
pub mod catalogue;
#[cfg(not(target_family = "wasm"))]
pub mod examples;
mod judge;
pub mod kind;
mod numeric;
#[cfg_attr(not(feature = "judges"), allow(dead_code, reason = "judges alone need all of it"))]
mod reference;
pub mod snapshot;
mod table;
mod world;

#[cfg(feature = "judges")]
pub use judge::values::mismatch;
pub use judge::{
    check::{Check, check_histories, check_system, config},
    compare::assert_up_to_date,
    findings::findings,
    idle::{assert_nothing_rewritten, assert_versions_moved},
    list_mirror::ListMirror,
    meaning::{LostMeaning, Meaning},
    mismatch::Mismatch,
    relations::assert_relations,
    run::RunJudge,
    seen::Seen,
    smooth::SmoothMirror,
};
pub use kind::{Kind, Numbers, Numeric};
pub use reference::{
    Reference,
    bounded::{Bounded, Element},
    effective::effective,
    known::Derived,
    links,
    setup::{OwnSystem, Setup},
};
#[cfg(feature = "judges")]
pub use reference::{formulas, frames, groups, inherits, inverse, motion};
pub use snapshot::Snapshot;
#[cfg(not(target_family = "wasm"))]
pub use world::edits::HistoryTree;
pub use world::{
    edits::{Cast, Edit, Histories, History, OwnEdit, Rows, Step, edits},
    strategies::{
        Forest, Node, Trees, Values, chain, component_of, rotation, scale, transform, translation,
        wide,
    },
    value::{OwnValue, Value},
};

/// The README's program, compiled and run with the documentation's tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
