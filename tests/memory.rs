//! What a bundle keeps beside Legion's own memory stays in proportion to the entities, and does not
//! grow from tick to tick. Counted by the allocator.
#![allow(unsafe_code, reason = "an allocator that counts")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use harness::{TestWorld, at};

/// The system's allocator; it counts the bytes that are taken.
struct Counted;

static TAKEN: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator as it came. `alloc_zeroed` is made of
// `alloc`. `realloc` is not, which would copy: Legion's columns grow by one row at a `push`.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        TAKEN.fetch_add(layout.size(), Relaxed);
        // SAFETY: the caller's promises are those that the system asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above; it came from the system's allocator.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        TAKEN.fetch_add(size, Relaxed);
        TAKEN.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counted = Counted;

/// One test at a time, so that it counts what is its own.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many bytes are taken more after a call than before it.
fn taken_by<R>(call: impl FnOnce() -> R) -> isize {
    let before = TAKEN.load(Relaxed);
    call();
    TAKEN.load(Relaxed) as isize - before as isize
}

const ENTITIES: usize = 65_536;

/// Bytes an entity that the first runs take, in worlds that spawn in turns.
fn of_entities_spawned_in_turns(worlds: usize) -> isize {
    let mut all: Vec<TestWorld> = (0..worlds).map(|_| TestWorld::default()).collect();
    // What a world takes once is taken.
    all.iter_mut().for_each(TestWorld::run);
    for entity in 0..ENTITIES {
        all[entity % worlds].at(1.0);
    }
    taken_by(|| all.iter_mut().for_each(TestWorld::run)) / ENTITIES as isize
}

/// Legion gives out ids in blocks of 16, and a new one for each `push`. Of 256 worlds that push in
/// turns, each gets every 4,096th id.
#[test]
fn worlds_that_spawn_in_turns_take_as_much_as_one() {
    let _alone = alone();
    let one = of_entities_spawned_in_turns(1);
    for worlds in [2, 16, 256] {
        let turns = of_entities_spawned_in_turns(worlds);
        assert!(turns <= 2 * one, "{worlds} worlds: {turns} bytes an entity, one world: {one}");
    }
}

#[test]
fn entities_spawned_together_take_little() {
    let _alone = alone();
    let mut test = TestWorld::default();
    test.run();
    test.world.extend((0..ENTITIES).map(|_| at(1.0)));
    let bytes = taken_by(|| test.run()) / ENTITIES as isize;
    assert!(bytes <= 20, "{bytes} bytes an entity");
}

/// Of entities that are gone, a bundle keeps buffers for the next ones: less than a third of what
/// it took for them.
#[test]
fn nothing_is_kept_of_entities_that_are_gone() {
    let _alone = alone();
    let mut test = TestWorld::default();
    let mut entities = Vec::new();
    let bytes = taken_by(|| {
        entities.extend((0..ENTITIES).map(|_| test.at(1.0)));
        test.run();
        entities.drain(..).for_each(|entity| test.despawn(entity));
        test.run();
        entities = Vec::new();
        // Legion keeps its own columns and its table of places.
        test.world = legion::World::default();
    });
    assert!(bytes <= 32 * ENTITIES as isize, "{bytes} bytes");
}

/// Work is offered, tick by tick, to a pool that has no time for it.
#[test]
#[cfg(feature = "parallel")]
fn helpers_do_not_pile_up_before_a_busy_pool() {
    use std::sync::Arc;

    use legion::IntoQuery;
    use legion_transform::prelude::*;

    let _alone = alone();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("a thread pool");
    let pool = Arc::new(pool);
    let mut test = TestWorld::new(TransformSystemBundle::default().thread_pool(pool.clone()));
    test.world.extend((0..ENTITIES).map(|_| at(1.0)));
    let mut translations = <&mut Translation>::query();
    let mut tick = || {
        translations.for_each_mut(&mut test.world, |translation| translation.x += 1.0);
        test.run();
    };
    let busy = Arc::new(Mutex::new(()));
    let lock = busy.lock().expect("it is new");
    for _ in 0..2 {
        let busy = busy.clone();
        pool.spawn(move || drop(busy.lock()));
    }
    (0..100).for_each(|_| tick());
    let bytes = taken_by(|| (0..300).for_each(|_| tick()));
    drop(lock);
    assert!(bytes < 3_000, "{bytes} bytes in 300 ticks");
}
