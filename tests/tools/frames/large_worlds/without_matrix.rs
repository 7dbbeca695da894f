//! A frame without `LocalToWorld` is a finding, or gets it.

use harness::TestWorld;
use legion_transform::{
    findings::FindingKind,
    frames::{Frame, Origin},
    prelude::*,
    query::QueryError,
};

use super::{at, large};

#[test]
fn a_frame_without_a_matrix_is_told() {
    let mut test = large();
    let bare = test.push((at(1.0, 0.0, 0.0),));
    for _ in 0..2 {
        test.run();
        assert_eq!(test.told(), [(FindingKind::MissingLocalToWorld, bare, None)]);
    }
    let other = test.push((at(2.0, 0.0, 0.0),));
    test.put(bare, LocalToWorld::identity());
    test.run();
    assert_eq!(test.told(), [(FindingKind::MissingLocalToWorld, other, None)]);
    assert_eq!(test.x(bare), 1.0);
    test.despawn(other);
    test.run();
    assert_eq!(test.told(), []);
}

/// Only a bundle with large worlds reads frames.
#[test]
fn without_large_worlds_a_frame_is_a_component_like_any_other() {
    let mut test = TestWorld::new(TransformSystemBundle::default().insert_missing());
    let bare = test.push((at(1.0, 0.0, 0.0),));
    test.run();
    assert_eq!((test.told(), test.has::<LocalToWorld>(bare)), (Vec::new(), false));
    // Queries and edits know it, too.
    let ship = test.world.push_transform((at(5.0, 0.0, 0.0), Translation::new(2.0, 0.0, 0.0)));
    let lamp = test.world.push_child(ship, (Translation::new(1.0, 0.0, 0.0),));
    for _ in 0..2 {
        test.run();
        let query = TransformQuery::new(&test.world);
        assert_eq!([test.x(lamp), query.position(lamp).unwrap().x], [3.0; 2]);
        assert_eq!(query.in_frame(lamp, ship), Err(QueryError::NoFrame(ship)));
        test.world.remove_parent(lamp).unwrap();
        assert!(!test.has::<Frame>(lamp) && !test.has::<Parent>(lamp));
    }
}

/// What a frame lacks comes in the run that first sees it, so that it can be a parent in that run.
#[test]
fn a_frame_gets_the_matrix_that_it_lacks() {
    let mut test = TestWorld::new(TransformSystemBundle::default().large_worlds().insert_missing());
    let planets: Vec<_> = (0..100).map(|i| test.push((at(f64::from(i), 0.0, 0.0),))).collect();
    let moon = test.push((at(0.5, 0.0, 0.0), Parent(planets[7])));
    let rock = test.push((Translation::new(0.25, 0.0, 0.0), Parent(moon)));
    test.run();
    assert_eq!(test.told(), []);
    assert_eq!([planets[99], moon, rock].map(|it| test.x(it)), [99.0, 7.5, 7.75]);
    assert_eq!(test.children(planets[7]), [moon]);
    // One more, alone, from which the world is seen.
    let ship = test.push((at(5.0, 0.0, 0.0),));
    test.resources.insert(Origin(ship));
    test.run();
    assert_eq!([planets[99], moon, ship].map(|it| test.x(it)), [94.0, 2.5, 0.0]);
}
