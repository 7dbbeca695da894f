//! A chain of a hundred thousand entities, and as many siblings: nothing that reads or edits calls
//! itself for each level, or looks at all siblings for each of them.

use harness::{TestWorld, at, below, on_a_small_stack};
use legion::Entity;
use legion_transform::{
    cloning::EntityCloner,
    interchange::{Detail, FbxTransform},
    prelude::*,
    scene::{Scene, SceneNode},
};

const COUNT: usize = 100_000;

#[test]
fn a_chain_is_read_and_edited_on_a_small_stack() {
    on_a_small_stack(|| {
        let mut test = TestWorld::default();
        let mut chain = vec![test.push(at(1.0))];
        for _ in 1..COUNT {
            chain.push(test.push(below(chain[chain.len() - 1], 1.0)));
        }
        let [root, last] = [chain[0], chain[COUNT - 1]];
        let matrix = TransformQuery::new(&test.world).local_to_world(last).unwrap();
        assert_eq!(matrix.position().x, COUNT as f32);
        let walk = Walk::fresh(&test.world).unwrap();
        assert_eq!(walk.descendants(root).count(), COUNT - 1);
        assert_eq!(walk.descendants_breadth_first(root).count(), COUNT - 1);
        assert_eq!((walk.ancestors(last).count(), walk.root(last)), (COUNT - 1, Some(root)));
        assert_eq!(walk.topmost(chain.iter().rev().copied()), [root]);
        assert_eq!(walk.topmost(chain), [root]);
        let copy = EntityCloner::default().duplicate(&mut test.world, root).unwrap()[&last];
        assert_eq!(test.world.despawn_subtree(root), COUNT);
        test.run();
        assert_eq!(test.x(copy), COUNT as f32);
    });
}

#[test]
fn a_chain_is_imported_on_a_small_stack() {
    let node = |i| SceneNode::default().with_children((i + 1..COUNT).take(1));
    let scene = Scene::from_iter((0..COUNT).map(node));
    on_a_small_stack(|| {
        let mut test = TestWorld::default();
        let spawned = scene.spawn(&mut test.world).unwrap();
        let [above, last] = [2, 1].map(|back| spawned.entity(COUNT - back).unwrap());
        assert_eq!((test.world.len(), test.value(last)), (COUNT, Parent(above)));
        let part = scene.spawn_subtree(&mut test.world, COUNT - 1).unwrap();
        assert_eq!(part.entities().count(), 1);

        let (mut test, mut node) = (TestWorld::default(), FbxTransform::default());
        node.translation.y = 0.25;
        let spawn = |above, _| Some(node.spawn(&mut test.world, above, Detail::Minimal));
        let last = (0..10_000).fold(None, spawn).unwrap();
        test.run();
        assert_eq!(test.matrix(last).m24, 2_500.0);
    });
}

#[test]
fn siblings_are_spawned_moved_and_copied() {
    let mut test = TestWorld::default();
    let parent = test.world.push_transform((Scale(2.0),));
    let row = |i: usize| (Translation::new(i as f32, 0.0, 0.0),);
    let mut children: Vec<Entity> =
        (0..COUNT).map(|i| test.world.push_child(parent, row(i))).collect();
    test.run();
    assert!(test.children(parent) == children);
    assert_eq!(test.x(children[COUNT - 1]), 2.0 * (COUNT - 1) as f32);
    // Some of them stand in another archetype, scattered.
    for i in (0..COUNT).step_by(7) {
        test.put(children[i * 31 % COUNT], 7_u8);
    }
    test.world.insert_child(parent, COUNT / 2, children[COUNT - 1]).unwrap();
    children[COUNT / 2..].rotate_right(1);
    test.run();
    assert!(test.children(parent) == children);
    let mut cloner = EntityCloner::default();
    cloner.register::<u8>();
    let copies = cloner.duplicate(&mut test.world, parent).unwrap();
    let copied = test.children(copies[&parent]);
    assert!(children.iter().map(|child| copies[child]).eq(copied.iter().copied()));
    test.run();
    assert_eq!((test.written(), copies.len()), ((0, 0), COUNT + 1));
    assert!(test.children(copies[&parent]) == copied);
}
