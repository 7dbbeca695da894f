//! Scenes that are spawned without `PreviousParent` and `Children`: all of it is there after one
//! run, in the order in which it was spawned, and nothing of the user's is lost, doubled or
//! dropped.

use std::sync::Arc;

use harness::TestWorld;
use legion::Entity;
use legion_transform::{components::PreviousParent, prelude::*};

use super::{linkable, many_columns::add_columns};

/// A user's component of no size.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Tag;

/// A user's component that owns something.
#[derive(Clone, Debug)]
struct Mesh(Arc<()>, usize);

/// Nodes in a tree in which every third one has children, each with a mesh that shares what `owner`
/// does.
fn spawn(test: &mut TestWorld, count: usize, owner: &Arc<()>) -> (Entity, Vec<Entity>) {
    let root = test.push((LocalToWorld::identity(), Translation::new(0.0, 1.0, 0.0)));
    let (world, translation, local) = linkable();
    let bare = |number| (world, translation, local, Parent(root), Tag, Mesh(owner.clone(), number));
    let nodes = test.world.extend((0..count).map(bare)).to_vec();
    for number in 1..count {
        test.put(nodes[number], Parent(nodes[above(number)]));
    }
    (root, nodes)
}

fn above(number: usize) -> usize {
    number / 9 * 3
}

/// Every node has what it was spawned with and what the bundle adds.
fn check(test: &mut TestWorld, root: Entity, nodes: &[Entity], owner: &Arc<()>) {
    assert_eq!(Arc::strong_count(owner), nodes.len() + 1, "each mesh is there once");
    let mut children = vec![Vec::new(); nodes.len()];
    (1..nodes.len()).for_each(|number| children[above(number)].push(nodes[number]));
    for (number, &node) in nodes.iter().enumerate() {
        let parent = if number == 0 { root } else { nodes[above(number)] };
        assert_eq!(test.get::<PreviousParent>(node), Some(PreviousParent::from(Some(parent))));
        let listed = test.get::<Children>(node).map_or_else(Vec::new, |list| list.to_vec());
        assert_eq!(listed, children[number], "the children of {number}");
        assert_eq!(test.get::<Tag>(node), Some(Tag));
        let mesh = test.get::<Mesh>(node).expect("it was spawned with one");
        assert!(Arc::ptr_eq(&mesh.0, owner) && mesh.1 == number, "the mesh of {number}");
        let depth = std::iter::successors(Some(number), |&at| (at > 0).then(|| above(at))).count();
        assert_eq!(
            test.get::<LocalToWorld>(node).map(|world| world.position().x),
            Some(depth as f32)
        );
    }
    assert_eq!(test.get::<Children>(root), Some([nodes[0]].into_iter().collect()));
}

/// Whole archetypes at once, and one by one. (The lists are those of [`above`] either way, though
/// nodes with children and nodes without, which go to different archetypes, alternate.)
#[test]
fn all_is_added_in_one_run() {
    let bundles: [fn() -> TransformSystemBundle; 2] =
        [Default::default, || TransformSystemBundle::default().without("bulk")];
    for (count, bundle) in
        [1, 2, 63, 64, 65, 700].into_iter().flat_map(|it| bundles.map(|b| (it, b)))
    {
        let (mut test, owner) = (TestWorld::new(bundle()), Arc::new(()));
        let (root, nodes) = spawn(&mut test, count, &owner);
        test.run();
        check(&mut test, root, &nodes, &owner);
        assert!(test.findings().is_empty());
        drop(test);
        assert_eq!(Arc::strong_count(&owner), 1);
    }
}

#[test]
fn others_join_those_that_are_there() {
    let (mut test, owners) = (TestWorld::default(), [(); 3].map(Arc::new));
    let scenes: Vec<_> = [100, 300, 70]
        .into_iter()
        .zip(&owners)
        .map(|(count, owner)| {
            let scene = spawn(&mut test, count, owner);
            test.run();
            scene
        })
        .collect();
    for ((root, nodes), owner) in scenes.iter().zip(&owners) {
        check(&mut test, *root, nodes, owner);
    }
    for (_, nodes) in &scenes {
        nodes.iter().for_each(|&node| assert!(test.world.remove(node)));
    }
    test.run();
    assert!(owners.iter().all(|owner| Arc::strong_count(owner) == 1));
}

/// Roots move together when they get their first children, old roots, too. If few of many become
/// parents, they move one by one.
#[test]
fn roots_become_parents_however_many_they_are() {
    for (roots, parents) in [(63, 63), (64, 64), (300, 150), (300, 149), (300, 70), (500, 499)] {
        let (mut test, owner) = (TestWorld::default(), Arc::new(()));
        let root = |number| {
            (
                LocalToWorld::identity(),
                Translation::new(number as f32, 0.0, 0.0),
                Mesh(owner.clone(), number),
            )
        };
        let mut entities = test.world.extend((0..roots / 3).map(root)).to_vec();
        test.run();
        entities.extend_from_slice(test.world.extend((roots / 3..roots).map(root)));
        let (world, translation, local) = linkable();
        // From the end, and two each.
        let above = |child: usize| entities[roots - 1 - child / 2];
        let bare = |child| (world, translation, local, Parent(above(child)), Tag);
        let children = test.world.extend((0..2 * parents).map(bare)).to_vec();
        for _ in 0..2 {
            test.run();
            assert!(test.findings().is_empty());
            for (number, &root) in entities.iter().enumerate() {
                let mesh = test.get::<Mesh>(root).expect("it was spawned with one");
                assert!(Arc::ptr_eq(&mesh.0, &owner) && mesh.1 == number, "the mesh of {number}");
                let from = 2 * (roots - 1 - number);
                let listed = (number >= roots - parents)
                    .then(|| children[from..from + 2].iter().copied().collect());
                assert_eq!(
                    test.get::<Children>(root),
                    listed,
                    "the children of {number} of {roots}"
                );
            }
            for (child, &entity) in children.iter().enumerate() {
                assert_eq!(
                    test.get::<PreviousParent>(entity),
                    Some(PreviousParent::from(Some(above(child))))
                );
                assert_eq!(test.x(entity), test.x(above(child)) + 1.0);
            }
        }
        assert_eq!(Arc::strong_count(&owner), roots + 1, "each mesh is there once");
    }
}

/// More than Legion's writers of rows can name.
#[test]
fn entities_have_as_many_components_as_they_like() {
    let mut test = TestWorld::default();
    let root = test.at(1.0);
    let (world, _, local) = linkable();
    let nodes = test.world.extend(vec![(world, local, Parent(root)); 70]).to_vec();
    for &node in &nodes {
        add_columns(&mut test.world.entry(node).expect("just spawned"), 144);
    }
    test.run();
    assert_eq!(test.value::<Children>(root).to_vec(), nodes);
    assert!(nodes.iter().all(|&node| test.value::<PreviousParent>(node).parent() == Some(root)));
}
