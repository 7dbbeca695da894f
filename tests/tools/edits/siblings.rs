//! The order of children: stable, and in the user's hands.

use harness::TestWorld;
use legion::{Entity, systems::CommandBuffer};
use legion_transform::{
    edit::{EditError, FailedEdits},
    prelude::*,
};
use nalgebra::{Isometry3, Vector3};

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
    let (parent, children) = family(&mut test, 3);
    let [a, b, c] = children[..] else { panic!("three") };
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

/// Without `LocalToWorld` an entity has no place in the world: edits give it one.
#[test]
fn edits_add_the_place_that_an_entity_lacks() {
    let mut test = TestWorld::default();
    let parent = test.world.push((Translation::new(1.0, 0.0, 0.0),));
    let child = test.world.push((Translation::new(5.0, 0.0, 0.0), Scale(2.0)));
    test.world.set_parent(child, parent).unwrap();
    let plain = test.world.push(("a user's",));
    test.world.set_local_to_world(plain, Isometry3::translation(3.0, 0.0, 0.0)).unwrap();
    let written = test.world.push(());
    let away = Transform::from_translation(Vector3::new(4.0, 0.0, 0.0));
    test.world.set_transform(written, away).unwrap();
    let waiting = test.world.push((
        Parent(parent),
        LocalToParent::identity(),
        Translation::new(1.0, 0.0, 0.0),
    ));
    test.world.set_local_to_world(waiting, Isometry3::translation(9.0, 0.0, 0.0)).unwrap();
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
