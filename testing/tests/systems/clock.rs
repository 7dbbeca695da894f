//! A drifting entity goes one unit along x for each tick of a clock.

use legion::*;
use legion_transform::prelude::*;
use legion_transform_testing::{Edit, Kind};
use proptest::prelude::*;

use super::{Trial, is_found, is_near, is_ordinary, is_right};

#[derive(Clone, Copy, Debug)]
struct Drift {
    from: f32,
    since: u32,
}

struct Clock(u32);

#[system]
fn advance(#[resource] clock: &mut Clock) {
    clock.0 += 1;
}

#[system(for_each)]
fn drift(place: &mut Translation, drift: &mut Drift, #[resource] clock: &Clock) {
    if drift.since == 0 {
        *drift = Drift { from: place.x, since: clock.0 };
    }
    place.x = drift.from + (clock.0 - drift.since) as f32;
}

/// The mistake is to forget when the entity came.
#[system(for_each)]
fn forgetful_drift(place: &mut Translation, drift: &mut Drift, #[resource] clock: &Clock) {
    if drift.since == 0 {
        *drift = Drift { from: place.x, since: clock.0 };
    }
    place.x = drift.from + clock.0 as f32;
}

fn drifts(mistaken: bool, trial: Trial) {
    let edits = trial.edits().components([Kind::Translation, Kind::Scale]);
    trial.check().resources(|resources| resources.insert(Clock(0))).run(
        edits.without(Edit::Write).own(Just(Drift { from: 0.0, since: 0 })),
        || {
            let mut builder = Schedule::builder();
            builder.add_system(advance_system());
            match mistaken {
                true => builder.add_system(forgetful_drift_system()),
                false => builder.add_system(drift_system()),
            };
            builder.add_transforms(TransformSystemBundle::default()).build()
        },
        |world, resources| {
            if !is_ordinary(world) {
                return Ok(());
            }
            let clock = resources.get::<Clock>().unwrap().0;
            for (place, drift) in <(&Translation, &Drift)>::query().iter(world) {
                let gone = (clock - drift.since) as f32;
                prop_assert!(is_near(place.x - drift.from, gone, place.x.abs()));
            }
            Ok(())
        },
    );
}

#[test]
fn what_drifts_goes_with_the_clock() {
    is_right(|trial| drifts(false, trial));
}

#[test]
fn what_forgets_when_it_came_is_found() {
    is_found("Drift", |trial| drifts(true, trial));
}
