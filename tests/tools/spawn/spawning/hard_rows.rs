//! Rows that are hard to insert: into large archetypes, by iterators that panic or lie, and beside
//! a subscriber that spawns.

use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};

use legion::{
    IntoQuery, any, component,
    world::{Event, EventSender},
};
use legion_transform::TransformStats;
use legion_transform_testing::{
    Snapshot, assert_nothing_rewritten,
    catalogue::{EDITS, Picks, Place, Rows},
};

use super::*;

#[test]
fn new_rows_of_a_large_archetype_are_all_that_is_computed() {
    let mut test = TestWorld::default();
    let row = |i| (at(i as f32), Scale(1.0));
    let parent = test.world.push_tree((at(1.0),), |parent| {
        parent.extend_children((0..10_000).map(row));
    });
    test.run();
    // Other tests of the process may move Legion's counter at any time, so that not every attempt
    // can be told from a write.
    let mut attempt = || {
        test.run();
        test.world.extend_children(parent, (0..100).map(row));
        let mut commands = CommandBuffer::new(&test.world);
        commands.extend_children(parent, (0..10).map(row));
        commands.push_child(parent, row(0));
        commands.flush(&mut test.world, &mut test.resources);
        let last = test.world.push_child(parent, row(0));
        test.run();
        let stats = test.resources.get::<TransformStats>().unwrap().of(&test.world);
        let is_told = (stats.composed, stats.propagated) == (112, 112);
        test.world.remove(last);
        is_told
    };
    assert!((0..100_000).any(|_| attempt()), "insertions are told from writes");
}

/// Three rows, whose iterator panics at one of its calls: of `next`, of `size_hint`, or when it is
/// dropped.
struct Panicking {
    left: usize,
    calls: Arc<AtomicUsize>,
    at: usize,
}

impl Panicking {
    fn call(&self) {
        assert!(self.calls.fetch_add(1, SeqCst) != self.at, "a user's bug");
    }
}

impl Iterator for Panicking {
    type Item = (Translation, Scale);

    fn next(&mut self) -> Option<Self::Item> {
        self.call();
        self.left = self.left.checked_sub(1)?;
        Some((at(1.0), Scale(2.0)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.call();
        (self.left, Some(self.left))
    }
}

impl Drop for Panicking {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.call();
        }
    }
}

/// Picks the first entities, and such rows, whose calls it counts.
struct First {
    calls: Arc<AtomicUsize>,
    at: usize,
}

impl Picks for First {
    fn below(&mut self, count: usize) -> usize {
        2.min(count - 1)
    }

    fn pick(&mut self, all: &[Entity]) -> Option<Entity> {
        all.first().copied()
    }

    fn rows(&mut self) -> Rows {
        Box::new(Panicking { left: 3, calls: self.calls.clone(), at: self.at })
    }
}

/// Lets each call of the rows panic in turn. Returns how many calls there are.
#[cfg(panic = "unwind")]
fn each_call(what: &str, edit: impl Fn(&mut TestWorld, &mut First)) -> usize {
    for call in 0.. {
        let mut test = TestWorld::default();
        let parent = test.world.push_transform((at(1.0),));
        test.world.push_child(parent, (at(1.0),));
        test.run();
        let calls = Arc::new(AtomicUsize::new(0));
        let mut picks = First { calls: calls.clone(), at: call };
        let before = Snapshot::of(&test.world);
        let is_done = harness::caught(|| edit(&mut test, &mut picks)).is_ok();
        let made = calls.load(SeqCst);
        assert_eq!(is_done, made <= call, "{what}: a panic goes on");
        if is_done {
            return made;
        }
        assert_nothing_rewritten(&before, &Snapshot::of(&test.world));
        let child = test.world.push_child(parent, (at(1.0), Scale(2.0)));
        run_in_place(&mut test, &[parent, child]);
    }
    unreachable!()
}

#[cfg(panic = "unwind")]
#[test]
fn an_iterator_that_panics_changes_nothing() {
    let edit = |index: usize| {
        move |test: &mut TestWorld, picks: &mut First| {
            let TestWorld { world, resources, cast, .. } = test;
            EDITS[index].make(Place { world, resources, cast, picks });
        }
    };
    let calls = (0..EDITS.len()).map(|index| each_call(EDITS[index].name, edit(index)));
    assert!(calls.filter(|calls| *calls >= 4).count() >= 6, "so many edits take rows");
    let despawn = |test: &mut TestWorld, picks: &mut First| {
        let parent =
            *<Entity>::query().filter(component::<Children>()).iter(&test.world).next().unwrap();
        test.world.despawn_subtrees(picks.rows().map(|_| parent));
    };
    assert!(each_call("despawn_subtrees", despawn) >= 4);
    let too_few = |test: &mut TestWorld, picks: &mut First| {
        insert_with_ids(&mut test.world, &reserve_ids(2), picks.rows()).unwrap_err();
    };
    assert!(each_call("insert_with_ids, too few", too_few) >= 4);
}

/// Legion calls subscribers while rows are inserted.
#[test]
fn a_subscriber_may_spawn_elsewhere() {
    struct Mirror(Arc<Mutex<(World, Vec<Entity>)>>);
    impl EventSender for Mirror {
        fn send(&self, event: Event) -> bool {
            if let Event::EntityInserted(..) = event {
                let (world, entities) = &mut *self.0.lock().unwrap();
                entities.push(world.push_transform((at(1.0),)));
            }
            true
        }
    }
    let mirror = Arc::new(Mutex::new((World::default(), Vec::new())));
    let mut test = TestWorld::default();
    test.world.subscribe(Mirror(mirror.clone()), any());
    let row = |i| (at(i as f32),);
    let mut all: Vec<Entity> = (0..40).map(|i| test.world.push_transform(row(i))).collect();
    all.extend(test.world.extend_transforms((0..40).map(row)));
    all.extend(&mirror.lock().unwrap().1);
    assert_eq!(all.len(), 160);
    assert_eq!(HashSet::<Entity>::from_iter(all).len(), 160, "no id comes twice");
}

/// So many rows, and a hint that says something else.
struct Liar<T>(usize, usize, fn() -> T);

impl<T> Iterator for Liar<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0 = self.0.checked_sub(1)?;
        Some((self.2)())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.1, None)
    }
}

/// 2^58 rows of a matrix of 64 bytes are 2^64 bytes, which a `usize` counts as none.
#[test]
fn a_hint_that_lies_is_not_trusted() {
    for hint in [1 << 58, (1 << 58) + 1, usize::MAX, 1 << 40, 1, 0] {
        let mut test = TestWorld::default();
        let root = test.world.push_transform(());
        let before: Vec<Box<[u64; 8]>> = (0..1000).map(|i| Box::new([i; 8])).collect();
        let roots = test.world.extend_transforms(Liar(3000, hint, || ()));
        let children = test.world.extend_children(root, Liar(3000, hint, || (at(2.0),)));
        let after: Vec<Box<[u64; 8]>> = (0..1000).map(|i| Box::new([i; 8])).collect();
        assert_eq!(before, after, "memory of others is left alone");
        assert_eq!((roots.len(), children.len()), (3000, 3000));
        test.run();
        assert!(children.iter().all(|child| test.x(*child) == 2.0));
        let mut commands = CommandBuffer::new(&test.world);
        commands.extend_transforms(Liar(300, hint.min(1000), || (at(3.0),)));
        commands.flush(&mut test.world, &mut test.resources);
        assert_eq!(test.world.len(), 6301);
    }
}
