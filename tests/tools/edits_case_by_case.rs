//! Edits keep entities in their places in the world, or return an error: case by case.

use harness::{TestWorld, on_a_small_stack, user::OwnRotation};
use legion::{Entity, Resources, World, systems::CommandBuffer};
use legion_transform::{
    components::{
        CompositeRotation, CompositeScale, RotationEulerYXZ, RotationPivot, ScalePivotTranslation,
        Shear,
    },
    edit::{EditError, FailedEdits},
    math::decompose::{DecomposeError, decompose},
    prelude::*,
    query::QueryError,
};
use nalgebra::{Isometry3, Matrix4, Point3, UnitQuaternion, Vector3};

use super::random_worlds::*;

fn member(world: &mut World, parent: Entity, translation: Translation) -> Entity {
    world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(parent), translation))
}

#[test]
fn several_edits_between_two_runs_see_each_other() {
    let mut world = World::default();
    let a = world.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0)));
    let b = member(&mut world, a, Translation::new(2.0, 0.0, 0.0));
    let c = world.push((LocalToWorld::identity(), Translation::new(9.0, 0.0, 0.0)));
    world.set_local_to_world(a, Isometry3::translation(5.0, 0.0, 0.0)).unwrap();
    world.set_parent(c, b).unwrap();
    let x = |world: &World, entity| TransformQuery::new(world).local_to_world(entity).unwrap().m14;
    assert_eq!([a, b, c].map(|entity| x(&world, entity)), [5.0, 7.0, 9.0]);
    assert_eq!(world.entry(c).unwrap().get_component::<Translation>().unwrap().x, 2.0);
    world.remove_parent(b).unwrap();
    world.set_local_to_world(a, Isometry3::translation(0.0, 0.0, 0.0)).unwrap();
    assert_eq!([a, b, c].map(|entity| x(&world, entity)), [0.0, 7.0, 9.0]);
}

#[test]
fn what_need_not_change_keeps_its_bits() {
    let mut world = World::default();
    let turn = Rotation::from_euler_angles(0.1, 0.2, 0.3);
    let parent = world.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0)));
    let child = world.push((LocalToWorld::identity(), turn, NonUniformScale::new(1.1, 1.2, 1.3)));
    world.set_parent(child, parent).unwrap();
    let entry = world.entry(child).unwrap();
    assert_eq!(entry.get_component::<Rotation>(), Ok(&turn));
    assert_eq!(entry.get_component::<NonUniformScale>(), Ok(&NonUniformScale::new(1.1, 1.2, 1.3)));
    assert_eq!(entry.get_component::<Translation>(), Ok(&Translation::new(-1.0, 0.0, 0.0)));
    assert!(entry.get_component::<Scale>().is_err());
}

#[test]
fn euler_angles_pivots_and_mirrors_stay_what_they_are() {
    let mut world = World::default();
    let parent = world.push((
        LocalToWorld::identity(),
        Rotation::from_euler_angles(0.3, -0.2, 0.9),
        Scale(-2.0),
    ));
    let child = world.push((
        LocalToWorld::identity(),
        Rotation::identity(),
        RotationEulerYXZ::new(0.1, 0.2, 0.3),
    ));
    {
        let mut entry = world.entry(child).unwrap();
        entry.add_component(CompositeRotation::identity());
        entry.add_component(RotationPivot::new(1.0, 0.0, 0.0));
        entry.add_component(PostRotation::from_euler_angles(0.5, 0.0, 0.0));
    }
    let before = TransformQuery::new(&world).local_to_world(child).unwrap();
    world.set_parent(child, parent).unwrap();
    let after = TransformQuery::new(&world).local_to_world(child).unwrap();
    assert!((after.0 - before.0).amax() < 2e-6, "{before:?} {after:?}");
    let entry = world.entry(child).unwrap();
    assert_eq!(entry.get_component::<RotationPivot>(), Ok(&RotationPivot::new(1.0, 0.0, 0.0)));
    assert_ne!(
        entry.get_component::<RotationEulerYXZ>(),
        Ok(&RotationEulerYXZ::new(0.1, 0.2, 0.3))
    );
    assert!(
        (entry.get_component::<Scale>().unwrap().0 + 0.5).abs() < 1e-6,
        "one number mirrors all axes"
    );
}

