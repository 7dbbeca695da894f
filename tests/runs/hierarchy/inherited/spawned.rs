//! Whatever spawns an entity gives it the values that its world inherits, so that no run moves it.

use std::sync::atomic::{AtomicBool, Ordering};

use harness::{
    TestWorld,
    properties::{Judge, Team, Tint, bundle},
};
use legion::{storage::ArchetypeIndex, systems::CommandBuffer, *};
use legion_transform::{
    prelude::*,
    scene::{NodeTransform, Scene, SceneNode},
    spawn::{insert_with_ids, reserve_ids},
};

fn archetype(world: &World, entity: Entity) -> ArchetypeIndex {
    world.entry_ref(entity).unwrap().location().archetype()
}

fn has<P: Inherited>(world: &World, entity: &Entity) -> bool {
    world.entry_ref(*entity).unwrap().get_component::<Effective<P>>().is_ok()
}

/// Spawns by each way there is, below a parent. The numbers of rows are those of one archetype with
/// a row, with a few, and with more than one block of them.
fn spawn(test: &mut TestWorld, parent: Entity) -> Vec<Entity> {
    fn rows(count: usize) -> impl Iterator<Item = (Translation, Tint)> {
        (0..count).map(|i| (Translation::new(i as f32, 0.0, 0.0), Tint(i as i64 % 5)))
    }
    let world = &mut test.world;
    let mut all =
        vec![world.push_transform((Scale(2.0),)), world.push_child(parent, (Scale(2.0),))];
    all.push(world.push_transform((Parent(parent), Scale(2.0), Team("red".into()))));
    all.extend(world.extend_transforms(rows(7)));
    all.extend(world.extend_children(parent, rows(100)));
    let tree = world.push_child_tree(parent, (Scale(3.0),), |tree| {
        all.extend(tree.extend_children(rows(9)));
        all.push(tree.push_child_tree((Scale(1.0), Tint(4)), |tree| {
            tree.push_child((Scale(1.0), Effective::<Tint>(77)));
        }));
    });
    all.push(tree);
    let ids = reserve_ids(3);
    insert_with_ids(world, &ids, rows(3)).unwrap();
    all.extend(ids);
    let mut scene = Scene::default();
    let hand = scene.add(SceneNode::new("hand").at(NodeTransform::from_translation(0.0, 1.0, 0.0)));
    let arm = scene.add(SceneNode::new("arm").with_children([hand]));
    let spawned = scene.spawn(world).unwrap();
    all.extend([hand, arm].map(|node| spawned.entity(node).unwrap()));
    let mut commands = CommandBuffer::new(world);
    all.push(commands.push_child(parent, (Scale(2.0),)));
    all.extend(commands.extend_children(parent, rows(70)));
    all.push(commands.push_tree((Scale(1.0),), |tree| _ = tree.push_child((Tint(3),))));
    commands.flush(world, &mut test.resources);
    all
}

#[test]
fn spawned_entities_have_their_values_from_the_start() {
    let (mut test, mut judge) = (TestWorld::new(bundle()), Judge::default());
    let parent = test.world.push_transform((Scale(1.0), Tint(2)));
    judge.run(&mut test);
    for _ in 0..3 {
        let all = spawn(&mut test, parent);
        assert!(all.iter().all(|it| has::<Tint>(&test.world, it) && has::<Team>(&test.world, it)));
        let before: Vec<ArchetypeIndex> =
            all.iter().map(|&it| archetype(&test.world, it)).collect();
        judge.run(&mut test);
        let now = all.iter().map(|&it| archetype(&test.world, it));
        assert!(now.eq(before), "a run has moved an entity");
    }
}

/// A world knows its bundle from the first run on. One without such a bundle gives nothing.
#[test]
fn only_a_world_that_inherits_gives_values() {
    let (mut test, mut judge) = (TestWorld::new(bundle()), Judge::default());
    let mut other = TestWorld::new(TransformSystemBundle::default());
    other.run();
    for test in [&mut test, &mut other] {
        let parent = test.world.push_transform((Scale(1.0),));
        assert!(!spawn(test, parent).iter().any(|it| has::<Team>(&test.world, it)));
    }
    other.run();
    judge.run(&mut test);
}

/// Where a property panics, all entities are there, and the next run gives what they lack.
#[cfg(panic = "unwind")]
#[test]
fn a_property_that_panics_costs_no_entity() {
    static IS_LIT: AtomicBool = AtomicBool::new(false);
    struct Fuse;
    impl Inherited for Fuse {
        type Value = i32;
        fn combine(parent: Option<&i32>, own: Option<&Self>) -> i32 {
            assert!(!IS_LIT.load(Ordering::Relaxed), "blown");
            parent.unwrap_or(&0) + own.map_or(0, |_| 1)
        }
    }
    let mut test = TestWorld::new(TransformSystemBundle::default().inherit::<Fuse>());
    let root = test.world.push_transform((Scale(1.0), Fuse));
    test.run();
    IS_LIT.store(true, Ordering::Relaxed);
    let caught = harness::caught(|| {
        test.world.push_child_tree(root, (Scale(1.0),), |tree| {
            tree.extend_children((0..100).map(|_| (Scale(1.0), Fuse)));
        })
    });
    assert!(caught.is_err());
    IS_LIT.store(false, Ordering::Relaxed);
    assert_eq!(test.world.len(), 102);
    test.run();
    let mut values: Vec<i32> =
        <&Effective<Fuse>>::query().iter(&test.world).map(|value| value.0).collect();
    values.sort_unstable();
    assert_eq!(values, [[1; 2].as_slice(), &[2; 100]].concat());
}
