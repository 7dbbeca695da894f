//! Carriers pick up what is not picked up yet: it stays where it is, and goes along from then on.

use std::collections::HashMap;

use legion::*;
use legion_transform::prelude::*;
use proptest::prelude::*;

use super::{Trial, is_found, is_near, is_ordinary, is_right};

#[derive(Clone, Copy, Debug)]
struct Cargo;

/// Where each cargo was when it was picked up in this run.
#[derive(Default)]
struct PickedUp(HashMap<Entity, LocalToWorld>);

/// The mistake is to write `Parent` by hand: the cargo jumps.
fn pick_up(world: &mut World, resources: &mut Resources, by_hand: bool) {
    let mut picked_up = resources.get_mut_or_default::<PickedUp>();
    picked_up.0.clear();
    let roots = <(Entity, &Cargo)>::query().filter(!component::<Parent>());
    let cargo: Vec<Entity> = { roots }.iter(world).map(|(entity, _)| *entity).collect();
    let carriers = <(Entity, &LocalToWorld)>::query();
    let others = carriers.filter(!component::<Parent>() & !component::<Cargo>());
    let Some(carrier) = { others }.iter(world).map(|(entity, _)| *entity).next() else { return };
    for entity in cargo {
        let Ok(at) = TransformQuery::new(&*world).local_to_world(entity) else { continue };
        let is_kept = if by_hand {
            let mut entry = world.entry(entity).unwrap();
            entry.add_component(Parent(carrier));
            entry.add_component(LocalToParent::identity());
            true
        } else {
            world.set_parent(entity, carrier).is_ok()
        };
        if is_kept {
            picked_up.0.insert(entity, at);
        }
    }
}

fn stays_in_place(mistaken: bool, trial: Trial) {
    trial.check().run(
        trial.edits().own(Just(Cargo)),
        || {
            let mut builder = Schedule::builder();
            builder.add_thread_local_fn(move |world, resources| {
                pick_up(world, resources, mistaken);
            });
            builder.add_transforms(TransformSystemBundle::default()).build()
        },
        |world, resources| {
            if !is_ordinary(world) {
                return Ok(());
            }
            let mut all = <&LocalToWorld>::query();
            let size = all.iter(world).fold(0.0, |size: f32, it| size.max(it.0.amax()));
            for (entity, before) in &resources.get::<PickedUp>().unwrap().0 {
                let entry = world.entry_ref(*entity).unwrap();
                let now = entry.get_component::<LocalToWorld>().unwrap().position();
                let before = before.position();
                prop_assert!((0..3).all(|i| is_near(now[i], before[i], size)), "cargo jumps");
            }
            Ok(())
        },
    );
}

#[test]
fn cargo_stays_in_place() {
    is_right(|trial| stays_in_place(false, trial));
}

#[test]
fn cargo_that_jumps_is_found() {
    is_found("cargo jumps", |trial| stays_in_place(true, trial));
}