#[test]
fn shear_is_an_error_or_a_matrix_or_goes_where_there_is_a_place_for_it() {
    let mut world = World::default();
    let parent = world.push((LocalToWorld::identity(), NonUniformScale::new(3.0, 1.0, 1.0)));
    let turned = Rotation::from_euler_angles(0.0, 0.0, 0.7);
    let child = world.push((LocalToWorld::identity(), turned));
    let error = world.set_parent(child, parent).unwrap_err();
    let EditError::NoTransform { entity, reason: DecomposeError::Sheared(shear) } = error else {
        panic!("{error}")
    };
    assert!(entity == child && shear > 0.5, "{error}");
    assert!(error.to_string().contains("keep the shear"));
    assert!(world.entry(child).unwrap().get_component::<Parent>().is_err());

    Edits::default().on_shear(OnShear::WriteMatrix).set_parent(&mut world, child, parent).unwrap();
    let fresh = TransformQuery::new(&world).local_to_world(child).unwrap();
    assert!((fresh.0 - turned.0.to_homogeneous()).amax() < 1e-6);
    // What it has still counts, and so it does back in the world.
    assert!(world.entry(child).unwrap().get_component::<Shear>().unwrap().amax() > 0.5);
    world.remove_parent(child).unwrap();
    let entry = world.entry(child).unwrap();
    assert!(entry.get_component::<Shear>().unwrap().amax() < 1e-6);
    assert!(entry.get_component::<Rotation>().unwrap().angle_to(&turned) < 1e-6);

    // Without a place for shear, a pivot's translation counts for nothing, and so it stays.
    let pivoted =
        world.push((LocalToWorld::identity(), turned, ScalePivotTranslation::new(1.0, 0.0, 0.0)));
    Edits::default()
        .on_shear(OnShear::WriteMatrix)
        .set_parent(&mut world, pivoted, parent)
        .unwrap();
    assert!(world.entry(pivoted).unwrap().get_component::<CompositeScale>().is_err());

    let shearable = world.push((
        LocalToWorld::identity(),
        turned,
        CompositeScale::identity(),
        Shear::default(),
    ));
    world.set_parent(shearable, parent).unwrap();
    let fresh = TransformQuery::new(&world).local_to_world(shearable).unwrap();
    assert!((fresh.0 - turned.0.to_homogeneous()).amax() < 1e-6);
    assert!(world.entry(shearable).unwrap().get_component::<Shear>().unwrap().amax() > 0.5);
}

#[test]
fn cycles_flat_parents_and_overrides_are_refused() {
    let TestWorld { mut world, mut resources, mut schedule, .. } = TestWorld::new(bundle());
    schedule.execute(&mut world, &mut resources);
    let flat = world.push((LocalToWorld::identity(), Scale(0.0)));
    let child = member(&mut world, flat, Translation::identity());
    let grandchild = member(&mut world, child, Translation::identity());
    let dead = world.push((LocalToWorld::identity(),));
    world.remove(dead);
    let other = world.push((LocalToWorld::identity(), Translation::identity()));

    assert_eq!(
        world.set_parent(flat, grandchild),
        Err(EditError::Cycle { child: flat, parent: grandchild })
    );
    assert_eq!(world.set_parent(flat, flat), Err(EditError::Cycle { child: flat, parent: flat }));
    assert_eq!(world.set_parent(other, dead), Err(EditError::Query(QueryError::Dead(dead))));
    assert_eq!(world.set_parent(dead, other), Err(EditError::Query(QueryError::Dead(dead))));
    let flattened = EditError::ParentNotInvertible { entity: other, parent: flat };
    assert_eq!(world.set_parent(other, flat), Err(flattened));
    assert_eq!(world.despawn_subtree(dead), 0);

    let owned = world.push((LocalToWorld::identity(), Rotation::identity(), OwnRotation(0.0)));
    let target = Isometry3::rotation(Vector3::y());
    let refused = EditError::Overridden { entity: owned, component: "Rotation" };
    assert_eq!(world.set_local_to_world(owned, target), Err(refused));
    world.set_local_to_world(owned, Isometry3::translation(1.0, 0.0, 0.0)).unwrap();
    assert_eq!(
        world.look_at(other, Point3::origin(), Vector3::y()),
        Err(EditError::NoDirection(other))
    );

    // A parent that is no link yet counts too: it would close the cycle when it becomes one.
    let waiting = world.push((LocalToWorld::identity(), Parent(other)));
    assert_eq!(
        world.set_parent(other, waiting),
        Err(EditError::Cycle { child: other, parent: waiting })
    );
}

