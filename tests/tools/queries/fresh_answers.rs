//! Fresh answers are what the next run writes.

use harness::{TestWorld, demand};
use legion::{
    Entity, IntoQuery, Resources, Schedule, SystemBuilder, World, systems::CommandBuffer,
};
use legion_transform::{
    components::PreviousParent,
    math::{algebra::AffineMap, decompose::decompose},
    prelude::*,
    query::QueryError,
};
use legion_transform_testing::Step;
use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use crate::random_worlds::*;

fn check(it: &mut RandomWorld) -> Result<(), TestCaseError> {
    let entities = it.entities.clone();
    let fresh = it.fresh();
    let walk = Walk::new(&it.world).unwrap();
    let answers: Vec<_> = entities
        .iter()
        .map(|entity| {
            (fresh.local_to_world(*entity), fresh.local_to_parent(*entity), walk.parent(*entity))
        })
        .collect();
    let inverses: Vec<_> = entities.iter().map(|entity| fresh.world_to_local(*entity)).collect();
    it.run();
    for ((entity, (to_world, to_parent, parent)), to_local) in
        entities.into_iter().zip(answers).zip(inverses)
    {
        let is_group = to_world == Err(QueryError::NoLocalToWorld(entity));
        // Only a parent gets a matrix that its own components do not need.
        if is_group && it.has::<Children>(entity) && it.inserts {
            continue;
        }
        let Some(written) = it.world_matrix(entity) else {
            let error = if it.world.contains(entity) {
                QueryError::NoLocalToWorld(entity)
            } else {
                QueryError::Dead(entity)
            };
            prop_assert_eq!(to_world, Err(error));
            continue;
        };
        let to_world = to_world.unwrap();
        prop_assert!(
            same_bits(&to_world, &written),
            "{:?}: {:?} but the run wrote {:?}",
            entity,
            to_world,
            written
        );
        let linked = it.get::<PreviousParent>(entity).and_then(|previous| previous.parent());
        prop_assert_eq!(parent, linked);
        if let (Some(_), Some(local)) = (linked, it.get::<LocalToParent>(entity)) {
            prop_assert!(same_bits(&to_parent.unwrap(), &local.0));
        }
        if let Some(inverse) = it.get::<WorldToLocal>(entity) {
            match to_local {
                Ok(matrix) => prop_assert!(same_bits(&matrix, &inverse.0)),
                Err(error) => {
                    prop_assert_eq!(error, QueryError::NoInverse(entity));
                    prop_assert_eq!(inverse.0, Matrix4::identity());
                }
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(demand::cases(256))]

    /// Over several runs, with every component but `ParentScaleInverse`. Children wait for parents
    /// that come later, or have gone. The second bundle inserts missing matrices.
    #[test]
    fn equal_the_next_run(history in without_compensation(80).abuse()) {
        for mut it in [RandomWorld::new(), RandomWorld::inserting()] {
            for step in history.steps() {
                match step {
                    Step::Run => check(&mut it)?,
                    edit => it.take(edit),
                }
            }
        }
    }

    /// The first run after all edits, `ParentScaleInverse` and all.
    #[test]
    fn equal_the_first_run(history in histories(60)) {
        let mut it = RandomWorld::new();
        let edits = history.steps().filter(|step| !matches!(step, Step::Run));
        edits.for_each(|edit| it.take(edit));
        check(&mut it)?;
    }
}

#[test]
fn a_cycle_is_no_hang() {
    let mut world = World::default();
    let member =
        |x| (LocalToWorld::identity(), LocalToParent::identity(), Translation::new(x, 0.0, 0.0));
    let entities: Vec<Entity> =
        world.extend([member(1.0), member(2.0), member(4.0), member(8.0)]).to_vec();
    for (child, parent) in [(0, 1), (1, 2), (2, 1), (3, 0)] {
        world.entry(entities[child]).unwrap().add_component(Parent(entities[parent]));
    }
    let fresh = TransformQuery::new(&world);
    let x: Vec<f32> =
        entities.iter().map(|entity| fresh.local_to_world(*entity).unwrap().m14).collect();
    // 1 and 2 are on the cycle and at their LocalToParent; 0 is a child of 1, and 3 of 0.
    assert_eq!(x, [3.0, 2.0, 4.0, 11.0]);
}

#[test]
fn matrices_between_spaces() {
    let mut world = World::default();
    let quarter = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f32::consts::FRAC_PI_2);
    let a =
        world.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0), Rotation(quarter)));
    let b =
        world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(a), Scale(2.0)));
    let fresh = TransformQuery::new(&world);
    let close =
        |a: Point3<f32>, b: [f32; 3]| assert!((a - Point3::from(b)).norm() < 1e-6, "{a} {b:?}");
    close(
        fresh.local_to_world(b).unwrap().transform_point(&Point3::new(1.0, 0.0, 0.0)),
        [1.0, 2.0, 0.0],
    );
    close(
        fresh.world_to_local(b).unwrap().transform_point(&Point3::new(1.0, 2.0, 0.0)),
        [1.0, 0.0, 0.0],
    );
    close(
        fresh.between(b, a).unwrap().transform_point(&Point3::new(1.0, 0.0, 0.0)),
        [2.0, 0.0, 0.0],
    );
    let matrix = fresh.local_to_world(b).unwrap();
    assert!((matrix.transform_vector(&Vector3::x()) - Vector3::new(0.0, 2.0, 0.0)).norm() < 1e-6);
    let map = AffineMap::from_matrix(&matrix).unwrap();
    assert!(
        (map.transform_direction(&Vector3::x_axis()).unwrap().into_inner() - Vector3::y()).norm()
            < 1e-6
    );
    assert!(decompose(&matrix).unwrap().rotation.angle_to(&quarter) < 1e-6);
}

