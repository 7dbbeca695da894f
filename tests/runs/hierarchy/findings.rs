//! What is wrong with a hierarchy is told as long as it stands, and what was mended once.
//!
//! Each test says in its own words what must come out; the judge looks at everything else after
//! every run.

use harness::{CheckedWorld, TestWorld};
use legion::{Resources, World, any};
use legion_transform::{findings::FindingKind, prelude::*, spawn::insert_with_ids};

/// A link made at the wrong end. The list loses the entity, and the finding says where to link.
#[test]
fn a_child_without_parent_is_told_once() {
    let mut it = CheckedWorld::default();
    let mars = it.at(1.0);
    let moon = it.below(mars, 2.0);
    let (ship, rock) = (it.at(3.0), it.push(("no transform at all",)));
    let venus = it.at(4.0);
    it.put(mars, Children::from_iter([ship, moon, rock, ship]));
    it.put(venus, Children::from_iter([ship]));
    it.run();
    let kind = FindingKind::ChildWithoutParent;
    it.assert_found(kind, ship, Some(mars));
    it.assert_found(kind, rock, Some(mars));
    it.assert_found(kind, ship, Some(venus));
    assert_eq!(it.found.len(), 3, "each once: {:?}", it.found);
    assert!(it.found[0].to_string().contains("link at the child"), "{}", it.found[0]);
    assert_eq!((it.children(mars), it.children(venus)), (vec![moon], vec![]));
    it.run();
    assert!(it.found.is_empty(), "{:?}", it.found);
}

/// A child died, and its id comes again as a root. Whether the state of the world is there or
/// begins anew, that is no mistake; in a world that has never run it is one.
#[test]
fn an_id_that_comes_again_as_a_root_is_no_mistake() {
    for (runs, moves, told) in [(1, false, 0), (1, true, 0), (0, false, 1)] {
        let mut test = TestWorld::default();
        let mars = test.at(1.0);
        let [moon, io] = [2.0, 3.0].map(|x| test.below(mars, x));
        for _ in 0..runs {
            test.run();
        }
        if runs == 0 {
            test.put(mars, Children::from_iter([moon, io]));
        }
        test.despawn(io);
        insert_with_ids(&mut test.world, &[io], [(Translation::identity(),)]).unwrap();
        if moves {
            let mut world = World::default();
            world.move_from(&mut test.world, &any());
            test.world = world;
        }
        test.run();
        assert_eq!((test.told().len(), test.children(mars)), (told, vec![moon]));
    }
}

/// Verbs that undo each other between two runs leave no mistake behind.
#[test]
fn a_child_that_is_inserted_and_taken_out_again_is_no_mistake() {
    for (runs, detaches) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut test = TestWorld::default();
        let mars = test.at(1.0);
        let moon = test.below(mars, 2.0);
        let ship = test.at(3.0);
        if runs {
            test.run();
        }
        test.world.insert_child(mars, 0, ship).unwrap();
        if detaches {
            assert_eq!(test.world.detach_children(mars), Ok(vec![ship, moon]));
        } else {
            test.world.remove_parent(ship).unwrap();
            test.world.insert_child(mars, 0, moon).unwrap();
            test.world.remove_parent(moon).unwrap();
        }
        test.run();
        assert_eq!(test.told(), []);
        assert!(!test.has::<Children>(mars));
    }
}

/// What is no mistake: a list that does not know yet that a child has left, or that was copied.
#[test]
fn lists_that_are_only_late_are_not_told() {
    let mut it = CheckedWorld::default();
    let (mars, venus) = (it.at(1.0), it.at(2.0));
    let [moon, io, ship, rock] = [3.0, 4.0, 5.0, 6.0].map(|x| it.below(mars, x));
    it.run();
    let listed: Children = it.value(mars);
    // One leaves, one moves, one dies; both lists are written with all of them.
    it.take::<Parent>(moon);
    it.take::<LocalToParent>(moon);
    it.put(io, Parent(venus));
    it.despawn(rock);
    it.put(mars, listed.clone());
    it.put(venus, Children::from_iter([ship, io]));
    it.run();
    assert!(it.found.is_empty(), "{:?}", it.found);
    assert_eq!((it.children(mars), it.children(venus)), (vec![ship], vec![io]));
}

/// Children leave while the bundle keeps no state of the world, as after a run that panicked.
#[test]
fn children_that_left_before_a_first_run_are_not_told() {
    let mut it = CheckedWorld::default();
    let mars = it.at(1.0);
    let [moon, io, ship] = [3.0, 4.0, 5.0].map(|x| it.below(mars, x));
    it.run();
    it.resources = Resources::default();
    it.take::<Parent>(moon);
    it.take::<LocalToParent>(moon);
    it.world.remove_parent(io).unwrap();
    it.run();
    assert!(it.found.is_empty(), "{:?}", it.found);
    assert_eq!(it.children(mars), [ship]);
}
