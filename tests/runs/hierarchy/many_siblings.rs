//! A hundred thousand siblings: what changes costs what it is, however many others there are. No
//! time is asserted; a list that is searched for every child would not end.

use harness::TestWorld;
use legion::Entity;
use legion_transform::{components::PreviousParent, prelude::*};

const MANY: usize = 100_000;

fn node(
    parent: Entity,
) -> (LocalToWorld, Translation, Children, LocalToParent, Parent, PreviousParent) {
    let (children, previous) = Default::default();
    (
        LocalToWorld::identity(),
        Translation::new(1.0, 0.0, 0.0),
        children,
        LocalToParent::identity(),
        Parent(parent),
        previous,
    )
}

/// A root with its children, all but the first of which come later than it.
fn star(test: &mut TestWorld) -> (Entity, Vec<Entity>) {
    let root =
        test.push((LocalToWorld::identity(), Translation::new(0.0, 1.0, 0.0), Children::new()));
    let mut nodes = vec![test.push(node(root))];
    test.run();
    nodes.extend_from_slice(test.world.extend((1..MANY).map(|_| node(root))));
    test.run();
    (root, nodes)
}

/// Gives every node the parent that `parent` returns.
fn hang(test: &mut TestWorld, nodes: &[Entity], parent: impl Fn(usize) -> Entity) {
    for (number, &entity) in nodes.iter().enumerate() {
        test.put(entity, Parent(parent(number)));
    }
    test.run();
}

/// Every node has this many nodes above it, the root aside, and this parent; `PreviousParent` and
/// `Children` agree.
fn check(
    test: &mut TestWorld,
    root: Entity,
    nodes: &[Entity],
    place: impl Fn(usize) -> (usize, Entity),
) {
    let mut children = 0;
    for (number, &entity) in nodes.iter().enumerate() {
        let (depth, parent) = place(number);
        let world = test.get::<LocalToWorld>(entity).expect("it has one").0;
        assert_eq!((world.m14, world.m24), (1.0 + depth as f32, 1.0), "the world of {number}");
        assert_eq!(
            test.get::<PreviousParent>(entity).map(|previous| previous.parent()),
            Some(Some(parent))
        );
        children += test.get::<Children>(entity).map_or(0, |children| children.len());
    }
    assert_eq!(
        children + test.get::<Children>(root).map_or(0, |children| children.len()),
        nodes.len()
    );
}

#[test]
fn a_star_becomes_a_chain_and_a_star_again() {
    let mut test = TestWorld::default();
    let (root, nodes) = star(&mut test);
    check(&mut test, root, &nodes, |_| (0, root));
    for _ in 0..2 {
        let above = |number: usize| if number == 0 { root } else { nodes[number - 1] };
        hang(&mut test, &nodes, above);
        check(&mut test, root, &nodes, |number| (number, above(number)));
        hang(&mut test, &nodes, |_| root);
        check(&mut test, root, &nodes, |_| (0, root));
    }
    test.despawn(root);
    test.run();
    assert!(nodes.iter().all(|&node| test.is_root(node) && test.x(node) == 1.0));
    assert_eq!(test.findings().len(), MANY);
    test.run();
    assert!(test.findings().is_empty());
}

#[test]
fn a_ring_closes_and_opens() {
    let mut test = TestWorld::default();
    let (root, nodes) = star(&mut test);
    let before = |number: usize| nodes[(number + MANY - 1) % MANY];
    hang(&mut test, &nodes, before);
    assert_eq!(test.findings().len(), MANY);
    assert!(nodes.iter().all(|&entity| {
        test.get::<PreviousParent>(entity).is_some_and(|previous| previous.parent().is_none())
    }));
    test.put(nodes[0], Parent(root));
    test.run();
    check(&mut test, root, &nodes, |number| {
        (number, if number == 0 { root } else { before(number) })
    });
    hang(&mut test, &nodes, |_| root);
    check(&mut test, root, &nodes, |_| (0, root));
}

/// A few are taken off, and put on, in every run.
#[test]
fn a_wide_parent_loses_and_gains_a_few_at_a_time() {
    let mut test = TestWorld::default();
    let (root, nodes) = star(&mut test);
    let other = test.push((LocalToWorld::identity(), Translation::new(0.0, 1.0, 0.0)));
    let mut of_other: Vec<Entity> = Vec::new();
    for round in 0..20 {
        for number in (round..nodes.len()).step_by(10_007) {
            let (entity, goes) = (nodes[number], round % 2 == 0);
            test.put(entity, Parent(if goes { other } else { root }));
            of_other.retain(|&known| known != entity);
            if goes {
                of_other.push(entity);
            }
        }
        test.run();
        assert_eq!(test.children(root).len(), nodes.len() - of_other.len());
    }
    assert_eq!(test.children(other), of_other);
}
