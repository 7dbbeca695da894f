//! Carriers pick up what is not picked up yet: it stays where it is, and goes along from then on.

use std::collections::HashMap;

use legion::{systems::CommandBuffer, world::SubWorld, *};
use legion_transform::prelude::*;
use proptest::prelude::*;

use super::{Trial, is_found, is_near, is_ordinary, is_right};

#[derive(Clone, Copy, Debug)]
struct Cargo;

/// Where each cargo was when it was picked up in this run.
#[derive(Default)]
struct PickedUp(HashMap<Entity, LocalToWorld>);

read_transforms! {
    /// The mistake is to write `Parent` by hand: the cargo jumps.
    #[system]
    #[read_component(Cargo)]
    fn pick_up(
        world: &SubWorld<'_>,
        commands: &mut CommandBuffer,
        #[resource] picked_up: &mut PickedUp,
        #[state] by_hand: &bool,
    ) {
        picked_up.0.clear();
        let carriers = <(Entity, &LocalToWorld)>::query();
        let others = carriers.filter(!component::<Parent>() & !component::<Cargo>());
        let Some((&carrier, _)) = { others }.iter(world).next() else { return };
        let roots = <(Entity, &Cargo)>::query().filter(!component::<Parent>());
        for (&entity, _) in { roots }.iter(world) {
            let Ok(at) = TransformQuery::new(world).local_to_world(entity) else { continue };
            picked_up.0.insert(entity, at);
            if *by_hand {
                commands.add_component(entity, Parent(carrier));
                commands.add_component(entity, LocalToParent::identity());
            } else {
                // Where that fails, it stays where it is, too.
                Edits::default().print_failed(false).set_parent(commands, entity, carrier);
            }
        }
    }
}

fn stays_in_place(mistaken: bool, trial: Trial) {
    trial.check().resources(|resources| resources.insert(PickedUp::default())).run(
        trial.edits().own(Just(Cargo)),
        || {
            let mut builder = Schedule::builder();
            builder.add_system(pick_up_system(mistaken));
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
