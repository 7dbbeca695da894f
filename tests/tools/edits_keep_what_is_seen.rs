//! Edits keep what is seen, or say that they cannot.

use crate::random_worlds::*;
use legion::{Entity, Resources, World, systems::CommandBuffer};
use legion_transform::{
    edit::NotTrs,
    math::decompose::{DecomposeError, decompose},
    prelude::*,
};
use nalgebra::{Isometry3, Matrix3, Matrix4, Point3, Similarity3, UnitQuaternion, Vector3};
use proptest::prelude::*;

/// The deviation that rounding may cause, relative to what is summed in an element.
const ROUNDING: f32 = 2e-5;

/// One entity of a tree of translations, rotations and scales: its parent comes before it.
#[derive(Clone, Debug)]
struct Node {
    parent: Option<usize>,
    translation: Vector3<f32>,
    rotation: Vector3<f32>,
    euler: bool,
    scale: Option<Result<f32, Vector3<f32>>>,
}

fn factor() -> impl Strategy<Value = f32> {
    (0.5f32..2.0, prop::bool::weighted(0.2)).prop_map(|(size, mirrored)| if mirrored { -size } else { size })
}

fn vector() -> impl Strategy<Value = Vector3<f32>> {
    prop::array::uniform3(-3.0f32..3.0).prop_map(Vector3::from)
}

fn node() -> impl Strategy<Value = Node> {
    let scale = prop_oneof![
        Just(None),
        factor().prop_map(|scale| Some(Ok(scale))),
        prop::array::uniform3(factor()).prop_map(|scale| Some(Err(scale.into()))),
    ];
    (prop::option::weighted(0.8, 0usize..1000), vector(), vector(), any::<bool>(), scale)
        .prop_map(|(parent, translation, rotation, euler, scale)| Node { parent, translation, rotation, euler, scale })
}

fn plant(it: &mut RandomWorld, nodes: &[Node]) {
    for (index, node) in nodes.iter().enumerate() {
        let entity = it.world.push((LocalToWorld::identity(), Translation::from(node.translation)));
        it.entities.push(entity);
        let mut entry = it.world.entry(entity).unwrap();
        entry.add_component(Rotation::identity());
        if node.euler {
            entry.add_component(RotationEulerZXY(node.rotation));
        } else {
            entry.add_component(Rotation(EulerOrder::ZXY.rotation(&node.rotation)));
        }
        match node.scale {
            None => {}
            Some(Ok(scale)) => entry.add_component(Scale(scale)),
            Some(Err(scale)) => entry.add_component(NonUniformScale(scale)),
        }
        if let Some(parent) = node.parent
            && index > 0
        {
            let parent = it.entities[parent % index];
            let mut entry = it.world.entry(entity).unwrap();
            entry.add_component(Parent(parent));
            entry.add_component(LocalToParent::identity());
        }
    }
}

/// How far `now` is from `before`, relative to the size of the factors it is made of.
fn off(it: &RandomWorld, entity: Entity, before: &Matrix4<f32>) -> f32 {
    let fresh = it.fresh();
    let now = fresh.local_to_world(entity).unwrap();
    let base = match fresh.parent(entity).unwrap() {
        Some(parent) => fresh.local_to_world(parent).unwrap(),
        None => Matrix4::identity(),
    };
    let local = fresh.local_to_parent(entity).unwrap();
    let size = base.abs() * local.abs();
    let bound = size.fixed_view::<3, 4>(0, 0).amax().max(before.amax());
    (now - before).amax() / bound
}

/// The shear that the entity's local matrix would have below `base`, worked out in `f64`.
fn shear_below(base: &Matrix4<f32>, pose: &Matrix4<f32>) -> f64 {
    let linear = |matrix: &Matrix4<f32>| -> Matrix3<f64> { matrix.fixed_view::<3, 3>(0, 0).map(f64::from) };
    let local = linear(base).try_inverse().unwrap() * linear(pose);
    let axes = [0, 1, 2].map(|i| local.column(i).normalize());
    axes[0].dot(&axes[1]).abs().max(axes[0].dot(&axes[2]).abs()).max(axes[1].dot(&axes[2]).abs())
}

