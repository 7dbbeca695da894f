//! What edits refuse, and what they leave where parents are missing or gone: case by case.

use harness::{TestWorld, at, on_a_small_stack, user::OwnRotation};
use legion::{Resources, World, systems::CommandBuffer};
use legion_transform::{
    components::{CompositeScale, ScalePivotTranslation, Shear},
    edit::{EditError, FailedEdits},
    prelude::*,
    query::QueryError,
};
use nalgebra::{Isometry3, Matrix4, Point3, Vector3};

use crate::random_worlds::bundle;

/// Without a place for shear, a pivot's translation counts for nothing, and so it stays.
#[test]
fn shear_is_an_error_or_a_matrix_or_goes_where_there_is_a_place_for_it() {
    let mut test = TestWorld::default();
    let parent = test.root(NonUniformScale::new(3.0, 1.0, 1.0));
    let turned = Rotation::from_euler_angles(0.0, 0.0, 0.7);
    let [child, pivoted, shearable] = [(); 3].map(|()| test.root(turned));
    test.put(pivoted, ScalePivotTranslation::new(1.0, 0.0, 0.0));
    test.put(shearable, CompositeScale::identity());
    test.put(shearable, Shear::default());
    let error = test.world.set_parent(child, parent).unwrap_err();
    assert!(error.to_string().contains("keep the shear"), "{error}");
    let edits = Edits::default().on_shear(OnShear::WriteMatrix);
    for it in [child, pivoted] {
        edits.set_parent(&mut test.world, it, parent).unwrap();
    }
    assert!(!test.has::<CompositeScale>(pivoted));
    test.world.set_parent(shearable, parent).unwrap();
    assert!([child, shearable].iter().all(|it| test.value::<Shear>(*it).amax() > 0.5));
}

#[test]
fn cycles_flat_parents_and_overrides_are_refused() {
    let mut test = TestWorld::new(bundle());
    test.run();
    let flat = test.root(Scale(0.0));
    let child = test.child(flat, Translation::identity());
    let grandchild = test.child(child, Translation::identity());
    let [other, dead] = [(); 2].map(|()| test.root(Translation::identity()));
    // A parent that is no link yet counts too: it would close the cycle when it becomes one.
    let waiting = test.root(Parent(other));
    test.despawn(dead);
    let cycle = |child, parent| EditError::Cycle { child, parent };
    let is_dead = EditError::Query(QueryError::Dead(dead));
    for (child, parent, error) in [
        (flat, grandchild, cycle(flat, grandchild)),
        (flat, flat, cycle(flat, flat)),
        (other, waiting, cycle(other, waiting)),
        (other, dead, is_dead),
        (dead, other, is_dead),
        (other, flat, EditError::ParentNotInvertible { entity: other, parent: flat }),
    ] {
        assert_eq!(test.world.set_parent(child, parent), Err(error));
    }
    assert_eq!(test.world.despawn_subtree(dead), 0);
    let owned = test.root(Rotation::identity());
    test.put(owned, OwnRotation(0.0));
    let target = Isometry3::rotation(Vector3::y());
    let refused = EditError::Overridden { entity: owned, component: "Rotation" };
    assert_eq!(test.world.set_local_to_world(owned, target), Err(refused));
    test.world.set_local_to_world(owned, Isometry3::translation(1.0, 0.0, 0.0)).unwrap();
    let nowhere = test.world.look_at(other, Point3::origin(), Vector3::y());
    assert_eq!(nowhere, Err(EditError::NoDirection(other)));
}

#[test]
fn parent_scale_inverse_is_counted_in() {
    let mut test = TestWorld::default();
    let (big, plain) = (test.root(Scale(4.0)), test.at(1.0));
    let child = test.child(big, Translation::new(1.0, 0.0, 0.0));
    test.put(child, ParentScaleInverse::identity());
    test.run();
    let before = test.matrix(child);
    for parent in [Some(plain), Some(big), None] {
        match parent {
            Some(parent) => test.world.set_parent(child, parent).unwrap(),
            None => test.world.remove_parent(child).unwrap(),
        }
        test.run();
        assert!((test.matrix(child) - before).amax() < 1e-6, "{parent:?}");
    }
}