#[test]
fn parent_scale_inverse_is_counted_in() {
    let mut it = RandomWorld::new();
    let big = it.world.push((LocalToWorld::identity(), Scale(4.0)));
    let plain = it.world.push((LocalToWorld::identity(), Translation::new(1.0, 2.0, 3.0)));
    let child = member(&mut it.world, big, Translation::new(1.0, 0.0, 0.0));
    it.world.entry(child).unwrap().add_component(ParentScaleInverse::identity());
    it.entities = vec![child];
    it.run();
    for parent in [plain, big, plain] {
        let before = it.world_matrix(child).unwrap();
        it.world.set_parent(child, parent).unwrap();
        it.run();
        assert!((it.world_matrix(child).unwrap() - before).amax() < 1e-6);
    }
    let before = it.world_matrix(child).unwrap();
    it.world.remove_parent(child).unwrap();
    it.run();
    assert!((it.world_matrix(child).unwrap() - before).amax() < 1e-6);
}

/// A `ParentScaleInverse` is left over from a parent that is gone, or without effect on a cycle. It
/// would have an effect below the new parent. Where the parent died since the last run, the child
/// is seen where that run left it.
#[test]
fn a_left_over_parent_scale_inverse_moves_nothing() {
    for (is_cyclic, runs_before) in [(false, true), (false, false), (true, true)] {
        let mut it = RandomWorld::new();
        let old = it.world.push((LocalToWorld::identity(), Scale(0.5)));
        let new = it.world.push((LocalToWorld::identity(), Translation::new(1.0, 2.0, 3.0)));
        let child = member(&mut it.world, old, Translation::new(1.0, 0.0, 0.0));
        it.world.entry(child).unwrap().add_component(ParentScaleInverse::identity());
        it.world.entry(child).unwrap().add_component(Scale(1.0));
        it.entities = vec![child];
        it.run();
        assert_eq!(it.get::<ParentScaleInverse>(child).unwrap().m11, 2.0);
        match is_cyclic {
            true => it.world.entry(child).unwrap().add_component(Parent(child)),
            false => _ = it.world.remove(old),
        }
        if runs_before {
            it.run();
        }
        let before = match is_cyclic || runs_before {
            true => it.fresh().local_to_world(child).unwrap(),
            false => it.get::<LocalToWorld>(child).unwrap(),
        };
        it.world.set_parent(child, new).unwrap();
        assert_eq!(it.fresh().local_to_world(child).unwrap(), before);
        it.run();
        assert_eq!(it.world_matrix(child), Some(before.0), "{is_cyclic}, {runs_before}");
        it.run();
        assert_eq!(it.world_matrix(child), Some(before.0), "{is_cyclic}, {runs_before}");
    }
}

