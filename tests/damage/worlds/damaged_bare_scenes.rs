//! Damaged worlds whose entities lack `PreviousParent` and `Children`, so that whole archetypes are
//! to be moved: nothing is dropped twice.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicIsize, Ordering::SeqCst},
};

use harness::{caught, schedule};
use legion::{Entity, Registry, Resources, World, any, serialize::Canon};
use legion_transform::{ecosystem::serde::register_components, prelude::*};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeSeed};

use super::{damaged_columns::shorten, damaged_worlds::Bomb};

const COUNT: usize = 100;

/// How many [`Counted`] there are.
static ALIVE: AtomicIsize = AtomicIsize::new(0);

struct Counted;

impl Counted {
    fn new() -> Self {
        ALIVE.fetch_add(1, SeqCst);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, SeqCst);
    }
}

impl Serialize for Counted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        0_u8.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u8::deserialize(deserializer).map(|_| Self::new())
    }
}

/// A root, one of the entities below it, and the others below that one.
fn spawn<T: Send + Sync + 'static>(
    parent: usize,
    component: impl Fn() -> T,
) -> (World, Vec<Entity>) {
    let mut world = World::default();
    let root = world.push((LocalToWorld::identity(), 0_u8));
    let (entity_world, local) = (LocalToWorld::identity(), LocalToParent::identity());
    let rows = (0..COUNT).map(|_| (entity_world, local, Parent(root), component()));
    let entities = world.extend(rows.collect::<Vec<_>>()).to_vec();
    for number in (0..COUNT).filter(|&number| number != parent) {
        world.entry(entities[number]).unwrap().add_component(Parent(entities[parent]));
    }
    (world, entities)
}

/// Legion's loader takes a user's column that is shorter than the others.
#[test]
fn a_short_column_of_a_user_is_not_taken_apart() {
    let (world, _) = spawn(0, Counted::new);
    let mut registry = Registry::<String>::default();
    register_components(&mut registry);
    registry.register::<u8>("u8".into());
    registry.register::<Counted>("Counted".into());
    let names = Canon::default();
    let mut bytes = postcard::to_stdvec(&world.as_serializable(any(), &registry, &names)).unwrap();
    drop(world);
    assert_eq!(ALIVE.load(SeqCst), 0);
    shorten(&mut bytes, "Counted", COUNT, 1);
    let mut reader = postcard::Deserializer::from_bytes(&bytes);
    let mut world: World =
        registry.as_deserialize(&Canon::default()).deserialize(&mut reader).unwrap();
    assert_eq!(ALIVE.load(SeqCst), 1);
    // Legion itself panics where it moves the entities one by one.
    let _ = caught(|| schedule().execute(&mut world, &mut Resources::default()));
    drop(world);
    assert_eq!(ALIVE.load(SeqCst), 0, "what was read is dropped once");
}

/// After a component has panicked when it was dropped, Legion has lost the row of the entity that
/// was to fill its place.
#[test]
fn a_lost_row_is_borne() {
    for (gone, child) in [(0, None), (7, None), (0, Some(3)), (7, Some(3)), (7, Some(50))] {
        let armed = Arc::new(AtomicBool::new(false));
        let alive = Arc::new(());
        let (mut world, entities) = spawn(1, || (alive.clone(), Bomb { armed: armed.clone() }));
        if let Some(child) = child {
            world.entry(entities[child]).unwrap().add_component(Parent(entities[COUNT - 1]));
        }
        armed.store(true, SeqCst);
        assert!(caught(|| world.remove(entities[gone])).is_err());
        let run = caught(|| schedule().execute(&mut world, &mut Resources::default()));
        assert!(run.is_ok(), "without {gone}, with a child of the lost one: {child:?}");
        drop(world);
        assert_eq!(Arc::strong_count(&alive), 1, "all is dropped once");
    }
}
