//! A tween moves an entity to a place within some ticks.

use legion::*;
use legion_transform::prelude::*;
use legion_transform_testing::Check;
use proptest::prelude::*;

use super::{Trial, is_found, is_right};

#[derive(Clone, Copy, Debug)]
struct Tween {
    to: f32,
    ticks: u8,
    left: u8,
}

#[system(for_each)]
fn tween(place: &mut Translation, tween: &mut Tween) {
    if tween.left > 0 {
        tween.left -= 1;
        let share = f32::from(tween.ticks - tween.left) / f32::from(tween.ticks);
        place.x += (tween.to - place.x) * share;
    }
}

/// The mistake: a tween of 0 ticks divides 0 by 0.
#[system(for_each)]
fn hasty_tween(place: &mut Translation, tween: &mut Tween) {
    tween.left = tween.left.saturating_sub(1);
    let share = f32::from(tween.ticks - tween.left) / f32::from(tween.ticks);
    place.x += (tween.to - place.x) * share;
}

fn moves(mistaken: bool, trial: Trial) {
    let tweens = (-4..4_i8, 0..3_u8);
    let tweens = tweens.prop_map(|(to, ticks)| Tween { to: f32::from(to), ticks, left: ticks });
    // Extreme numbers overflow without any mistake of the tween's.
    let check = trial.check();
    let check = if trial.extremes { check } else { Check::stays_finite(check) };
    check.run(
        trial.edits().own(tweens),
        || {
            let mut builder = Schedule::builder();
            match mistaken {
                true => builder.add_system(hasty_tween_system()),
                false => builder.add_system(tween_system()),
            };
            builder.add_transforms(TransformSystemBundle::default()).build()
        },
        |_, _| Ok(()),
    );
}

#[test]
fn a_tween_stays_finite() {
    is_right(|trial| moves(false, trial));
}

#[test]
fn a_tween_of_no_ticks_that_makes_nan_is_found() {
    is_found("is not finite", |trial| moves(true, trial));
}
