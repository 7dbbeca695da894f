//! Errors say each cause once: the text its own part, `source()` the rest. And what has no error
//! type panics with the name of the mistake.

use std::error::Error;

use legion::{world::SubWorld, *};
use legion_transform::{
    changes::FollowError,
    edit::EditError,
    math::decompose::DecomposeError,
    prelude::*,
    query::QueryError,
    smooth::Smooth,
    spawn::{InsertError, insert_with_ids, reserve_ids},
};
use nalgebra::{Matrix4, Vector3};

/// The error's text and those of its causes.
fn chain(error: &dyn Error) -> Vec<String> {
    let (mut chain, mut cause) = (vec![error.to_string()], error.source());
    while let Some(error) = cause {
        chain.push(error.to_string());
        cause = error.source();
    }
    chain
}

/// Fails if a cause is told by the error above it, too.
fn assert_told_once(error: &dyn Error, causes: usize) {
    let chain = chain(error);
    assert_eq!(chain.len(), 1 + causes, "{chain:?}");
    for (number, cause) in chain.iter().enumerate() {
        assert!(!cause.is_empty());
        let above = chain[..number].iter().find(|text| text.contains(cause.as_str()));
        assert_eq!(above, None, "{chain:?}");
    }
}

#[test]
fn causes_are_told_once() {
    let mut world = World::default();
    let dead = world.push(());
    world.remove(dead);
    let sheared = Matrix4::new_nonuniform_scaling(&Vector3::new(2.0, 1.0, 1.0))
        * Rotation::from_rotation_z(0.5).to_homogeneous();
    let sheared =
        world.push((LocalToWorld(Rotation::from_rotation_z(0.5).to_homogeneous() * sheared),));
    let child = world.push_transform((Rotation::from_rotation_z(0.7),));
    let press = world.push_transform((NonUniformScale::new(3.0, 1.0, 1.0),));

    // What the question about the entity says, the edit says, and nothing beside it.
    let question = TransformQuery::new(&world).local_to_world(dead).unwrap_err();
    let edit = world.translate(dead, Vector3::x()).unwrap_err();
    assert_eq!((edit, edit.to_string()), (EditError::Query(question), question.to_string()));
    assert_told_once(&edit, 0);
    assert_told_once(&FollowError::Query(question), 0);

    let edit = world.set_parent(child, press).unwrap_err();
    assert_told_once(&edit, 1);
    let why = edit.source().unwrap().downcast_ref::<DecomposeError>();
    assert!(matches!(why, Some(DecomposeError::Sheared(_))), "{why:?}");

    let question = Transform::read(&world, sheared).unwrap_err();
    assert_told_once(&question, 1);
    assert_told_once(&EditError::Query(question), 1);
    assert_told_once(&FollowError::Query(question), 1);
    assert_told_once(&EditError::Cycle { child, parent: press }, 0);
    let ids = reserve_ids(1);
    let error = insert_with_ids(&mut world, &ids, [(Scale(1.0),); 2]).unwrap_err();
    assert!(matches!(error, InsertError::Count { .. }));
    assert_told_once(&error, 0);
    assert_told_once(&Smooth::default().tick(&world, &TransformChanges::default()).unwrap_err(), 0);
}

/// Who is asked about, and what was said.
struct Asked(Entity, Vec<QueryError>);

#[system]
#[read_component(Scale)]
fn ask(world: &SubWorld<'_>, #[resource] asked: &mut Asked) {
    asked.1.extend(LocalToWorld::of(world, asked.0).err());
}

#[test]
fn which_of_three_things_a_matrix_lacks_is_said() {
    let (mut world, mut resources) = (World::default(), Resources::default());
    let rock = world.push_transform((Scale(2.0),));
    let bare = world.push((Scale(2.0),));
    let dead = world.push(());
    world.remove(dead);
    assert_eq!(LocalToWorld::of(&world, rock), Ok(LocalToWorld::identity()));
    assert_eq!(LocalToWorld::of(&world, bare), Err(QueryError::NoLocalToWorld(bare)));
    assert_eq!(LocalToWorld::of(&world, dead), Err(QueryError::Dead(dead)));
    resources.insert(Asked(rock, vec![]));
    Schedule::builder().add_system(ask_system()).build().execute(&mut world, &mut resources);
    let said = &resources.get::<Asked>().unwrap().1;
    let [QueryError::MissingAccess { component: Some(component), entity }] = said[..] else {
        panic!("{said:?}")
    };
    assert!(component.contains("LocalToWorld") && entity == Some(rock));
}

#[test]
#[should_panic(expected = "components::translation::Translation, or a part of it, twice")]
fn a_type_twice_in_a_tuple_panics_with_its_name() {
    World::default().push_transform((Translation::identity(), Scale(1.0), Translation::identity()));
}

#[test]
#[should_panic(expected = "transform::Transform, or a part of it, twice")]
fn a_transform_beside_its_part_panics() {
    World::default().push_transform((Rotation::identity(), Transform::identity()));
}
