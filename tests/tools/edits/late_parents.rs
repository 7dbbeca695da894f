//! Edits between the run in which a child waits and the one that links it.

use harness::TestWorld;
use legion::*;
use legion_transform::{
    components::PreviousParent,
    findings::FindingKind,
    prelude::*,
    query::QueryError,
    spawn::{insert_with_ids, reserve_ids},
};
use nalgebra::{Isometry3, Matrix4, Vector3};

/// A parent that is to come, and children of all kinds that wait for it, after so many runs.
fn waiting(runs: usize) -> (TestWorld, Entity, Vec<Entity>) {
    let (mut it, parent) = (TestWorld::default(), reserve_ids(1)[0]);
    let scale = ParentScaleInverse(Matrix4::new_scaling(0.5));
    let matrix = LocalToParent(Matrix4::new_translation(&Vector3::new(3.0, 0.0, 0.0)));
    let children = vec![
        it.world.push_child(parent, (Translation::new(1.0, 0.0, 0.0),)),
        it.world.push_child(parent, (Translation::new(2.0, 0.0, 0.0), Scale(2.0), scale)),
        it.world.push_child(parent, (matrix,)),
        it.world.push_child_tree(parent, Transform::from_xyz(4.0, 0.0, 0.0), |it| {
            it.push_child(Transform::from_xyz(0.5, 0.0, 0.0));
        }),
    ];
    (0..runs).for_each(|_| it.run());
    (it, parent, children)
}

fn come(it: &mut TestWorld, parent: Entity) {
    let place = (Translation::new(10.0, 0.0, 0.0),);
    insert_with_ids(&mut it.world, &[parent], [place]).unwrap();
}

#[test]
fn all_that_wait_are_given_up_in_place() {
    for runs in 0..3 {
        let (mut it, parent, mut children) = waiting(runs);
        let root = it.world.push_transform((Scale(2.0),));
        let linked = it.world.push_child(root, Transform::from_xyz(1.0, 0.0, 0.0));
        // One that came since, and one that does not wait any more.
        let dead = it.world.push_transform(());
        it.despawn(dead);
        children.push(it.world.push_child(dead, Transform::from_xyz(5.0, 0.0, 0.0)));
        it.put(children.remove(1), Parent(root));
        let given_up = it.world.give_up_waiting().unwrap();
        assert_eq!(given_up, children, "{runs}");
        assert_eq!(it.world.give_up_waiting().unwrap(), []);
        it.run();
        assert_eq!(children.iter().map(|&child| it.x(child)).sum::<f32>(), 13.0);
        assert!(children.iter().all(|&child| it.is_root(child)));
        assert_eq!((it.told(), it.x(linked)), (vec![], 2.0));
        come(&mut it, parent);
        it.run();
        assert_eq!(it.children(parent), []);
    }
    // One that was linked, and with another record waits for the same parent.
    let mut it = TestWorld::default();
    let group = it.at(1.0);
    let child = it.below(group, 2.0);
    it.run();
    it.take::<LocalToWorld>(group);
    it.set(child, PreviousParent::default());
    assert_eq!(it.world.give_up_waiting(), Ok(vec![child]));
    // Before a first run it is not known what waits without a matrix of its own or its parent's.
    let mut world = World::default();
    let (group, dead) = (world.push((7_u8,)), world.push(()));
    world.remove(dead);
    let whole = |parent| (LocalToWorld::identity(), LocalToParent::identity(), Parent(parent));
    let below_group = world.push(whole(group));
    let unknown = |it| Err(QueryError::NoLocalToWorld(it).into());
    assert_eq!(world.give_up_waiting(), unknown(group));
    world.remove(below_group);
    let bare = world.push((Parent(dead),));
    assert_eq!(world.give_up_waiting(), Err(QueryError::NoLocalToParent(bare).into()));
    world.entry(bare).unwrap().add_component(LocalToParent::identity());
    assert_eq!(world.give_up_waiting(), unknown(bare));
    world.entry(bare).unwrap().add_component(LocalToWorld::identity());
    assert_eq!(world.give_up_waiting(), Ok(vec![bare]));
    // At a flush, with nothing to give up.
    let (mut world, mut resources) = (World::default(), Resources::default());
    let mut commands = systems::CommandBuffer::new(&world);
    commands.give_up_waiting();
    commands.flush(&mut world, &mut resources);
    assert!(resources.get::<legion_transform::edit::FailedEdits>().is_none());
}

#[test]
fn edits_of_one_that_waits_keep_it_in_place() {
    for runs in 0..3 {
        let (mut it, parent, children) = waiting(runs);
        let other = it.world.push_transform((Translation::new(-7.0, 0.0, 0.0), Scale(2.0)));
        let places: Vec<f32> = (1..5).map(|x| x as f32).collect();
        it.world.set_parent(children[0], other).unwrap();
        it.world.remove_parent(children[1]).unwrap();
        it.world.set_parent(children[2], children[3]).unwrap();
        let step = Vector3::new(0.25, 0.0, 0.0);
        it.world.translate(children[3], step).unwrap();
        it.run();
        let seen: Vec<f32> = children.iter().map(|&child| it.x(child)).collect();
        let carried = [places[0], places[1], places[2] + 0.25, places[3] + 0.25];
        assert_eq!(seen, carried, "{runs}");
        it.world.set_local_to_world(children[3], Isometry3::translation(9.0, 0.0, 0.0)).unwrap();
        it.run();
        assert_eq!(it.x(children[3]), 9.0);
        let told: Vec<_> = it.told().into_iter().map(|(kind, entity, _)| (kind, entity)).collect();
        assert_eq!(told, [(FindingKind::WaitsForParent, children[3])]);
        come(&mut it, parent);
        it.run();
        assert_eq!((it.children(parent), it.told()), (vec![children[3]], vec![]));
    }
}
