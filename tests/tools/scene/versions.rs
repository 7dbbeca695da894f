//! Component versions by archetype, read with the dynamic filter that Legion offers for the
//! purpose.

use std::{cell::RefCell, marker::PhantomData};

use legion::{
    query::{ComponentFilter, DynamicFilter, EntityFilterTuple, Fetch, FilterResult, Query, Read},
    storage::Component,
    world::WorldId,
    *,
};
use legion_transform::{components::PreviousParent, prelude::*};

thread_local!(static SEEN: RefCell<Vec<Option<u64>>> = const { RefCell::new(Vec::new()) });

/// Publishes the version of `T` of each archetype it is asked about.
#[derive(Clone)]
struct Tap<T>(PhantomData<T>);

impl<T> Default for Tap<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T: Component> DynamicFilter for Tap<T> {
    fn prepare(&mut self, _: WorldId) {}

    fn matches_archetype<F: Fetch>(&mut self, fetch: &F) -> FilterResult {
        SEEN.with_borrow_mut(|seen| seen.push(fetch.version::<T>()));
        FilterResult::Match(true)
    }
}

fn of<T: Component>(world: &World) -> Vec<u64> {
    SEEN.with_borrow_mut(Vec::clear);
    let mut query = Query::<Read<T>, EntityFilterTuple<ComponentFilter<T>, Tap<T>>>::new();
    query.iter_chunks(world).for_each(drop);
    SEEN.with_borrow_mut(|seen| seen.drain(..).map(Option::unwrap).collect())
}

/// Of every component that a conversion inserts.
pub fn all(world: &World) -> Vec<Vec<u64>> {
    vec![
        of::<LocalToWorld>(world),
        of::<LocalToParent>(world),
        of::<Translation>(world),
        of::<Rotation>(world),
        of::<NonUniformScale>(world),
        of::<Parent>(world),
        of::<PreviousParent>(world),
        of::<Children>(world),
    ]
}

#[test]
fn versions_move_when_something_is_written() {
    let mut world = World::default();
    let entity = world.push((LocalToWorld::identity(), Translation::identity()));
    let before = all(&world);
    assert_eq!((before[0].len(), before[1].len()), (1, 0));
    world.entry(entity).unwrap().get_component_mut::<LocalToWorld>().unwrap().0 *= 2.0;
    let after = all(&world);
    assert_ne!(after[0], before[0]);
    assert_eq!(after[2], before[2]);
}
