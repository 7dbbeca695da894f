//! The order of children: stable, and in the user's hands.

use harness::{TestWorld, demand};
use legion::{Entity, World, systems::CommandBuffer};
use legion_transform::{
    edit::{EditError, FailedEdits},
    prelude::*,
};
use legion_transform_testing::Step;
use nalgebra::Vector3;
use proptest::prelude::*;

use super::random_worlds::*;

fn fresh(world: &World, parent: Entity) -> Vec<Entity> {
    Walk::fresh(world).unwrap().children(parent).collect()
}

proptest! {
    #![proptest_config(demand::cases(64))]

    /// Whatever was done, a child that was inserted is where it was put, children keep their order,
    /// and new ones come behind.
    #[test]
    fn the_next_run_keeps_the_order(
        history in histories(60),
        insertions in prop::collection::vec(insertion(), 24),
    ) {
        let mut it = RandomWorld::new();
        let mut insertions = insertions.into_iter();
        for step in history.steps() {
            if !matches!(step, Step::Run) {
                it.take(step);
                continue;
            }
            if it.entities.is_empty() {
                continue;
            }
            let mut placed = Vec::new();
            for (parent, index, child) in insertions.by_ref().take(2) {
                let (parent, child) = (
                    it.entities[parent % it.entities.len()],
                    it.entities[child % it.entities.len()],
                );
                let edits = Edits::default().on_shear(OnShear::WriteMatrix);
                if edits.insert_child(&mut it.world, parent, index, child).is_ok() {
                    let children = fresh(&it.world, parent);
                    placed.push(parent);
                    prop_assert_eq!(
                        children.iter().position(|other| *other == child),
                        Some(index.min(children.len() - 1))
                    );
                }
            }
            let known = |entity: &Entity| -> Vec<Entity> {
                Walk::new(&it.world).unwrap().children(*entity).collect()
            };
            let before: Vec<_> = it
                .entities
                .iter()
                .map(|entity| (known(entity), fresh(&it.world, *entity)))
                .collect();
            it.run();
            for (entity, (known, fresh)) in it.entities.iter().zip(before) {
                let after = it.children(*entity);
                prop_assert_eq!(&after[..known.len()], &known);
                if placed.contains(entity) {
                    prop_assert_eq!(after, fresh, "the list has all of them");
                }
            }
        }
    }
}

/// A parent, an index and a child.
fn insertion() -> impl Strategy<Value = Insertion> {
    (0usize..64, 0usize..5, 0usize..64)
}

type Insertion = (usize, usize, usize);

fn family(test: &mut TestWorld, children: usize) -> (Entity, Vec<Entity>) {
    let parent = test.world.push_transform((Translation::new(1.0, 0.0, 0.0),));
    let children = test
        .world
        .extend_children(parent, (0..children).map(|i| (Translation::new(i as f32, 0.0, 0.0),)));
    (parent, children)
}

#[test]
fn a_child_is_inserted_moved_and_taken_out() {
    let mut test = TestWorld::default();
    let (parent, [a, b, c]) = {
        let (parent, children) = family(&mut test, 3);
        (parent, children.try_into().unwrap())
    };
    let stranger = test.world.push_transform((Translation::new(7.0, 0.0, 0.0),));
    test.world.insert_child(parent, 1, stranger).unwrap();
    test.run();
    assert_eq!((test.children(parent), test.x(stranger)), (vec![a, stranger, b, c], 7.0));
    test.world.insert_child(parent, 0, c).unwrap();
    test.world.insert_child(parent, 100, a).unwrap();
    test.run();
    assert_eq!(test.children(parent), [c, stranger, b, a]);
    // The others keep their order, whatever comes and goes.
    test.world.remove_parent(stranger).unwrap();
    let late = test.world.push_child(parent, (Translation::identity(),));
    test.run();
    assert_eq!(test.children(parent), [c, b, a, late]);
    test.world.set_parent(stranger, parent).unwrap();
    test.run();
    assert_eq!(test.children(parent), [c, b, a, late, stranger]);
    let version = test.version::<Children>(parent);
    test.world.insert_child(parent, 2, a).unwrap();
    assert_eq!(test.version::<Children>(parent), version, "it is there already");
}

