//! Each entity knows how many there are below it.

use std::collections::HashMap;

use legion::*;
use legion_transform::prelude::*;
use proptest::prelude::*;

use super::{Trial, is_found, is_right};

#[derive(Default)]
struct Below(HashMap<Entity, usize>);

/// After the bundle, from `Children`. The mistake is to count the children alone.
fn count(world: &World, below: &mut Below, children_only: bool) {
    below.0.clear();
    let parents: HashMap<Entity, Vec<Entity>> = <(Entity, &Children)>::query()
        .iter(world)
        .map(|(entity, children)| (*entity, children.to_vec()))
        .collect();
    for (&parent, children) in &parents {
        let mut left = children.clone();
        let mut count = 0;
        while let Some(entity) = left.pop() {
            count += 1;
            if !children_only {
                left.extend(parents.get(&entity).into_iter().flatten());
            }
        }
        below.0.insert(parent, count);
    }
}

fn counts(mistaken: bool, trial: Trial) {
    trial.check().resources(|resources| resources.insert(Below::default())).run(
        trial.edits(),
        || {
            let mut builder = Schedule::builder();
            builder.add_transforms(TransformSystemBundle::default());
            builder.add_thread_local_fn(move |world, resources| {
                count(world, &mut resources.get_mut::<Below>().unwrap(), mistaken);
            });
            builder.build()
        },
        |world, resources| {
            let below = resources.get::<Below>().unwrap();
            let walk = Walk::new(world).unwrap();
            for (parent, count) in &below.0 {
                prop_assert_eq!(*count, walk.descendants(*parent).count(), "another count");
            }
            Ok(())
        },
    );
}

#[test]
fn each_entity_knows_how_many_are_below_it() {
    is_right(|trial| counts(false, trial));
}

#[test]
fn a_count_of_children_alone_is_found() {
    is_found("another count", |trial| counts(true, trial));
}