fn worlds(it: &RandomWorld) -> Vec<Matrix4<f32>> {
    let fresh = it.fresh();
    it.entities.iter().map(|entity| fresh.local_to_world(*entity).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Re-parenting in place keeps every pose in the world; shear is an error exactly if there is some.
    #[test]
    fn re_parenting_keeps_poses(
        nodes in prop::collection::vec(node(), 2..12),
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of(any::<prop::sample::Index>())), 1..6),
        run in any::<bool>(),
    ) {
        let mut it = RandomWorld::new();
        plant(&mut it, &nodes);
        if run {
            it.run();
        }
        for (child, parent) in edits {
            let child = child.index(it.entities.len());
            let parent = parent.map(|parent| parent.index(it.entities.len()));
            let before = worlds(&it);
            let entity = it.entities[child];
            let base = parent.map_or_else(Matrix4::identity, |parent| before[parent]);
            let shear = shear_below(&base, &before[child]);
            let edits = Edits::default().with_groups(&it.groups);
            let result = match parent {
                Some(parent) => {
                    let parent = it.entities[parent];
                    let fresh = it.fresh();
                    let mut above = Some(parent);
                    while let Some(current) = above.filter(|current| *current != entity) {
                        above = fresh.parent(current).unwrap();
                    }
                    if above == Some(entity) {
                        let expected = EditError::Cycle { child: entity, parent };
                        prop_assert_eq!(edits.set_parent(&mut it.world, entity, parent), Err(expected));
                        continue;
                    }
                    if fresh.parent(entity).unwrap() == Some(parent) {
                        edits.set_parent(&mut it.world, entity, parent).unwrap();
                        prop_assert_eq!(worlds(&it), before);
                        continue;
                    }
                    edits.set_parent(&mut it.world, entity, parent)
                }
                None => edits.remove_parent(&mut it.world, entity),
            };
            match result {
                Ok(()) => {
                    prop_assert!(shear < 1e-3, "sheared by {shear}, but not reported");
                    for (entity, before) in it.entities.iter().zip(&before) {
                        prop_assert!(off(&it, *entity, before) < ROUNDING, "off by {}", off(&it, *entity, before));
                    }
                    let linked = it.fresh().parent(entity).unwrap();
                    prop_assert_eq!(linked, parent.map(|parent| it.entities[parent]));
                }
                Err(EditError::NotTrs { entity: reported, reason: NotTrs::Sheared(_) }) => {
                    prop_assert_eq!(reported, entity);
                    prop_assert!(shear > 1e-6, "reported shear, but there is only {shear}");
                    prop_assert_eq!(worlds(&it), before, "an edit that fails must change nothing");
                }
                Err(error) => return Err(TestCaseError::fail(error.to_string())),
            }
        }
        let fresh = worlds(&it);
        it.run();
        for (entity, fresh) in it.entities.clone().into_iter().zip(fresh) {
            prop_assert!(same_bits(&it.world_matrix(entity).unwrap(), &fresh));
        }
    }

    /// With `WriteMatrix` no pose is refused, and shear is kept.
    #[test]
    fn matrices_hold_every_pose(nodes in prop::collection::vec(node(), 3..10), child in 1usize..9, parent in 0usize..9) {
        let mut it = RandomWorld::new();
        plant(&mut it, &nodes);
        let (child, parent) = (it.entities[child % nodes.len()], it.entities[parent % nodes.len()]);
        let before = it.fresh().local_to_world(child).unwrap();
        let edits = Edits::default().if_not_trs(IfNotTrs::WriteMatrix);
        match edits.set_parent(&mut it.world, child, parent) {
            Ok(()) => prop_assert!(off(&it, child, &before) < ROUNDING),
            Err(error) => prop_assert_eq!(error, EditError::Cycle { child, parent }),
        }
        edits.remove_parent(&mut it.world, child).unwrap();
        prop_assert!(off(&it, child, &before) < 2.0 * ROUNDING);
    }

    /// Whatever the entity is made of (composites, pivots, overrides, matrices): what is answered with success is true, and what
    /// is not has changed nothing.
    #[test]
    fn no_edit_lies(
        setup in prop::collection::vec(edit(), 1..50),
        which in (0usize..64, 0usize..64),
        place in (vector(), vector(), factor()),
        kind in 0..3,
        if_not_trs in prop_oneof![Just(IfNotTrs::Fail), Just(IfNotTrs::WriteMatrix)],
    ) {
        let mut it = RandomWorld::new();
        setup.iter().for_each(|edit| it.apply(edit));
        prop_assume!(!it.entities.is_empty());
        let (entity, other) = (it.entities[which.0 % it.entities.len()], it.entities[which.1 % it.entities.len()]);
        let edits = Edits::default().with_groups(&it.groups).if_not_trs(if_not_trs);
        let Ok(before) = it.fresh().local_to_world(entity) else {
            prop_assert!(edits.set_parent(&mut it.world, entity, other).is_err());
            prop_assert!(edits.remove_parent(&mut it.world, entity).is_err());
            prop_assert!(edits.set_world(&mut it.world, entity, Isometry3::identity()).is_err());
            return Ok(());
        };
        let all: Vec<_> = it.entities.iter().map(|entity| it.fresh().local_to_world(*entity)).collect();
        let similarity = Similarity3::new(place.0, place.1, place.2);
        let (result, wanted) = match kind {
            0 => (edits.set_parent(&mut it.world, entity, other), before),
            1 => (edits.remove_parent(&mut it.world, entity), before),
            _ => (edits.set_world(&mut it.world, entity, similarity), similarity.to_homogeneous()),
        };
        match result {
            Ok(()) => {
                let finite = wanted.iter().all(|x| x.is_finite());
                let well_conditioned = it.fresh().parent(entity).unwrap().is_none_or(|parent| {
                    let base = it.fresh().local_to_world(parent).unwrap();
                    base.try_inverse().is_some_and(|inverse| inverse.amax() * base.amax() < 1e3)
                });
                if finite && well_conditioned {
                    prop_assert!(off(&it, entity, &wanted) < 1e-3, "off by {}", off(&it, entity, &wanted));
                }
                let fresh = it.fresh().local_to_world(entity).unwrap();
                it.run();
                // But for ParentScaleInverse, whose source may be gone since the last run.
                if it.get::<ParentScaleInverse>(entity).is_none() {
                    let ancestors: Vec<Entity> = Walk::new(&it.world).unwrap().ancestors(entity).collect();
                    if ancestors.into_iter().all(|ancestor| it.get::<ParentScaleInverse>(ancestor).is_none()) {
                        prop_assert!(same_bits(&it.world_matrix(entity).unwrap(), &fresh));
                    }
                }
            }
            Err(error) => {
                let now: Vec<_> = it.entities.iter().map(|entity| it.fresh().local_to_world(*entity)).collect();
                let same = all.iter().zip(&now).all(|pair| match pair {
                    (Ok(a), Ok(b)) => same_bits(a, b),
                    (a, b) => a == b,
                });
                prop_assert!(same, "{}, and yet the world has changed", error);
                let matrix_refused = if_not_trs == IfNotTrs::WriteMatrix && matches!(error, EditError::NotTrs { .. });
                prop_assert!(!matrix_refused, "{}", error);
            }
        }
    }

    /// Below any parents, the z axis comes to point at the target; place and scale stay.
    #[test]
    fn looking_points_at_the_target(nodes in prop::collection::vec(node(), 1..8), target in vector(), up in vector()) {
        let mut it = RandomWorld::new();
        plant(&mut it, &nodes);
        let entity = *it.entities.last().unwrap();
        let before = it.fresh().local_to_world(entity).unwrap();
        let scale = (it.get::<Scale>(entity), it.get::<NonUniformScale>(entity));
        let target = Point3::from(target * 10.0);
        let position = LocalToWorld(before).position();
        prop_assume!((target - position).norm() > 0.1 && up.norm() > 0.1);
        Edits::default().look_at(&mut it.world, entity, &target, &up).unwrap();

        let after = LocalToWorld(it.fresh().local_to_world(entity).unwrap());
        prop_assert!((after.position() - position).norm() <= 1e-4 * (1.0 + position.coords.norm()));
        let angle = after.forward().angle(&(target - position));
        prop_assert!(angle < 2e-3, "{angle} off");
        prop_assert_eq!((it.get::<Scale>(entity), it.get::<NonUniformScale>(entity)), scale);
        // y lies in the plane of the direction and `up`, on its side.
        let across = up.cross(&(target - position));
        if across.norm() > 0.3 * up.norm() * (target - position).norm() {
            let above = after.up().normalize();
            prop_assert!(above.dot(&across.normalize()).abs() < 1e-2);
        }
    }

    /// A transform that is written is read again, and an entity's own transform changes nothing when written back.
    #[test]
    fn transforms_round_trip(
        setup in prop::collection::vec(edit(), 1..40), translation in vector(), turn in vector(), scale in prop::array::uniform3(factor()),
    ) {
        let mut it = RandomWorld::new();
        setup.iter().for_each(|edit| it.apply(edit));
        let transform = Transform { translation, rotation: EulerOrder::XYZ.rotation(&turn), scale: scale.into() };
        for entity in it.entities.clone() {
            let Ok(old) = Transform::read(&it.world, entity) else { continue };
            let before = FreshWorld::new(&it.world).local_to_parent(entity).unwrap();
            if before.iter().all(|x| x.is_finite()) {
                old.write(&mut it.world, entity).unwrap();
                let after = FreshWorld::new(&it.world).local_to_parent(entity).unwrap();
                let size = before.amax().max(1.0);
                prop_assert!((after - before).amax() < 1e-4 * size, "{} {}", before, after);
            }
            if transform.write(&mut it.world, entity).is_err() {
                continue; // Below a parent's pivot or a matrix, not everything can be written.
            }
            let now = FreshWorld::new(&it.world).local_to_parent(entity).unwrap();
            let wanted = transform.to_matrix();
            prop_assert!((now - wanted).amax() < 1e-3 * (1.0 + wanted.amax() + now.amax()), "{} {}", now, wanted);
        }
    }

    /// A subtree is despawned whole, and nothing else.
    #[test]
    fn despawning_takes_the_subtree(setup in prop::collection::vec(edit(), 1..60), which in 0usize..64) {
        let mut it = RandomWorld::new();
        setup.iter().for_each(|edit| it.apply(edit));
        prop_assume!(!it.entities.is_empty());
        let root = it.entities[which % it.entities.len()];
        let fresh = FreshWorld::new(&it.world);
        let hangs_off = |entity: Entity| {
            let mut current = Some(entity);
            while let Some(above) = current.filter(|above| *above != root) {
                current = fresh.parent(above).ok().flatten();
            }
            current == Some(root) && it.world.contains(entity)
        };
        let (doomed, spared): (Vec<Entity>, Vec<Entity>) =
            it.entities.iter().filter(|entity| it.world.contains(**entity)).partition(|entity| hangs_off(**entity));
        prop_assert_eq!(Edits::default().despawn_subtree(&mut it.world, root), doomed.len());
        prop_assert!(doomed.iter().all(|entity| !it.world.contains(*entity)));
        prop_assert!(spared.iter().all(|entity| it.world.contains(*entity)));
        it.run();
    }
}