#[test]
fn an_order_outlives_runs_in_which_other_lists_change() {
    let mut test = TestWorld::default();
    let (parent, mut children) = family(&mut test, 50);
    let (other, _) = family(&mut test, 3);
    test.run();
    test.world.insert_child(parent, 0, children[49]).unwrap();
    children.rotate_right(1);
    for _ in 0..5 {
        let (_, cousins) = family(&mut test, 2);
        test.world.insert_child(other, 0, cousins[0]).unwrap();
        test.run();
        assert_eq!(test.children(parent), children);
        assert_eq!(test.children(other)[0], cousins[0]);
    }
}

#[test]
fn a_refused_insertion_changes_nothing_and_a_recorded_one_is_told() {
    let mut test = TestWorld::default();
    let (parent, children) = family(&mut test, 2);
    test.run();
    let cycle = EditError::Cycle { child: parent, parent: children[0] };
    assert_eq!(test.world.insert_child(children[0], 0, parent), Err(cycle));
    let mut commands = CommandBuffer::new(&test.world);
    commands.insert_child(children[0], 0, parent);
    commands.insert_child(parent, 0, children[1]);
    commands.flush(&mut test.world, &mut test.resources);
    assert_eq!(
        test.resources.get_mut::<FailedEdits>().unwrap().drain().collect::<Vec<_>>(),
        [cycle]
    );
    test.run();
    assert_eq!(test.children(parent), [children[1], children[0]]);
    assert!(!test.has::<Children>(children[0]));
}

#[test]
fn a_hundred_thousand_siblings() {
    let mut test = TestWorld::default();
    let (parent, mut children) = family(&mut test, 100_000);
    test.run();
    test.world.insert_child(parent, 50_000, children[99_999]).unwrap();
    let last = children.pop().unwrap();
    children.insert(50_000, last);
    test.run();
    assert!(test.children(parent) == children);
}

/// Without `LocalToWorld` an entity has no place in the world: edits give it one.
#[test]
fn edits_add_the_place_that_an_entity_lacks() {
    let mut test = TestWorld::default();
    let parent = test.world.push((Translation::new(1.0, 0.0, 0.0),));
    let child = test.world.push((Translation::new(5.0, 0.0, 0.0), Scale(2.0)));
    test.world.set_parent(child, parent).unwrap();
    let plain = test.world.push(("a user's",));
    test.world.set_local_to_world(plain, nalgebra::Isometry3::translation(3.0, 0.0, 0.0)).unwrap();
    let written = test.world.push(());
    let away = Transform::from_translation(Vector3::new(4.0, 0.0, 0.0));
    test.world.set_transform(written, away).unwrap();
    let waiting = test.world.push((
        Parent(parent),
        LocalToParent::identity(),
        Translation::new(1.0, 0.0, 0.0),
    ));
    test.world
        .set_local_to_world(waiting, nalgebra::Isometry3::translation(9.0, 0.0, 0.0))
        .unwrap();
    test.run();
    assert_eq!(
        [parent, child, plain, written, waiting].map(|entity| test.x(entity)),
        [1.0, 5.0, 3.0, 4.0, 9.0]
    );
    assert_eq!(test.children(parent), [child, waiting]);
    assert_eq!(test.value::<Translation>(child).x, 4.0);
    assert_eq!(test.findings(), []);
}

#[test]
fn an_edit_that_fails_takes_the_place_back() {
    let mut test = TestWorld::default();
    let a = test.world.push((Translation::identity(),));
    let dead = test.world.push(());
    test.world.remove(dead);
    assert!(test.world.set_parent(a, dead).is_err());
    assert_eq!(test.world.set_parent(a, a), Err(EditError::Cycle { child: a, parent: a }));
    assert!(!test.has::<LocalToWorld>(a));
    // A matrix for each of the two, and then shear.
    let parent = test.world.push((NonUniformScale::new(3.0, 1.0, 1.0),));
    let child = test.world.push((Rotation::from_rotation_z(0.7),));
    assert!(test.world.set_parent(child, parent).is_err());
    assert!(![parent, child].into_iter().any(|it| test.has::<LocalToWorld>(it)));
}
