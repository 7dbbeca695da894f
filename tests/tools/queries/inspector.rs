//! What inspectors and their gizmos ask, worked out by hand.

use harness::TestWorld;
use legion::Entity;
use legion_transform::{
    components::RotationEulerYXZ, edit::EditError, math::decompose::DecomposeError, prelude::*,
};
use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};

fn read(test: &TestWorld, entity: Entity) -> Transform {
    Transform::read(&test.world, entity).unwrap()
}

/// An entity on a cycle is a root; a dead one is nothing.
#[test]
fn the_topmost_of_a_selection() {
    let mut test = TestWorld::default();
    let mut chain = vec![test.at(1.0)];
    for _ in 0..9 {
        chain.push(test.child(*chain.last().unwrap(), Scale(1.0)));
    }
    let last = chain[9];
    let walk = Walk::fresh(&test.world).unwrap();
    assert_eq!(walk.topmost([last, chain[5], last]), [chain[5]]);
    assert_eq!(walk.subtree(chain[8]).collect::<Vec<_>>(), chain[8..]);
    // Two below one that is not selected.
    let twins = [test.child(chain[5], Scale(1.0)), test.child(chain[5], Scale(1.0))];
    let walk = Walk::fresh(&test.world).unwrap();
    assert_eq!(walk.topmost([chain[4], twins[0], twins[1]]), [chain[4]]);

    let [a, b, below] = [test.at(0.0), test.at(0.0), test.at(0.0)];
    for (child, parent) in [(a, b), (b, a), (below, a)] {
        test.put(child, LocalToParent::identity());
        test.put(child, Parent(parent));
    }
    let dead = test.at(0.0);
    test.world.remove(dead);
    for has_run in [false, true] {
        let walk = Walk::fresh(&test.world).unwrap();
        assert_eq!(walk.topmost([below, b, dead, a]), [b, a], "{has_run}");
        assert_eq!(walk.topmost([below, b]), [below, b]);
        assert_eq!((walk.index(a), walk.index(below), walk.index(dead)), (None, Some(0), None));
        assert_eq!(walk.subtree(dead).count(), 0);
        test.run();
    }
}

#[test]
fn an_index_puts_a_child_back() {
    let mut test = TestWorld::default();
    let parent = test.at(1.0);
    let children: Vec<Entity> = (0..4).map(|_| test.child(parent, Scale(1.0))).collect();
    test.run();
    let index = |test: &TestWorld, i: usize| Walk::fresh(&test.world).unwrap().index(children[i]);
    assert_eq!((index(&test, 0), index(&test, 3)), (Some(0), Some(3)));
    test.world.remove_parent(children[1]).unwrap();
    assert_eq!((index(&test, 1), index(&test, 3)), (None, Some(2)));
    test.world.insert_child(parent, 1, children[1]).unwrap();
    assert_eq!((index(&test, 1), index(&test, 3)), (Some(1), Some(3)));
}

#[test]
fn a_scale_from_a_point_moves_and_sizes() {
    let mut test = TestWorld::default();
    let parent = test.root(NonUniformScale::new(2.0, 2.0, 2.0));
    let it = test.child(parent, Translation::new(2.0, 0.0, 1.0));
    let point = Point3::new(2.0, 0.0, 0.0);
    // Seen at (4, 0, 2).
    test.world.scale_around(it, point, Vector3::new(3.0, 1.0, 1.0)).unwrap();
    assert_eq!(read(&test, it).translation, Vector3::new(4.0, 0.0, 1.0));
    assert_eq!(test.value::<NonUniformScale>(it), NonUniformScale::new(3.0, 1.0, 1.0));
    test.world.scale_around(it, point, Vector3::new(1.0, 1.0, 0.0)).unwrap();
    assert_eq!(read(&test, it).translation, Vector3::new(4.0, 0.0, 0.0));
    assert_eq!(test.value::<NonUniformScale>(it), NonUniformScale::new(3.0, 1.0, 0.0));
    assert!(!test.has::<Rotation>(it));

    // Turned by an eighth, a mirror keeps it right-angled, and other factors do not.
    let turned = test.root(Rotation::from_rotation_z(std::f32::consts::FRAC_PI_4));
    let seen = |test: &TestWorld| TransformQuery::new(&test.world).local_to_world(turned).unwrap();
    let before = seen(&test);
    for _ in 0..1_000 {
        test.world.scale_around(turned, Point3::origin(), Vector3::new(-1.0, 1.0, 1.0)).unwrap();
    }
    let off = (before.0 - seen(&test).0).amax();
    assert!(off < 1e-5, "{off:e} {:?}", read(&test, turned));
    let sheared = test.world.scale_around(turned, point, Vector3::new(2.0, 1.0, 1.0));
    let is_sheared = |reason| matches!(reason, DecomposeError::Sheared(_));
    assert!(matches!(sheared, Err(EditError::NoTransform { reason, .. }) if is_sheared(reason)));
    let flat = test.world.scale_around(turned, point, Vector3::new(0.0, 1.0, 1.0));
    assert!(matches!(flat, Err(EditError::NoTransform { .. })));
    let edits = Edits::default().on_shear(OnShear::WriteMatrix);
    edits.scale_around(&mut test.world, turned, point, Vector3::new(2.0, 1.0, 1.0)).unwrap();
    assert_eq!(seen(&test).position(), [-2.0, 0.0, 0.0].into());
}

/// A thousand times by a thousandth more are 2.717 times; no step is lost.
#[test]
fn small_factors_add_up() {
    let mut test = TestWorld::default();
    let it = test.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0), Scale(1.0)));
    for _ in 0..1_000 {
        test.world.scale_around(it, Point3::origin(), Vector3::repeat(1.001)).unwrap();
    }
    let wanted = 1.001_f32.powi(1_000);
    let Transform { translation, scale, .. } = read(&test, it);
    assert!((translation.x / wanted - 1.0).abs() < 1e-4 && (scale.x / wanted - 1.0).abs() < 1e-4);
}

#[test]
fn a_local_matrix_goes_into_the_components() {
    let mut test = TestWorld::default();
    let parent = test.at(5.0);
    let angles = test.child(parent, RotationEulerYXZ::new(0.0, 6.2, 0.0));
    test.put(angles, Rotation::identity());
    let static_one = test.child(parent, WorldToLocal::identity());
    let root = test.root(Translation::new(1.0, 0.0, 0.0));
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 6.4);
    let matrix = Matrix4::new_translation(&Vector3::new(0.0, 3.0, 0.0))
        * turn.to_homogeneous()
        * Matrix4::new_nonuniform_scaling(&Vector3::new(1.0, -2.0, 1.0));
    for entity in [angles, static_one, root] {
        test.world.set_local_to_parent(entity, matrix).unwrap();
        let local = TransformQuery::new(&test.world).local_to_parent(entity).unwrap();
        assert!((local.0 - matrix).amax() < 1e-6);
    }
    assert!((test.value::<RotationEulerYXZ>(angles).y - 6.4).abs() < 1e-5, "beyond one turn");
    assert_eq!(test.value::<NonUniformScale>(angles), NonUniformScale::new(1.0, -2.0, 1.0));
    assert!(!test.has::<Translation>(static_one), "its matrix is its own");
    let mut sheared = matrix;
    sheared.m12 += 0.5;
    assert!(test.world.set_local_to_parent(root, sheared).is_err());
    test.world.set_local_to_parent(static_one, sheared).unwrap();
    let back = LocalToParent(sheared).inverse().unwrap() * sheared - Matrix4::identity();
    assert!(back.amax() < 1e-6 && LocalToParent(Matrix4::zeros()).inverse().is_none());
}
