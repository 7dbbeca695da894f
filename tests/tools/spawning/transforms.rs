//! A `Transform` in a tuple, or instead of one, stands for its three components.

use harness::TestWorld;
use legion::{Entity, EntityStore, World, systems::CommandBuffer};
use legion_transform::{
    Transform,
    prelude::*,
    spawn::{insert_with_ids, reserve_ids},
};
use nalgebra::{UnitQuaternion, Vector3};

struct Mesh(u32);

/// Its numbers differ for each `i`.
fn transform(i: u32) -> Transform {
    Transform::from_xyz(i as f32, 2.0, 3.0)
        .with_rotation(UnitQuaternion::from_euler_angles(0.1, i as f32, 0.3))
        .with_scale([1.0 + i as f32, 0.5, -1.0])
}

fn check(test: &mut TestWorld, roots: &[Entity]) {
    test.run();
    assert_eq!(test.findings(), []);
    for (i, &root) in (0..).zip(roots) {
        let entry = test.world.entry_ref(root).unwrap();
        assert!(!entry.archetype().layout().has_component::<Transform>());
        let (translation, rotation, scale) = transform(i).components();
        assert_eq!(entry.get_component::<Translation>(), Ok(&translation));
        assert_eq!(entry.get_component::<Rotation>(), Ok(&rotation));
        assert_eq!(entry.get_component::<NonUniformScale>(), Ok(&scale));
        assert_eq!(entry.get_component::<LocalToWorld>().unwrap().0, transform(i).to_matrix());
    }
}

/// In every way that spawns: alone, in a tuple, several, below a parent, in a tree.
fn spawn(target: &mut impl SpawnTransforms) -> (Vec<Entity>, Vec<Entity>) {
    let mut roots = vec![
        target.push_transform(transform(0)),
        target.push_transform((transform(1),)),
        target.push_transform((Mesh(2), transform(2), "name")),
    ];
    roots.extend(target.extend_transforms((3..40).map(|i| (transform(i), Mesh(i)))));
    roots.extend(target.extend_transforms((40..50).map(transform)));
    let parent = roots[0];
    let mut below = vec![target.push_child(parent, transform(0))];
    below.extend(target.extend_children(parent, (1..9).map(|i| (Mesh(i), transform(i)))));
    below.push(target.push_child_tree(parent, transform(9), |tree| {
        tree.push_child(transform(3));
        tree.extend_children((0..5).map(transform));
    }));
    (roots, below)
}

fn check_all(test: &mut TestWorld, (roots, below): (Vec<Entity>, Vec<Entity>)) {
    check(test, &roots);
    assert_eq!(test.children(roots[0]), below);
    for (i, &child) in (0..).zip(&below) {
        let wanted = transform(0).to_matrix() * transform(i).to_matrix();
        assert!((test.matrix(child) - wanted).amax() < 1e-3, "{i}");
    }
    let deep = test.children(*below.last().unwrap());
    assert_eq!(deep.len(), 6);
    assert_eq!(Transform::read(&test.world, deep[0]), Ok(transform(3)));
}

#[test]
fn transforms_become_their_components() {
    let mut test = TestWorld::default();
    let spawned = spawn(&mut test.world);
    check_all(&mut test, spawned);

    let mut test = TestWorld::default();
    let mut commands = CommandBuffer::new(&test.world);
    let spawned = spawn(&mut commands);
    commands.flush(&mut test.world, &mut test.resources);
    check_all(&mut test, spawned);

    let mut test = TestWorld::default();
    let ids = reserve_ids(20);
    insert_with_ids(&mut test.world, &ids, (0..20).map(|i| (transform(i), Mesh(i)))).unwrap();
    check(&mut test, &ids);
}

/// The same archetype as that of the three components, so that queries meet both at once.
#[test]
fn transforms_share_the_archetype_of_their_components() {
    let mut world = World::default();
    let a = world.push_transform((Mesh(0), transform(0)));
    let (translation, rotation, scale) = transform(1).components();
    let b = world.push_transform((scale, Mesh(1), translation, rotation));
    let archetype = |entity| world.entry_ref(entity).unwrap().archetype().index();
    assert_eq!(archetype(a), archetype(b));
    assert_eq!(world.entry_ref(a).unwrap().get_component::<Mesh>().unwrap().0, 0);
}

#[cfg(panic = "unwind")]
#[test]
fn a_part_twice_panics_and_changes_nothing() {
    let mut world = World::default();
    let entity = world.push_transform(transform(0));
    let twice: [fn(&mut World); 3] = [
        |world| _ = world.push_transform((transform(0), Translation::identity())),
        |world| _ = world.push_transform((Rotation::identity(), transform(0))),
        |world| _ = world.push_transform((transform(0), Mesh(0), transform(1))),
    ];
    for spawn in twice {
        assert!(harness::caught(|| spawn(&mut world)).is_err());
    }
    assert_eq!(world.len(), 1);
    let scale = world.entry(entity).unwrap().get_component::<NonUniformScale>().unwrap().0;
    assert_eq!(scale, Vector3::new(1.0, 0.5, -1.0));
}
