//! The options of a world's bundles, which queries, walks and edits know once one has run.

use harness::{
    TestWorld,
    user::{OwnLocal, OwnWorld},
};
use legion::*;
use legion_transform::{edit::EditError, prelude::*, query::QueryError};
use nalgebra::{Isometry3, Vector3};

fn inserting() -> TestWorld {
    let mut test = TestWorld::new(TransformSystemBundle::default().insert_missing());
    test.run();
    test
}

/// A ship at 100, twice as large as its gun, which is 1 before it: 102. Neither has a matrix.
fn ship_and_gun(test: &mut TestWorld) -> [Entity; 2] {
    let ship = test.push((Translation::new(100.0, 0.0, 0.0), Scale(2.0)));
    let gun = test.push((Translation::new(1.0, 0.0, 0.0), Parent(ship)));
    [ship, gun]
}

/// An edit of a gun, beside a rock.
type Edit = fn(&mut World, Entity, Entity) -> Result<(), EditError>;

/// Where an entity is said to be.
fn said(test: &TestWorld, entity: Entity) -> Result<f32, QueryError> {
    TransformQuery::new(&test.world).local_to_world(entity).map(|it| it.position().x)
}

#[test]
fn what_the_next_run_inserts_is_foreseen() {
    let edit: [Edit; 5] = [
        |_, _, _| Ok(()),
        |world, gun, _| world.set_local_to_world(gun, Isometry3::translation(5.0, 0.0, 0.0)),
        |world, gun, rock| world.set_parent(gun, rock),
        |world, gun, _| world.translate(gun, Vector3::x()),
        |world, gun, _| world.remove_parent(gun),
    ];
    for (edit, expected) in edit.into_iter().zip([102.0, 5.0, 102.0, 103.0, 102.0]) {
        let mut test = inserting();
        let [ship, gun] = ship_and_gun(&mut test);
        let rock = test.push((Translation::new(7.0, 0.0, 0.0),));
        edit(&mut test.world, gun, rock).unwrap();
        assert_eq!(said(&test, gun), Ok(expected));
        let parent = Walk::new(&test.world).unwrap().parent(gun);
        test.run();
        assert_eq!((test.x(gun), test.x(ship)), (expected, 100.0));
        assert_eq!(test.previous(gun).and_then(|it| it.parent()), parent);
    }
}

#[test]
fn a_group_without_a_matrix_is_a_parent() {
    let mut test = inserting();
    let group = test.push((7_u8,));
    let child = test.push((Parent(group), Translation::new(3.0, 0.0, 0.0)));
    let walk = Walk::fresh(&test.world).unwrap();
    assert_eq!((walk.parent(child), walk.children(group).collect()), (Some(group), vec![child]));
    assert_eq!(said(&test, child), Ok(3.0));
    assert_eq!(said(&test, group), Err(QueryError::NoLocalToWorld(group)));
    test.run();
    assert_eq!((test.x(child), test.children(group)), (3.0, vec![child]));
}

#[test]
fn all_children_are_found() {
    for has_run in [true, false] {
        let spawn = || {
            let mut test = match has_run {
                true => inserting(),
                false => TestWorld::new(TransformSystemBundle::default().insert_missing()),
            };
            let [ship, gun] = ship_and_gun(&mut test);
            let shell = test.push((Parent(gun),));
            (test, [ship, gun, shell])
        };
        let (mut test, [ship, ..]) = spawn();
        assert_eq!(test.world.despawn_subtree(ship), 3);
        let (mut test, [ship, gun, shell]) = spawn();
        let walk = Walk::fresh(&test.world).unwrap();
        assert_eq!(walk.descendants(ship).collect::<Vec<_>>(), [gun, shell]);
        assert_eq!(walk.root(shell), Some(ship));
        let detached = test.world.detach_children(ship);
        match has_run {
            true => assert_eq!(detached, Ok(vec![gun])),
            // Where it would be as a root, nobody knows.
            false => assert!(detached.is_err()),
        }
    }
}

/// The run may link it or not: an answer could be wrong.
#[test]
fn before_the_first_run_an_answer_names_what_is_missing() {
    let mut test = TestWorld::default();
    let [ship, gun] = ship_and_gun(&mut test);
    let below = test.below(gun, 1.0);
    for entity in [gun, below] {
        assert_eq!(said(&test, entity), Err(QueryError::NoLocalToWorld(gun)));
    }
    let to = Isometry3::translation(5.0, 0.0, 0.0);
    let error = test.world.set_local_to_world(gun, to).unwrap_err();
    assert_eq!(error, EditError::Query(QueryError::NoLocalToParent(gun)));
    assert!(!test.has::<LocalToWorld>(gun), "an error leaves the world as it was");
    assert!(error.to_string().contains("LocalToParent"), "{error}");
    // A parent that is there no more links nothing, whatever the bundle inserts.
    test.despawn(ship);
    test.put(gun, LocalToWorld::identity());
    assert_eq!(said(&test, gun), Ok(1.0));
    // A bundle that inserts nothing has run: it is a root.
    test.run();
    let [_, gun] = ship_and_gun(&mut test);
    test.put(gun, LocalToWorld::identity());
    assert_eq!(said(&test, gun), Ok(1.0));
    test.run();
    assert_eq!(test.x(gun), 1.0);
}

#[test]
fn write_groups_are_those_of_the_worlds_bundle() {
    let groups = |bundle: TransformSystemBundle| {
        bundle.write_group::<LocalToWorld, OwnWorld>().write_group::<LocalToParent, OwnLocal>()
    };
    let owned = |test: &mut TestWorld| {
        let own = test.root(OwnWorld(0.0));
        test.put(own, Translation::identity());
        test.set(own, LocalToWorld(Isometry3::translation(9.0, 0.0, 0.0).to_homogeneous()));
        [own, test.below(own, 1.0)]
    };
    let (mut plain, mut grouped) = (TestWorld::default(), TestWorld::new(groups(bundle())));
    let (in_plain, in_grouped) = (owned(&mut plain), owned(&mut grouped));
    // Not known yet.
    assert_eq!(said(&grouped, in_grouped[1]), said(&plain, in_plain[1]));
    plain.run();
    grouped.run();
    // The archetypes of both worlds have the same numbers.
    for _ in 0..2 {
        assert_eq!((said(&plain, in_plain[0]), plain.x(in_plain[0])), (Ok(0.0), 0.0));
        assert_eq!(
            (said(&grouped, in_grouped[0]), said(&grouped, in_grouped[1])),
            (Ok(9.0), Ok(10.0))
        );
    }
    // A bundle of other resources chooses anew.
    grouped.resources = Resources::default();
    grouped.schedule = Schedule::builder().add_transforms(bundle()).build();
    grouped.run();
    assert_eq!((said(&grouped, in_grouped[0]), grouped.x(in_grouped[0])), (Ok(0.0), 0.0));
}

fn bundle() -> TransformSystemBundle {
    TransformSystemBundle::default()
}