fn member(world: &mut World, parent: Entity, translation: Translation) -> Entity {
    world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(parent), translation))
}

#[test]
fn several_edits_between_two_runs_see_each_other() {
    let mut world = World::default();
    let a = world.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0)));
    let b = member(&mut world, a, Translation::new(2.0, 0.0, 0.0));
    let c = world.push((LocalToWorld::identity(), Translation::new(9.0, 0.0, 0.0)));
    let edits = Edits::default();
    edits.set_world(&mut world, a, Isometry3::translation(5.0, 0.0, 0.0)).unwrap();
    edits.set_parent(&mut world, c, b).unwrap();
    let x = |world: &World, entity| FreshWorld::new(world).local_to_world(entity).unwrap().m14;
    assert_eq!([a, b, c].map(|entity| x(&world, entity)), [5.0, 7.0, 9.0]);
    assert_eq!(world.entry(c).unwrap().get_component::<Translation>().unwrap().x, 2.0);
    edits.remove_parent(&mut world, b).unwrap();
    edits.set_world(&mut world, a, Isometry3::translation(0.0, 0.0, 0.0)).unwrap();
    assert_eq!([a, b, c].map(|entity| x(&world, entity)), [0.0, 7.0, 9.0]);
}

#[test]
fn what_need_not_change_keeps_its_bits() {
    let mut world = World::default();
    let turn = Rotation::from_euler_angles(0.1, 0.2, 0.3);
    let parent = world.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0)));
    let child = world.push((LocalToWorld::identity(), turn, NonUniformScale::new(1.1, 1.2, 1.3)));
    Edits::default().set_parent(&mut world, child, parent).unwrap();
    let entry = world.entry(child).unwrap();
    assert_eq!(entry.get_component::<Rotation>(), Ok(&turn));
    assert_eq!(entry.get_component::<NonUniformScale>(), Ok(&NonUniformScale::new(1.1, 1.2, 1.3)));
    assert_eq!(entry.get_component::<Translation>(), Ok(&Translation::new(-1.0, 0.0, 0.0)));
    assert!(entry.get_component::<Scale>().is_err());
}