/// A `ParentScaleInverse` is left over from a parent that is gone, or without effect on a cycle. It
/// would have an effect below the new parent. Where the parent died since the last run, the child
/// is seen where that run left it.
#[test]
fn a_left_over_parent_scale_inverse_moves_nothing() {
    for (is_cyclic, runs_before) in [(false, true), (false, false), (true, true)] {
        let mut test = TestWorld::new(bundle());
        let [old, new] = [0.5, 1.0].map(|scale| test.root(Scale(scale)));
        test.put(new, Translation::new(1.0, 2.0, 3.0));
        let child = test.child(old, Translation::new(1.0, 0.0, 0.0));
        test.put(child, ParentScaleInverse::identity());
        test.put(child, Scale(1.0));
        test.run();
        assert_eq!(test.value::<ParentScaleInverse>(child).m11, 2.0);
        match is_cyclic {
            true => test.put(child, Parent(child)),
            false => test.despawn(old),
        }
        if runs_before {
            test.run();
        }
        let fresh = |test: &TestWorld| TransformQuery::new(&test.world).local_to_world(child);
        let before = match is_cyclic || runs_before {
            true => fresh(&test).unwrap(),
            false => test.value(child),
        };
        test.world.set_parent(child, new).unwrap();
        assert_eq!(fresh(&test), Ok(before));
        for _ in 0..2 {
            test.run();
            assert_eq!(test.matrix(child), before.0, "{is_cyclic}, {runs_before}");
        }
    }
}

/// A parent without `LocalToWorld` is none. An edit gives it one, and with it a place to all that
/// wait for it: here to the child itself, or to what the child is below.
#[test]
fn a_child_stays_in_place_where_its_parent_gets_one() {
    for waits_itself in [true, false] {
        let mut test = TestWorld::new(bundle());
        test.run();
        let parent = test.push((Translation::new(0.0, 0.0, 2.0),));
        let mut above = parent;
        if !waits_itself {
            above = test.child(parent, Translation::new(0.0, 4.0, 0.0));
        }
        let child = test.child(above, Translation::new(1.0, 0.0, 0.0));
        let before = TransformQuery::new(&test.world).local_to_world(child).unwrap();
        test.world.set_parent(child, parent).unwrap();
        test.run();
        assert_eq!(test.value::<Parent>(child), Parent(parent));
        assert_eq!(test.matrix(child), before.0, "{waits_itself}");
        assert_eq!(test.matrix(parent), Matrix4::new_translation(&[0.0, 0.0, 2.0].into()));
    }
}

#[test]
fn children_are_detached_all_or_none() {
    let mut test = TestWorld::default();
    let parent = test.root(NonUniformScale::new(1.0, 2.0, 3.0));
    let straight = test.child(parent, Translation::identity());
    let turned = test.child(parent, Rotation::from_euler_angles(0.3, 0.3, 0.3));
    let error = test.world.detach_children(parent).unwrap_err();
    assert!(matches!(error, EditError::NoTransform { entity, .. } if entity == turned), "{error}");
    assert_eq!(test.value::<Parent>(straight).0, parent);
}

#[test]
fn commands_are_evaluated_at_the_flush_and_never_panic() {
    let TestWorld { mut world, mut resources, .. } = TestWorld::default();
    let [parent, child, gone] = [1.0, 5.0, 0.0].map(|x| world.push(at(x)));
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
    let mut test = TestWorld::default();
    let root = test.at(0.0);
    (0..20_000).fold(root, |last, _| test.below(last, 0.0));
    let despawned = on_a_small_stack(|| (test.world.despawn_subtree(root), test.world.len()));
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

/// The parent dies, and then the child gets another one, in one flush.
#[test]
fn the_child_of_a_parent_that_died_stays_where_it_is_seen() {
    for is_grandchild in [false, true] {
        let mut test = TestWorld::default();
        let parent = test.root(Translation::new(5.0, 0.0, 0.0));
        let mut child = test.child(parent, Translation::new(1.0, 0.0, 0.0));
        if is_grandchild {
            child = test.child(child, Scale(2.0));
        }
        let other = test.root(Translation::new(9.0, 0.0, 0.0));
        test.run();
        let mut commands = CommandBuffer::new(&test.world);
        commands.remove(parent);
        commands.set_parent(child, other);
        commands.flush(&mut test.world, &mut test.resources);
        assert!(test.resources.get::<FailedEdits>().is_none_or(|it| it.iter().next().is_none()));
        test.run();
        assert_eq!(test.x(child), 6.0);
    }
}
