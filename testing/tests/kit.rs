//! What the kit promises of itself: what passes has been tested, and what fails says why.
#![cfg(not(target_family = "wasm"))]

use std::{
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind},
};

use legion::*;
use legion_transform::prelude::*;
use legion_transform_testing::{
    Cast, Check, Edit, Kind, OwnEdit, Reference, Snapshot, Step, Values, check_histories,
    check_system, config, edits,
};
use nalgebra::Matrix4;
use proptest::prelude::*;

fn bundle() -> TransformSystemBundle {
    TransformSystemBundle::default()
}

/// The message with which a check fails.
fn message(check: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(check)).expect_err("it fails");
    panic.downcast_ref::<String>().expect("a panic with a message").clone()
}

#[derive(Clone, Copy, Debug)]
struct Turret;

#[system(for_each)]
fn aim(rotation: &mut Rotation, _: &Turret) {
    *rotation = Rotation::identity();
}

/// Without `.own(..)` no entity is a turret, and whatever is promised of turrets holds.
#[test]
fn a_check_that_tested_nothing_fails() {
    let schedule = || Schedule::builder().add_system(aim_system()).add_transforms(bundle()).build();
    let few = Check::default().cases(16);
    let text = message(|| drop(few.run(edits(), schedule, |_, _| Ok(()))));
    assert!(text.starts_with("nothing was tested of Turret: "), "{text}");
    let seen = check_system(edits().own(Just(Turret)), schedule, |_, _| Ok(()));
    assert!(seen.entities_with::<Turret>() > 1_000, "{seen}");
    assert!(seen.worlds > 256 && seen.edits > 2_000 && seen.runs > 500, "{seen}");
    assert!(seen.to_string().contains(" with Turret"), "{seen}");
}

struct Clock(u64);

#[system]
fn advance(#[resource] clock: &mut Clock) {
    clock.0 += 1;
}

#[test]
fn a_missing_resource_is_named() {
    let schedule =
        || Schedule::builder().add_system(advance_system()).add_transforms(bundle()).build();
    let text = message(|| drop(check_system(edits(), schedule, |_, _| Ok(()))));
    assert!(text.contains("[\"Clock\"]") && text.contains("Check::resources"), "{text}");
    assert!(text.lines().count() <= 3, "{text}");
    let check = Check::default().cases(8).resources(|resources| resources.insert(Clock(0)));
    check.run(edits(), schedule, |_, resources| {
        assert!(resources.get::<Clock>().unwrap().0 > 0);
        Ok(())
    });
}

/// In the beginning, in large worlds and in all edits.
#[test]
fn entities_have_no_components_but_those_that_are_named() {
    let schedule = || Schedule::builder().add_transforms(bundle()).build();
    for kinds in [&[Kind::Translation, Kind::Scale][..], &[Kind::Rotation]] {
        let edits = edits().components(kinds.iter().copied());
        Check::default().cases(64).run(edits, schedule, |world, _| {
            let others = [Kind::Translation, Kind::Rotation, Kind::Scale, Kind::NonUniformScale];
            for kind in others.into_iter().filter(|kind| !kinds.contains(kind)) {
                let snapshot = Snapshot::of(world);
                prop_assert!(!snapshot.rows.iter().any(|row| row.has(kind)), "{kind:?}");
            }
            Ok(())
        });
    }
}

#[test]
fn edits_are_left_out() {
    let edits = edits().everything().without(Edit::Write).without(Edit::Migrate).bulk(4);
    check_histories(config(), edits, |history| {
        let is_left_out =
            |step: &Step| matches!(step, Step::Each(..) | Step::Tag(_) | Step::Write(..));
        prop_assert!(!history.steps().any(is_left_out));
        Ok(())
    });
}

/// `Rotation` beside angles is written in vain. That may be meant.
#[test]
fn what_does_not_count_may_be_written_if_that_is_said() {
    #[system(for_each)]
    fn turn(rotation: &mut Rotation, _: &RotationEulerXYZ) {
        *rotation = Rotation::from_rotation_z(1.0);
    }
    let schedule =
        || Schedule::builder().add_system(turn_system()).add_transforms(bundle()).build();
    let edits = || edits().and(&[Kind::RotationEulerXYZ]);
    let text = message(|| drop(check_system(edits(), schedule, |_, _| Ok(()))));
    assert!(text.starts_with("a system wrote Rotation of "), "{text}");
    Check::default().cases(64).may_write_in_vain().run(edits(), schedule, |_, _| Ok(()));
}

