//! A very long chain and a root with very many children are right, and end. With
//! `LEGION_TRANSFORM_SOAK=10` the chain is a million long.

use harness::{TestWorld, at, below, demand, x};
use legion::{Entity, IntoQuery, World};
use legion_transform::{components::PreviousParent, prelude::*};
use nalgebra::{Matrix4, Vector3};

/// `n` entities in one archetype, each below the one before it, and the root above them.
fn chain(world: &mut World, n: usize) -> (Entity, Vec<Entity>) {
    let root = world.push(at(1.0));
    let step = LocalToParent(Matrix4::new_translation(&Vector3::new(0.0, 1.0, 0.0)));
    let links = (0..n).map(|_| {
        (LocalToWorld::identity(), step, Parent(root), PreviousParent::default(), Children::new())
    });
    let entities: Vec<Entity> = world.extend(links).to_vec();
    let mut above = root;
    for (entity, parent) in <(Entity, &mut Parent)>::query().iter_mut(world) {
        parent.0 = above;
        above = *entity;
    }
    (root, entities)
}

fn many(ordinary: usize) -> usize {
    demand::soak(ordinary).clamp(2_000, 1_000_000)
}

#[test]
fn a_long_chain_moves_and_loses_its_root() {
    let depth = many(100_000);
    let mut test = TestWorld::default();
    let (root, entities) = chain(&mut test.world, depth);
    test.run();
    let last = entities[depth - 1];
    let end = |test: &mut TestWorld| test.get::<LocalToWorld>(last).unwrap().position();
    assert_eq!(end(&mut test), [1.0, depth as f32, 0.0].into());
    assert_eq!(test.children(entities[depth / 2]), [entities[depth / 2 + 1]]);

    test.put(root, Translation::new(7.0, 0.0, 0.0));
    test.run();
    assert_eq!(end(&mut test), [7.0, depth as f32, 0.0].into());

    test.world.remove(root);
    test.run();
    assert!(!test.has::<Parent>(entities[0]), "the second became the root");
    assert_eq!(
        end(&mut test),
        [7.0, depth as f32, 0.0].into(),
        "without inputs its last world stays"
    );
    assert_eq!(test.findings().len(), 1);
}

#[test]
fn a_long_chain_closes_to_a_cycle_and_opens_again() {
    let depth = many(50_000);
    let mut test = TestWorld::default();
    let (root, entities) = chain(&mut test.world, depth);
    test.world.remove(root);
    test.run();
    let last = entities[depth - 1];
    let end = |test: &mut TestWorld| test.get::<LocalToWorld>(last).unwrap().position();
    test.put(entities[0], LocalToParent::identity());
    test.put(entities[0], Parent(last));
    test.run();
    assert_eq!(test.findings().len(), depth);
    assert_eq!(end(&mut test), [0.0, 1.0, 0.0].into());
    test.world.remove(entities[0]);
    test.run();
    assert_eq!(end(&mut test), [0.0, (depth - 1) as f32, 0.0].into());
}

#[test]
fn a_wide_root_gains_moves_and_dies() {
    let width = many(50_000);
    let mut test = TestWorld::default();
    let (first, second) = (test.push(at(1.0)), test.push(at(2.0)));
    let children: Vec<Entity> =
        test.world.extend((0..width).map(|i| below(first, i as f32))).to_vec();
    test.run();
    assert_eq!(test.children(first).len(), width);
    assert_eq!(x(&test.world, children[width - 1]), width as f32);

    for child in &children[..1000] {
        test.put(*child, Parent(second));
    }
    test.put(first, Translation::new(3.0, 0.0, 0.0));
    test.run();
    assert_eq!((test.children(first).len(), test.children(second).len()), (width - 1000, 1000));
    assert_eq!(x(&test.world, children[999]), 1001.0);
    assert_eq!(x(&test.world, children[1000]), 1003.0);

    test.world.remove(first);
    test.run();
    assert_eq!(x(&test.world, children[1000]), 1000.0);
    assert_eq!(test.findings().len(), width - 1000);
    test.run();
    assert!(test.findings().is_empty());
}