#[test]
fn euler_angles_pivots_and_mirrors_stay_what_they_are() {
    let mut world = World::default();
    let parent = world.push((LocalToWorld::identity(), Rotation::from_euler_angles(0.3, -0.2, 0.9), Scale(-2.0)));
    let child = world.push((LocalToWorld::identity(), Rotation::identity(), RotationEulerYXZ::new(0.1, 0.2, 0.3)));
    {
        let mut entry = world.entry(child).unwrap();
        entry.add_component(CompositeRotation::identity());
        entry.add_component(RotationPivot::new(1.0, 0.0, 0.0));
        entry.add_component(PostRotation::from_euler_angles(0.5, 0.0, 0.0));
    }
    let before = FreshWorld::new(&world).local_to_world(child).unwrap();
    Edits::default().set_parent(&mut world, child, parent).unwrap();
    let after = FreshWorld::new(&world).local_to_world(child).unwrap();
    assert!((after - before).amax() < 2e-6, "{before} {after}");
    let entry = world.entry(child).unwrap();
    assert_eq!(entry.get_component::<RotationPivot>(), Ok(&RotationPivot::new(1.0, 0.0, 0.0)));
    assert_ne!(entry.get_component::<RotationEulerYXZ>(), Ok(&RotationEulerYXZ::new(0.1, 0.2, 0.3)));
    assert!((entry.get_component::<Scale>().unwrap().0 + 0.5).abs() < 1e-6, "one number mirrors all axes");
}