/// An entity becomes twice as large, whatever its scale is called.
#[derive(Debug)]
struct Grow(usize);

impl OwnEdit for Grow {
    fn play(&self, world: &mut World, _: &mut Resources, cast: &mut Cast) {
        let entity = cast.pick(self.0).and_then(|entity| world.entry(entity));
        let Some(mut entry) = entity else { return };
        if let Ok(axes) = entry.get_component_mut::<NonUniformScale>() {
            axes.0 *= 2.0;
        } else if let Ok(scale) = entry.get_component_mut::<Scale>() {
            scale.0 *= 2.0;
        } else {
            entry.add_component(Scale(2.0));
        }
    }
}

/// `Check::edits_keep_meaning` shows an edit with a mistake, which is found.
#[test]
fn an_edit_that_keeps_what_components_mean_passes() {
    for values in [Values::default(), Values::default().extremes()] {
        let edits = edits().values(values).most(100).edit((0..12_usize).prop_map(Grow));
        let schedule = || Schedule::builder().add_transforms(bundle()).build();
        Check::default().cases(64).edits_keep_meaning().run(edits, schedule, |_, _| Ok(()));
    }
}

/// A tween of no ticks divides by 0.
#[test]
fn numbers_that_are_not_finite_are_found_if_they_are_forbidden() {
    #[system(for_each)]
    fn tween(place: &mut Translation) {
        place.x += 1.0 / (place.y - place.y);
    }
    let schedule =
        || Schedule::builder().add_system(tween_system()).add_transforms(bundle()).build();
    let check = Check::default().cases(16);
    check.run(edits(), schedule, |_, _| Ok(()));
    let check = check.stays_finite();
    let text = message(|| drop(check.run(edits(), schedule, |_, _| Ok(()))));
    assert!(text.contains("is not finite"), "{text}");
}

/// Each element of a `WorldToLocal` in turn is off by 1e-5 of the largest: all of that is found.
#[test]
fn small_errors_of_inverses_are_found() {
    let mut world = World::default();
    let turned = Rotation::from_rotation_z(0.6);
    let parent = world.push_transform((Translation::new(1.0, 2.0, 3.0), turned, Scale(2.0)));
    let child = world.push_child(parent, (Translation::new(-1.0, 0.5, 0.0), turned));
    world.entry(child).unwrap().add_component(WorldToLocal::identity());
    let mut schedule = Schedule::builder().add_transforms(bundle()).build();
    schedule.execute(&mut world, &mut Resources::default());
    assert!(Reference::of(&world).check(&world).is_ok());
    let right = *world.entry(child).unwrap().get_component::<WorldToLocal>().unwrap();
    for index in (0..16).filter(|index| index % 4 < 3) {
        let mut wrong: Matrix4<f32> = right.0;
        wrong[index] += 1e-5 * right.0.amax();
        world.entry(child).unwrap().add_component(WorldToLocal(wrong));
        assert!(Reference::of(&world).check(&world).is_err(), "element {index}");
    }
}

/// Whether a word of a program is an entity: `c` or `e26`.
fn is_name(word: &str) -> bool {
    let number = word.strip_prefix('e').filter(|number| !number.is_empty());
    let is_letter = word.len() == 1 && word.as_bytes()[0].is_ascii_lowercase();
    is_letter || number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[test]
fn programs_name_no_entity_that_they_did_not_spawn() {
    let edits = edits().everything().abuse().bulk(5).length(60);
    check_histories(config(), edits, |history| {
        let mut known = HashSet::new();
        for line in format!("{history:?}").lines() {
            let new = line.strip_prefix("let ").and_then(|line| line.split_once(' '));
            let words = line.split(|letter: char| !letter.is_ascii_alphanumeric());
            for word in words.filter(|word| is_name(word)) {
                let is_new = new.is_some_and(|(name, _)| name == word);
                assert!(is_new || known.contains(word), "{word} is not known in {line}");
            }
            known.extend(new.map(|(name, _)| name.to_owned()));
        }
        Ok(())
    });
}
