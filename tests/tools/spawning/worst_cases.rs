//! Spawning where it hurts: large archetypes, many children, panics, components that own something.

use std::{cell::Cell, rc::Rc, sync::Arc};

use harness::TestWorld;
use legion::{Entity, EntityStore, systems::CommandBuffer};
use legion_transform::{
    TransformStats,
    prelude::*,
    spawn::{insert_with_ids, reserve_ids},
};

use super::{Mesh, at, run_in_place};

#[test]
fn new_rows_of_a_large_archetype_are_all_that_is_computed() {
    let mut test = TestWorld::default();
    let parent = test.world.push_tree((at(1.0),), |parent| {
        parent.extend_children((0..10_000).map(|i| (at(i as f32), Mesh)));
    });
    test.run();
    // Other tests of the process may move Legion's counter at any time, so that not every attempt
    // can be told from a write.
    let mut attempt = || {
        test.run();
        test.world.extend_children(parent, (0..100).map(|i| (at(i as f32), Mesh)));
        let mut commands = CommandBuffer::new(&test.world);
        commands.extend_children(parent, (0..10).map(|i| (at(i as f32), Mesh)));
        commands.push_child(parent, (at(0.0), Mesh));
        commands.flush(&mut test.world, &mut test.resources);
        let last = test.world.push_child(parent, (at(0.0), Mesh));
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
    calls: Rc<Cell<usize>>,
    at: usize,
}

impl Panicking {
    fn call(&self) {
        let call = self.calls.replace(self.calls.get() + 1);
        assert!(call != self.at, "a user's bug");
    }
}

impl Iterator for Panicking {
    type Item = (Translation, Mesh);

    fn next(&mut self) -> Option<Self::Item> {
        self.call();
        self.left = self.left.checked_sub(1)?;
        Some((at(1.0), Mesh))
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

type Spawn = fn(&mut TestWorld, Entity, Panicking);

const SPAWNS: [(&str, Spawn); 7] = [
    ("extend_transforms", |test, _, rows| _ = test.world.extend_transforms(rows)),
    ("extend_children", |test, parent, rows| _ = test.world.extend_children(parent, rows)),
    ("insert_with_ids", |test, _, rows| {
        insert_with_ids(&mut test.world, &reserve_ids(3), rows).unwrap();
    }),
    ("insert_with_ids, too few", |test, _, rows| {
        insert_with_ids(&mut test.world, &reserve_ids(2), rows).unwrap_err();
    }),
    ("push_tree", |test, _, rows| {
        test.world.push_tree((at(1.0),), |tree| _ = tree.extend_children(rows));
    }),
    ("CommandBuffer::extend_children", |test, parent, rows| {
        let mut commands = CommandBuffer::new(&test.world);
        commands.extend_children(parent, rows);
        commands.flush(&mut test.world, &mut test.resources);
    }),
    ("despawn_subtrees", |test, parent, rows| {
        test.world.despawn_subtrees(rows.map(|_| parent));
    }),
];

#[cfg(panic = "unwind")]
#[test]
fn an_iterator_that_panics_changes_nothing() {
    for (what, spawn) in SPAWNS {
        for call in 0.. {
            let mut test = TestWorld::default();
            let parent = test.world.push_transform((at(1.0),));
            test.world.push_child(parent, (at(1.0),));
            test.run();
            let rows = Panicking { left: 3, calls: Rc::default(), at: call };
            let calls = rows.calls.clone();
            let spawned = harness::caught(|| spawn(&mut test, parent, rows)).is_ok();
            assert_eq!(spawned, calls.get() <= call, "{what}: a panic goes on");
            if spawned {
                break;
            }
            assert_eq!(test.world.len(), 2, "{what} {call}");
            test.run();
            assert_eq!(test.findings(), [], "{what} {call}");
            let child = test.world.push_child(parent, (at(1.0), Mesh));
            run_in_place(&mut test, &[parent, child]);
        }
    }
}

#[cfg(panic = "unwind")]
#[test]
fn a_panic_in_the_rows_changes_nothing() {
    let mut test = TestWorld::default();
    let parent = test.world.push_transform((at(1.0),));
    let rows = (0..10).map(|i| {
        assert!(i < 5, "a user's bug");
        (at(1.0), Mesh)
    });
    assert!(harness::caught(|| test.world.extend_children(parent, rows)).is_err());
    assert_eq!(test.world.len(), 1);
    test.run();
    assert_eq!((test.findings(), test.has::<Children>(parent)), (vec![], false));
    let child = test.world.push_child(parent, (at(1.0), Mesh));
    run_in_place(&mut test, &[parent, child]);
    assert_eq!(test.world.extend_children(child, std::iter::empty::<(Mesh,)>()), []);
    assert!(!test.has::<Children>(child), "no children, no parent");
    let childless =
        test.world.push_tree((at(1.0),), |tree| assert!(tree.extend_children([(); 0]).is_empty()));
    run_in_place(&mut test, &[childless]);
}

#[test]
fn components_are_dropped_once() {
    let counted = Arc::new(());
    let mut test = TestWorld::default();
    let parent = test.world.push_transform((counted.clone(),));
    test.world.extend_children(parent, (0..100).map(|_| (counted.clone(), at(1.0))));
    test.world.push_tree((counted.clone(),), |tree| {
        _ = tree.extend_children([(counted.clone(),), (counted.clone(),)])
    });
    let mut commands = CommandBuffer::new(&test.world);
    commands.push_child(parent, (counted.clone(),));
    assert_eq!(Arc::strong_count(&counted), 106);
    drop(commands); // never flushed
    assert_eq!(Arc::strong_count(&counted), 105);
    test.run();
    drop(test);
    assert_eq!(Arc::strong_count(&counted), 1);
}

#[test]
fn a_hundred_thousand_children_one_by_one() {
    let mut test = TestWorld::default();
    let parent = test.world.push_transform((at(1.0),));
    let children: Vec<Entity> =
        (0..100_000).map(|i| test.world.push_child(parent, (at(i as f32),))).collect();
    run_in_place(&mut test, &[parent, children[0], children[99_999]]);
    assert_eq!(test.children(parent), children);
    assert_eq!(test.x(children[99_999]), 100_000.0);
}

/// 450 rows, and 150 parents: more than are appended together, and no multiples of that.
#[test]
fn many_rows_keep_their_own_values_in_all_columns() {
    let counted = Arc::new(());
    let mut test = TestWorld::default();
    let x = |i: usize| i as f32;
    let row = |i| (Transform::from_xyz(x(i), 0.0, 0.0), Arc::new(i), counted.clone(), Mesh);
    let mut all = test.world.extend_transforms((0..450).map(row));
    let parent = test.world.push_tree((at(0.0),), |tree| {
        // Every third child is a parent, and so comes into another archetype.
        all.extend((0..450).map(|i| {
            tree.push_child_tree(row(i), |child| {
                if i % 3 == 0 {
                    child.push_child((at(0.0),));
                }
            })
        }));
    });
    assert_eq!(test.children(parent), all[450..]);
    test.run();
    for (i, &entity) in all.iter().enumerate() {
        let i = i % 450;
        let entry = test.world.entry_ref(entity).unwrap();
        assert_eq!(**entry.get_component::<Arc<usize>>().unwrap(), i);
        assert_eq!(entry.get_component::<Translation>().unwrap().x, x(i));
        assert_eq!(entry.get_component::<LocalToWorld>().unwrap().position().x, x(i));
        assert!(entry.get_component::<Mesh>().is_ok());
    }
    for (i, &child) in all[450..].iter().enumerate() {
        let children = test.children(child);
        assert_eq!(children.len(), usize::from(i % 3 == 0));
        assert!(children.iter().all(|&grandchild| test.has::<LocalToParent>(grandchild)));
    }
    assert_eq!(Arc::strong_count(&counted), 901);
    drop(test);
    assert_eq!(Arc::strong_count(&counted), 1);
}

/// Also if there is an archetype with the same number of components and all of its types.
#[cfg(panic = "unwind")]
#[test]
fn a_component_that_comes_twice_panics_and_inserts_nothing() {
    let mut test = TestWorld::default();
    test.world.push_transform((at(1.0), Rotation::identity(), Scale(2.0)));
    let twice = harness::caught(|| test.world.push_transform((at(1.0), at(2.0), Scale(2.0))));
    assert!(twice.is_err());
    assert_eq!(test.world.len(), 1);
    test.world.push_transform((at(1.0), Rotation::identity(), Scale(2.0)));
    test.run();
    assert!(test.findings().is_empty());
}

/// Legion calls subscribers while rows are inserted.
#[test]
fn a_subscriber_may_spawn_elsewhere() {
    use legion::{
        World, any,
        world::{Event, EventSender},
    };
    use std::sync::Mutex;

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
    let mut all: Vec<Entity> =
        (0..40).map(|i| test.world.push_transform((at(i as f32),))).collect();
    all.extend(test.world.extend_transforms((0..40).map(|i| (at(i as f32),))));
    all.extend(&mirror.lock().unwrap().1);
    all.sort_by_key(|entity| format!("{entity:?}"));
    all.dedup();
    assert_eq!(all.len(), 160, "no id comes twice");
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
