//! What is doomed goes, with all that hangs off it.

use legion::*;
use legion_transform::prelude::*;
use proptest::prelude::*;

use super::{Trial, is_found, is_right};

#[derive(Clone, Copy, Debug)]
struct Doomed;

/// How many entities must be left.
#[derive(Default)]
struct Left(usize);

/// The mistake is to leave alone those that hang off the children.
fn demolish(world: &mut World, resources: &mut Resources, children_only: bool) {
    let doomed: Vec<Entity> =
        <(Entity, &Doomed)>::query().iter(world).map(|(entity, _)| *entity).collect();
    let (mut all, mut direct) = (doomed.clone(), doomed.clone());
    let walk = Walk::fresh(&*world).unwrap();
    for &entity in &doomed {
        all.extend(walk.descendants(entity));
        direct.extend(walk.children(entity));
    }
    drop(walk);
    all.sort_by_key(|entity| format!("{entity:?}"));
    all.dedup();
    resources.insert(Left(world.len() - all.len()));
    for entity in if children_only { direct } else { all } {
        world.remove(entity);
    }
}

fn goes_with_all(mistaken: bool, trial: Trial) {
    trial.check().run(
        trial.edits().own(Just(Doomed)),
        || {
            let mut builder = Schedule::builder();
            builder.add_thread_local_fn(move |world, resources| {
                demolish(world, resources, mistaken);
            });
            builder.add_transforms(TransformSystemBundle::default()).build()
        },
        |world, resources| {
            prop_assert_eq!(world.len(), resources.get::<Left>().unwrap().0, "some are left over");
            Ok(())
        },
    );
}

#[test]
fn what_is_doomed_goes_with_all_below_it() {
    is_right(|trial| goes_with_all(false, trial));
}

#[test]
fn grandchildren_that_are_left_over_are_found() {
    is_found("some are left over", |trial| goes_with_all(true, trial));
}
