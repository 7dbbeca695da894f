//! Nothing with a `Walker` falls through the floor of the world.

use legion::*;
use legion_transform::prelude::*;
use proptest::prelude::*;

use super::{Trial, is_found, is_ordinary, is_right};

#[derive(Clone, Copy, Debug)]
struct Walker;

/// Lifts walkers in the world. The mistake is to lift them in the space of the parent.
fn land(world: &mut World, in_the_space_of_the_parent: bool) {
    let mut walkers = <(Entity, &Walker, &Translation)>::query();
    let all: Vec<Entity> = walkers.iter(world).map(|(entity, ..)| *entity).collect();
    for entity in all {
        if in_the_space_of_the_parent {
            let mut entry = world.entry(entity).unwrap();
            let place = entry.get_component_mut::<Translation>().unwrap();
            place.z = place.z.max(0.0);
            continue;
        }
        let Ok(at) = TransformQuery::new(&*world).position(entity) else { continue };
        if at.z < 0.0 {
            let up = nalgebra::Vector3::new(0.0, 0.0, -at.z);
            let _ = world.translate(entity, up);
        }
    }
}

fn stays_above(mistaken: bool, trial: Trial) {
    trial.check().run(
        trial.edits().own(Just(Walker)),
        || {
            let mut builder = Schedule::builder();
            builder.add_thread_local_fn(move |world, _| {
                // Those above may lift those below, and never lower them.
                (0..40).for_each(|_| land(world, mistaken));
            });
            builder.add_transforms(TransformSystemBundle::default()).build()
        },
        |world, _| {
            for (matrix, ..) in <(&LocalToWorld, &Walker, &Translation)>::query().iter(world) {
                let z = matrix.position().z;
                prop_assert!(!is_ordinary(world) || z >= -1e-2, "{z}");
            }
            Ok(())
        },
    );
}

#[test]
fn walkers_stay_above_the_floor() {
    is_right(|trial| stays_above(false, trial));
}

#[test]
fn walkers_that_stand_in_the_space_of_their_parent_are_found() {
    is_found("Walker", |trial| stays_above(true, trial));
}