#[test]
fn a_system_with_declared_access_gets_the_same_answers() {
    let mut it = RandomWorld::new();
    let root = it.world.push_transform((Translation::new(1.0, 1.0, 1.0), Scale(2.0)));
    let turn = UnitQuaternion::from_euler_angles(0.5, 0.5, 0.5);
    let child = it.world.push_child(root, (Rotation(turn),));
    let expected = it.fresh().local_to_world(child).unwrap();

    let (sender, receiver) = std::sync::mpsc::channel();
    let mut told = Schedule::builder()
        .add_system(SystemBuilder::new("asks").read_transforms().build(move |_, world, _, _| {
            let answer = TransformQuery::new(world).local_to_world(child);
            let walk = Walk::new(world).map(|walk| walk.ancestors(child).count());
            sender.send((answer, walk)).unwrap();
        }))
        .build();
    let TestWorld { world, resources, .. } = &mut it.test;
    told.execute(world, resources);
    assert_eq!(receiver.recv().unwrap(), (Ok(expected), Ok(1)));
}

#[test]
fn missing_access_is_an_error_that_names_the_component() {
    let mut world = World::default();
    let root = world.push((LocalToWorld::identity(), Scale(2.0)));
    let child = world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(root)));
    let (seen, _) = world.split::<(&LocalToWorld, &LocalToParent, &Parent)>();
    let error = TransformQuery::new(&seen).local_to_world(child).unwrap_err();
    let QueryError::MissingAccess { component: Some(component), entity } = error else {
        panic!("{error}")
    };
    assert!(component.ends_with("Scale"), "{component}");
    assert_eq!(entity, Some(root));
    let Some(QueryError::MissingAccess { component: Some(name), entity: None }) =
        Walk::new(&seen).err()
    else {
        panic!("the walk has no access to `Children`")
    };
    assert!(name.ends_with("Children"), "{name}");

    // With all that the entities have, it works.
    let (seen, _) = world.split::<(&LocalToWorld, &LocalToParent, &Parent, &Scale)>();
    assert_eq!(TransformQuery::new(&seen).local_to_world(child).unwrap().m11, 2.0);
}