#[test]
fn shear_is_an_error_or_a_matrix_or_goes_where_there_is_a_place_for_it() {
    let mut world = World::default();
    let parent = world.push((LocalToWorld::identity(), NonUniformScale::new(3.0, 1.0, 1.0)));
    let turned = Rotation::from_euler_angles(0.0, 0.0, 0.7);
    let child = world.push((LocalToWorld::identity(), turned));
    let error = Edits::default().set_parent(&mut world, child, parent).unwrap_err();
    assert!(matches!(error, EditError::NotTrs { entity, reason: NotTrs::Sheared(shear) } if entity == child && shear > 0.5));
    assert!(error.to_string().contains("sheared"));
    assert!(world.entry(child).unwrap().get_component::<Parent>().is_err());

    Edits::default().if_not_trs(IfNotTrs::WriteMatrix).set_parent(&mut world, child, parent).unwrap();
    let fresh = FreshWorld::new(&world).local_to_world(child).unwrap();
    assert!((fresh - turned.0.to_homogeneous()).amax() < 1e-6);
    assert!(world.entry(child).unwrap().get_component::<Rotation>().is_err(), "a matrix without TRS");

    let shearable = world.push((LocalToWorld::identity(), turned, CompositeScale::identity(), Shear::identity()));
    Edits::default().set_parent(&mut world, shearable, parent).unwrap();
    let fresh = FreshWorld::new(&world).local_to_world(shearable).unwrap();
    assert!((fresh - turned.0.to_homogeneous()).amax() < 1e-6);
    assert!(world.entry(shearable).unwrap().get_component::<Shear>().unwrap().amax() > 0.5);
}