/// A parent without `LocalToWorld` is none. An edit gives it one, and with it a place to all that
/// wait for it: here to the child itself, or to what the child is below.
#[test]
fn a_child_stays_in_place_where_its_parent_gets_one() {
    for waits_itself in [true, false] {
        let mut it = RandomWorld::new();
        let parent = it.world.push((Translation::new(0.0, 0.0, 2.0),));
        let mut above = parent;
        if !waits_itself {
            above = member(&mut it.world, parent, Translation::new(0.0, 4.0, 0.0));
        }
        let child = member(&mut it.world, above, Translation::new(1.0, 0.0, 0.0));
        let before = it.fresh().local_to_world(child).unwrap();
        it.world.set_parent(child, parent).unwrap();
        it.run();
        assert_eq!(it.get::<Parent>(child), Some(Parent(parent)));
        assert_eq!(it.world_matrix(child), Some(before.0), "{waits_itself}");
        let place = Matrix4::new_translation(&[0.0, 0.0, 2.0].into());
        assert_eq!(it.world_matrix(parent), Some(place));
    }
}

#[test]
fn detaching_children_leaves_them_in_place_all_or_none() {
    let mut world = World::default();
    let parent = world.push((LocalToWorld::identity(), Scale(2.0)));
    let children =
        [1.0, 2.0, 3.0].map(|x| member(&mut world, parent, Translation::new(x, 0.0, 0.0)));
    assert_eq!(world.detach_children(parent).unwrap(), children);
    let (fresh, walk) = (TransformQuery::new(&world), Walk::new(&world).unwrap());
    for (x, child) in [2.0, 4.0, 6.0].into_iter().zip(children) {
        assert_eq!((walk.parent(child), fresh.local_to_world(child).unwrap().m14), (None, x));
    }

    let parent = world.push((LocalToWorld::identity(), NonUniformScale::new(1.0, 2.0, 3.0)));
    let straight = member(&mut world, parent, Translation::identity());
    let turned = member(&mut world, parent, Translation::identity());
    world.entry(turned).unwrap().add_component(Rotation::from_euler_angles(0.3, 0.3, 0.3));
    let error = world.detach_children(parent).unwrap_err();
    assert!(matches!(error, EditError::NoTransform { entity, .. } if entity == turned), "{error}");
    assert_eq!(Walk::new(&world).unwrap().parent(straight), Some(parent));
}

#[test]
fn commands_are_evaluated_at_the_flush_and_never_panic() {
    let (mut world, mut resources) = (World::default(), Resources::default());
    let parent = world.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0)));
    let child = world.push((LocalToWorld::identity(), Translation::new(5.0, 0.0, 0.0)));
    let gone = world.push((LocalToWorld::identity(), Translation::identity()));
    let mut buffer = CommandBuffer::new(&world);
    let transform = Transform::from_translation(Vector3::x());
    buffer.set_parent(child, parent);
    buffer.set_local_to_world(parent, Isometry3::translation(2.0, 0.0, 0.0));
    buffer.despawn_subtree(gone);
    buffer.set_local_to_world(gone, Matrix4::identity());
    buffer.remove_parent(gone);
    buffer.detach_children(gone);
    buffer.look_at(gone, Point3::origin(), Vector3::y());
    buffer.set_transform(gone, transform);
    buffer.set_parent(gone, parent);
    buffer.despawn_subtrees([gone]);
    // Before the flush: counts.
    world.entry(parent).unwrap().add_component(Translation::new(0.0, 0.0, 0.0));
    buffer.flush(&mut world, &mut resources);

    let fresh = TransformQuery::new(&world);
    // 5 of its own, and 2 with its parent.
    assert_eq!(fresh.local_to_world(child).unwrap().m14, 7.0);
    let mut failed = resources.get_mut::<FailedEdits>().unwrap();
    let failed: Vec<EditError> = failed.drain().collect();
    assert_eq!(failed, [EditError::Query(QueryError::Dead(gone)); 6]);
}