#[test]
fn an_archetype_out_of_reach_is_an_error_too() {
    let mut world = World::default();
    let mut resources = Resources::default();
    let root = world.push((LocalToWorld::identity(), Scale(2.0)));
    let child = world.push((
        LocalToWorld::identity(),
        LocalToParent::identity(),
        Parent(root),
        Translation::identity(),
    ));
    let (sender, receiver) = std::sync::mpsc::channel();
    // Access by a query only: the root's archetype does not match it.
    let query = <(&LocalToWorld, &LocalToParent, &Parent, &Translation)>::query();
    let system = SystemBuilder::new("asks").with_query(query).build(move |_, world, _, _| {
        sender.send(TransformQuery::new(world).local_to_world(child)).unwrap();
    });
    Schedule::builder().add_system(system).build().execute(&mut world, &mut resources);
    assert_eq!(
        receiver.recv().unwrap(),
        Err(QueryError::MissingAccess { component: None, entity: Some(root) })
    );
}

#[test]
fn dead_and_placeless_entities_are_errors() {
    let mut world = World::default();
    let dead = world.push((LocalToWorld::identity(),));
    world.remove(dead);
    let placeless = world.push((Translation::identity(),));
    let fresh = TransformQuery::new(&world);
    assert_eq!(fresh.local_to_world(dead), Err(QueryError::Dead(dead)));
    assert_eq!(fresh.between(dead, dead).err(), Some(QueryError::Dead(dead)));
    assert_eq!(fresh.local_to_world(placeless), Err(QueryError::NoLocalToWorld(placeless)));
    assert!(QueryError::Dead(dead).to_string().contains("does not exist"));
}

#[test]
fn answers_see_recorded_commands_only_after_the_flush() {
    let (mut world, mut resources) = (World::default(), Resources::default());
    let entity = world.push((LocalToWorld::identity(), Translation::identity()));
    let mut commands = CommandBuffer::new(&world);
    commands.add_component(entity, Translation::new(1.0, 0.0, 0.0));
    assert_eq!(TransformQuery::new(&world).local_to_world(entity).unwrap().m14, 0.0);
    commands.flush(&mut world, &mut resources);
    assert_eq!(TransformQuery::new(&world).local_to_world(entity).unwrap().m14, 1.0);
}

/// The first archetype of each world has other components: what a thread knows of one world must
/// not be taken for another. It knows 1,024 archetypes at a time.
#[test]
fn archetypes_of_many_worlds_are_not_mixed_up() {
    const COUNT: usize = 1_501;
    let spawn = |i: usize| {
        let (mut world, at) = (World::default(), Translation::new(i as f32, 0.0, 0.0));
        let entity = match i % 3 {
            0 => world.push((LocalToWorld::identity(), at)),
            1 => world.push((LocalToWorld::identity(), Scale(2.0))),
            _ => world.push((at,)),
        };
        (world, entity)
    };
    let worlds: Vec<(World, Entity)> = (0..COUNT).map(spawn).collect();
    for step in [1, 7, 64, COUNT - 1] {
        for i in (0..COUNT).map(|turn| turn * step % COUNT) {
            let (world, entity) = &worlds[i];
            let x = if i % 3 == 1 { 0.0 } else { i as f32 };
            let scale = if i % 3 == 1 { 2.0 } else { 1.0 };
            let placed = i % 3 < 2;
            let expected = Transform::from_xyz(x, 0.0, 0.0).with_scale([scale; 3]);
            assert_eq!(Transform::read(world, *entity).ok(), placed.then_some(expected));
            let matrix = TransformQuery::new(world).local_to_world(*entity);
            assert_eq!(matrix.ok(), placed.then(|| LocalToWorld(expected.to_matrix())));
        }
    }
}
