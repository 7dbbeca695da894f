//! A camera hangs 5 above what it follows, in the world.

use legion::{world::SubWorld, *};
use legion_transform::prelude::*;
use proptest::prelude::*;

use super::{Trial, is_found, is_near, is_ordinary, is_right};

#[derive(Clone, Copy, Debug)]
struct Followed;

/// Where the camera is.
#[derive(Default)]
struct Camera([f32; 3]);

read_transforms! {
    /// The mistake is to take the translation of what is followed for its place in the world.
    #[system]
    #[read_component(Followed)]
    fn follow(
        world: &SubWorld<'_>,
        #[resource] camera: &mut Camera,
        #[state] takes_the_translation: &bool,
    ) {
        let mut followed = <(Entity, &LocalToWorld, &Followed, Option<&Translation>)>::query();
        if let Some((&entity, .., place)) = followed.iter(world).next() {
            let at = match place.filter(|_| *takes_the_translation) {
                Some(place) => place.vector,
                None => TransformQuery::new(world).position(entity).unwrap().coords,
            };
            camera.0 = [at[0], at[1], at[2] + 5.0];
        }
    }
}

fn is_above(mistaken: bool, trial: Trial) {
    trial.check().resources(|resources| resources.insert(Camera::default())).run(
        trial.edits().own(Just(Followed)),
        || {
            let mut builder = Schedule::builder();
            builder.add_transforms(TransformSystemBundle::default());
            builder.add_system(follow_system(mistaken)).build()
        },
        |world, resources| {
            let camera = resources.get::<Camera>().unwrap();
            let first = <(&LocalToWorld, &Followed)>::query().iter(world).next();
            if let Some((matrix, _)) = first.filter(|_| is_ordinary(world)) {
                let at = matrix.position();
                prop_assert!(is_near(camera.0[2] - 5.0, at.z, at.z.abs()));
                prop_assert!(is_near(camera.0[0], at.x, at.x.abs()));
            }
            Ok(())
        },
    );
}

#[test]
fn a_camera_is_above_what_it_follows() {
    is_right(|trial| is_above(false, trial));
}

#[test]
fn a_camera_that_takes_the_translation_is_found() {
    is_found("is_near", |trial| is_above(true, trial));
}