/// The last 1,024 edits that failed are kept.
#[test]
fn of_many_errors_the_last_ones_are_kept() {
    let (mut world, mut resources) = (World::default(), Resources::default());
    let dead = world.extend((0..1_030).map(|i| (Scale(i as f32),))).to_vec();
    world.clear();
    let mut commands = CommandBuffer::new(&world);
    for &entity in &dead {
        Edits::default().print_failed(false).remove_parent(&mut commands, entity);
    }
    commands.flush(&mut world, &mut resources);
    let failed = resources.get_mut::<FailedEdits>().unwrap();
    let errors = dead[6..].iter().map(|entity| EditError::Query(QueryError::Dead(*entity)));
    assert!(failed.iter().copied().eq(errors));
}

#[test]
fn a_deep_subtree_is_despawned_without_recursion() {
    let mut world = World::default();
    let root = world.push((LocalToWorld::identity(),));
    let mut last = root;
    for _ in 0..20_000 {
        last = member(&mut world, last, Translation::identity());
    }
    let despawned = on_a_small_stack(|| (world.despawn_subtree(root), world.len()));
    assert_eq!(despawned, (20_001, 0));
}

/// The matrix that is written has 0 for all of a flat axis, also below a parent that projects.
#[test]
fn a_flat_entity_is_where_it_was_below_a_parent_that_projects() {
    let mut world = World::default();
    let mut projective = Matrix4::new_nonuniform_scaling(&Vector3::new(1.0, 2.0, 0.5));
    (projective.m41, projective.m43, projective.m12) = (0.125, -0.25, 0.5);
    let parent = world.push((LocalToWorld(projective),));
    let flat = NonUniformScale::new(0.0, 1.0, 1.0);
    let sprite = world.push((LocalToWorld::identity(), Translation::new(1.0, 2.0, 3.0), flat));
    let seen = |world: &World| TransformQuery::new(world).local_to_world(sprite).unwrap().0;
    let before = seen(&world);
    let edits = Edits::default().on_shear(OnShear::WriteMatrix);
    edits.set_parent(&mut world, sprite, parent).unwrap();
    assert!((seen(&world) - before).amax() < 1e-5, "{} {before}", seen(&world));
}

#[test]
fn transform_reads_what_components_say() {
    let mut world = World::default();
    let quarter = UnitQuaternion::from_euler_angles(0.0, 0.0, 1.5);
    let entity = world.push((
        LocalToWorld::identity(),
        Rotation::identity(),
        RotationEulerXYZ::new(0.0, 0.0, 1.5),
    ));
    let read = Transform::read(&world, entity).unwrap();
    assert!(read.rotation.angle_to(&quarter) < 1e-6);
    assert_eq!(read.scale, Vector3::repeat(1.0));

    // A matrix is taken apart; a sheared one is none of these.
    let wanted = Transform {
        translation: Vector3::x(),
        rotation: quarter,
        scale: Vector3::new(1.0, -2.0, 3.0),
    };
    let entity = world.push((LocalToWorld(wanted.to_matrix()),));
    let read = Transform::read(&world, entity).unwrap();
    assert!((read.to_matrix() - wanted.to_matrix()).amax() < 1e-6);
    let mut sheared = wanted.to_matrix();
    sheared.m12 += 0.5;
    assert!(matches!(Transform::try_from_matrix(&sheared), Err(DecomposeError::Sheared(_))));
    assert!(matches!(
        Transform::try_from_matrix(&Matrix4::zeros()),
        Err(DecomposeError::Projective)
    ));
    assert_eq!(decompose(&Matrix4::new_scaling(0.0)), Err(DecomposeError::Singular));
    assert_eq!(decompose(&Matrix4::new_scaling(f32::NAN)), Err(DecomposeError::NotFinite));

    // Writing to a static entity gives it components.
    world.set_transform(entity, Transform::identity()).unwrap();
    assert_eq!(TransformQuery::new(&world).local_to_world(entity), Ok(LocalToWorld::identity()));
}