#[test]
fn cycles_flat_parents_and_overrides_are_refused() {
    let mut world = World::default();
    let groups = bundle().write_groups().clone();
    let edits = Edits::default().with_groups(&groups);
    let flat = world.push((LocalToWorld::identity(), Scale(0.0)));
    let child = member(&mut world, flat, Translation::identity());
    let grandchild = member(&mut world, child, Translation::identity());
    let dead = world.push((LocalToWorld::identity(),));
    world.remove(dead);
    let other = world.push((LocalToWorld::identity(), Translation::identity()));

    assert_eq!(edits.set_parent(&mut world, flat, grandchild), Err(EditError::Cycle { child: flat, parent: grandchild }));
    assert_eq!(edits.set_parent(&mut world, flat, flat), Err(EditError::Cycle { child: flat, parent: flat }));
    assert_eq!(edits.set_parent(&mut world, other, dead), Err(EditError::Query(QueryError::Dead(dead))));
    assert_eq!(edits.set_parent(&mut world, dead, other), Err(EditError::Query(QueryError::Dead(dead))));
    let flattened = EditError::ParentNotInvertible { entity: other, parent: flat };
    assert_eq!(edits.set_parent(&mut world, other, flat), Err(flattened));
    assert_eq!(Edits::default().despawn_subtree(&mut world, dead), 0);

    let owned = world.push((LocalToWorld::identity(), Rotation::identity(), OwnRotation));
    let target = Isometry3::rotation(Vector3::y());
    let refused = EditError::Overridden { entity: owned, component: "Rotation" };
    assert_eq!(edits.set_world(&mut world, owned, target), Err(refused));
    edits.set_world(&mut world, owned, Isometry3::translation(1.0, 0.0, 0.0)).unwrap();
    assert_eq!(edits.look_at(&mut world, other, &Point3::origin(), &Vector3::y()), Err(EditError::NoDirection(other)));

    // A parent that is no link yet counts too: it would close the cycle when it becomes one.
    let waiting = world.push((LocalToWorld::identity(), Parent(other)));
    assert_eq!(edits.set_parent(&mut world, other, waiting), Err(EditError::Cycle { child: other, parent: waiting }));
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
        Edits::default().set_parent(&mut it.world, child, parent).unwrap();
        it.run();
        assert!((it.world_matrix(child).unwrap() - before).amax() < 1e-6);
    }
    let before = it.world_matrix(child).unwrap();
    Edits::default().remove_parent(&mut it.world, child).unwrap();
    it.run();
    assert!((it.world_matrix(child).unwrap() - before).amax() < 1e-6);
}

#[test]
fn detaching_children_leaves_them_in_place_all_or_none() {
    let mut world = World::default();
    let parent = world.push((LocalToWorld::identity(), Scale(2.0)));
    let children = [1.0, 2.0, 3.0].map(|x| member(&mut world, parent, Translation::new(x, 0.0, 0.0)));
    assert_eq!(Edits::default().detach_children(&mut world, parent).unwrap(), children);
    let fresh = FreshWorld::new(&world);
    for (x, child) in [2.0, 4.0, 6.0].into_iter().zip(children) {
        assert_eq!((fresh.parent(child), fresh.local_to_world(child).unwrap().m14), (Ok(None), x));
    }

    let parent = world.push((LocalToWorld::identity(), NonUniformScale::new(1.0, 2.0, 3.0)));
    let straight = member(&mut world, parent, Translation::identity());
    let turned = member(&mut world, parent, Translation::identity());
    world.entry(turned).unwrap().add_component(Rotation::from_euler_angles(0.3, 0.3, 0.3));
    assert!(
        matches!(Edits::default().detach_children(&mut world, parent), Err(EditError::NotTrs { entity, .. }) if entity == turned)
    );
    assert_eq!(FreshWorld::new(&world).parent(straight), Ok(Some(parent)));
}

