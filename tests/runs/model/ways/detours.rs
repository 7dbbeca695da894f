//! What may happen to a whole world between the edits and the run.

use harness::TestWorld;
use legion::{Entity, IntoQuery, Registry, World, any, serialize::Canon, world::Duplicate};
use legion_transform::{
    ecosystem::{
        merge::register_clones,
        serde::{derived_matrices, load, own_matrices, register_components, register_inputs},
    },
    frames::Origin,
    prelude::*,
};

use super::traveller::{Claim, bundle};

/// Whether an entity names a parent that is not there. If a world moves then, it is not known any
/// more whether the parent was there in the last run.
fn is_orphaned(test: &TestWorld) -> bool {
    let mut parents = <&Parent>::query();
    parents.iter(&test.world).any(|parent| !test.world.contains(parent.0))
}

pub fn moves(test: &mut TestWorld) {
    let mut world = World::default();
    world.move_from(&mut test.world, &any());
    test.world = world;
}

pub fn is_cloned(test: &mut TestWorld) {
    if is_orphaned(test) {
        return;
    }
    let mut merger = Duplicate::default();
    register_clones(&mut merger);
    merger.register_clone::<Claim>();
    merger.register_clone::<u8>();
    let mut world = World::default();
    let names = world.clone_from(&test.world, &any(), &mut merger);
    lives_on(test, world, &|entity| names.get(&entity).copied());
}

pub fn is_saved(test: &mut TestWorld) {
    if is_orphaned(test) {
        return;
    }
    let mut registry = Registry::<String>::default();
    register_components(&mut registry);
    register_own(&mut registry);
    let (old, new) = (Canon::default(), Canon::default());
    let save = postcard::to_stdvec(&test.world.as_serializable(any(), &registry, &old)).unwrap();
    let mut save = postcard::Deserializer::from_bytes(&save);
    let world = load(&registry, &new, &mut save).unwrap();
    lives_on(test, world, &|entity| new.get_id(&old.get_name(entity)?));
}

pub fn is_saved_by_inputs(test: &mut TestWorld) {
    if is_orphaned(test) {
        return;
    }
    let [mut inputs, mut whole] = [Registry::<String>::default(), Registry::default()];
    register_inputs(&mut inputs);
    register_components(&mut whole);
    register_own(&mut inputs);
    register_own(&mut whole);
    let groups = bundle().write_groups().clone();
    let (old, new) = (Canon::default(), Canon::default());
    let filters = [(derived_matrices(&groups), &inputs), (own_matrices(&groups), &whole)];
    let parts = filters.map(|(filter, registry)| {
        postcard::to_stdvec(&test.world.as_serializable(filter, registry, &old)).unwrap()
    });
    let mut world = World::default();
    for (part, registry) in parts.iter().zip([&inputs, &whole]) {
        let mut part = postcard::Deserializer::from_bytes(part);
        world.move_from(&mut load(registry, &new, &mut part).unwrap(), &any());
    }
    lives_on(test, world, &|entity| new.get_id(&old.get_name(entity)?));
}

fn register_own(registry: &mut Registry<String>) {
    registry.register::<Claim>("Claim".to_owned());
    registry.register::<u8>("u8".to_owned());
}

/// Goes on with another world, in which the entities have other ids.
fn lives_on(test: &mut TestWorld, world: World, renamed: &dyn Fn(Entity) -> Option<Entity>) {
    test.cast.rename(renamed);
    if let Some(mut origin) = test.resources.get_mut::<Origin>() {
        origin.0 = renamed(origin.0).unwrap_or(origin.0);
    }
    test.world = world;
}
