//! The kit, with its default settings, on the bundle itself.
#![cfg(not(target_family = "wasm"))]

#[path = "../../src/engine/storage/tests/soak.rs"]
mod soak;

use legion::*;
use legion_transform::prelude::*;
use legion_transform_testing::{Check, Values, config, edits};

/// Adds up in a way that tells every entity on the path from every other: `3 * parent + own`.
#[derive(Clone, Debug)]
struct Tint(u32);

impl Inherited for Tint {
    type Value = u32;
    fn combine(parent: Option<&u32>, own: Option<&Self>) -> u32 {
        parent.unwrap_or(&1).wrapping_mul(3).wrapping_add(own.map_or(0, |own| own.0))
    }
}

/// Takes over `LocalToWorld`.
#[derive(Clone, Debug)]
struct Pinned;

fn bundle() -> TransformSystemBundle {
    TransformSystemBundle::default()
        .track_changes()
        .inherit::<Tint>()
        .write_group::<LocalToWorld, Pinned>()
}

fn check() -> Check {
    let check = Check::default().cases(soak::cases(config().cases));
    check.bundle_alone().inherit::<Tint>().write_group::<LocalToWorld, Pinned>()
}

fn schedule() -> Schedule {
    Schedule::builder().add_transforms(bundle()).build()
}

#[test]
fn ordinary_programs() {
    check().run(edits(), schedule, |_, _| Ok(()));
}

#[test]
fn everything() {
    use proptest::prelude::*;
    let edits = edits().everything().own((0..9_u32).prop_map(Tint)).own(Just(Pinned));
    check().run(edits, schedule, |_, _| Ok(()));
}

#[test]
fn many_at_once() {
    let edits = edits().everything().bulk(150).length(16);
    check().run(edits, schedule, |_, _| Ok(()));
}

#[test]
fn mirrors_and_zeros() {
    let values = Values::default().mirrors().zeros();
    check().run(edits().everything().values(values), schedule, |_, _| Ok(()));
}

#[test]
fn infinities() {
    let values = Values::default().non_finite();
    check().run(edits().everything().values(values), schedule, |_, _| Ok(()));
}

#[test]
fn extremes() {
    let values = Values::default().mirrors().zeros().extremes();
    check().run(edits().everything().values(values), schedule, |_, _| Ok(()));
}

#[test]
fn mistakes() {
    check().run(edits().everything().abuse(), schedule, |_, _| Ok(()));
}

/// Archetypes of hundreds of rows, in which little changes from run to run; and of thousands.
#[test]
fn many_rows() {
    for (rows, cases, length) in [(1_000, 12, 40), (9_000, 2, 24)] {
        let edits = edits().everything().start(4).bulk(rows).most(2 * rows).length(length);
        check().cases(soak::cases(cases)).run(edits, schedule, |_, _| Ok(()));
    }
}