#[test]
fn commands_are_evaluated_at_the_flush_and_never_panic() {
    let (mut world, mut resources) = (World::default(), Resources::default());
    let parent = world.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0)));
    let child = world.push((LocalToWorld::identity(), Translation::new(5.0, 0.0, 0.0)));
    let gone = world.push((LocalToWorld::identity(), Translation::identity()));
    let edits = Edits::default();
    let mut buffer = CommandBuffer::new(&world);
    let transform = Transform::from_translation(Vector3::x());
    edits
        .commands(&mut buffer)
        .set_parent(child, parent)
        .set_world(parent, Isometry3::translation(2.0, 0.0, 0.0))
        .despawn_subtree(gone)
        .set_world(gone, Matrix4::identity())
        .remove_parent(gone)
        .detach_children(gone)
        .look_at(gone, Point3::origin(), Vector3::y())
        .set_local(gone, transform)
        .set_parent(gone, parent)
        .despawn_subtrees([gone]);
    world.entry(parent).unwrap().add_component(Translation::new(0.0, 0.0, 0.0)); // before the flush: counts
    buffer.flush(&mut world, &mut resources);

    let fresh = FreshWorld::new(&world);
    assert_eq!(fresh.local_to_world(child).unwrap().m14, 7.0); // 5 of its own, and 2 with its parent
    let mut failed = resources.get_mut::<FailedEdits>().unwrap();
    let failed: Vec<EditError> = failed.drain().collect();
    assert_eq!(failed, [EditError::Query(QueryError::Dead(gone)); 6]);
}

#[test]
fn a_deep_subtree_is_despawned_without_recursion() {
    let mut world = World::default();
    let root = world.push((LocalToWorld::identity(),));
    let mut last = root;
    for _ in 0..50_000 {
        last = member(&mut world, last, Translation::identity());
    }
    let despawned = std::thread::Builder::new()
        .stack_size(64 * 1024)
        .spawn(move || (Edits::default().despawn_subtree(&mut world, root), world.len()))
        .unwrap()
        .join()
        .unwrap();
    assert_eq!(despawned, (50_001, 0));
}

#[test]
fn transform_reads_what_components_say() {
    let mut world = World::default();
    let quarter = UnitQuaternion::from_euler_angles(0.0, 0.0, 1.5);
    let entity = world.push((LocalToWorld::identity(), Rotation::identity(), RotationEulerXYZ::new(0.0, 0.0, 1.5)));
    let read = Transform::read(&world, entity).unwrap();
    assert!(read.rotation.angle_to(&quarter) < 1e-6);
    assert_eq!(read.scale, Vector3::repeat(1.0));

    // A matrix is taken apart; a sheared one is none of these.
    let wanted = Transform { translation: Vector3::x(), rotation: quarter, scale: Vector3::new(1.0, -2.0, 3.0) };
    let entity = world.push((LocalToWorld(wanted.to_matrix()),));
    let read = Transform::read(&world, entity).unwrap();
    assert!((read.to_matrix() - wanted.to_matrix()).amax() < 1e-6);
    let mut sheared = wanted.to_matrix();
    sheared.m12 += 0.5;
    assert!(matches!(Transform::try_from_matrix(&sheared), Err(NotTrs::Sheared(_))));
    assert!(matches!(Transform::try_from_matrix(&Matrix4::zeros()), Err(NotTrs::Projective)));
    assert_eq!(decompose(&Matrix4::new_scaling(0.0)), Err(DecomposeError::Singular));
    assert_eq!(decompose(&Matrix4::new_scaling(f32::NAN)), Err(DecomposeError::NotFinite));

    // Writing to a static entity gives it components.
    Transform::identity().write(&mut world, entity).unwrap();
    assert_eq!(FreshWorld::new(&world).local_to_world(entity), Ok(Matrix4::identity()));
}
