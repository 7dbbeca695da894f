//! Entities on a cycle are found, keep their place, and come back when it opens.
//!
//! Each test says in its own words what must come out; the oracle looks at everything else after
//! every run.

use harness::{CheckedWorld, TestWorld};
use legion::Entity;
use legion_transform::{components::PreviousParent, findings::FindingKind, prelude::*};
use nalgebra::{Matrix4, Vector3};

use super::{linkable, linked_to};

#[test]
fn self_parent() {
    let mut it = CheckedWorld::default();
    let a = it.at(10.0);
    it.put(a, LocalToParent::identity());
    it.hang(a, a);
    let child = it.below(a, 1.0);
    it.run_twice();
    assert_eq!(it.children(a), [child], "it does not stand in its own list; its child does");
    assert_eq!(it.previous(a), Some(PreviousParent::from(None)));
    assert_eq!((it.x(a), it.x(child)), (10.0, 11.0), "its LocalToParent is its world");
    it.assert_found(FindingKind::Cycle, a, Some(a));
}

/// One that leaves a cycle is a root. Beside `LocalToParent` and without `Parent`, its world is the
/// user's.
#[test]
fn one_that_leaves_a_cycle_is_on_none() {
    let mut it = CheckedWorld::default();
    let a = it.at(10.0);
    it.put(a, LocalToParent::identity());
    let b = it.below(a, 20.0);
    it.hang(a, b);
    it.run_twice();
    it.take::<Parent>(a);
    it.run_twice();
    it.put(a, LocalToWorld(Matrix4::new_translation(&Vector3::new(7.0, 0.0, 0.0))));
    it.put(a, Translation::new(1.0, 0.0, 0.0));
    it.run_twice();
    assert_eq!((it.x(a), it.x(b)), (7.0, 27.0));
}

#[test]
fn a_cycle_is_made_lasts_and_opens() {
    let mut it = CheckedWorld::default();
    let top = it.at(100.0);
    let a = it.below(top, 10.0);
    let b = it.below(a, 20.0);
    let c = it.below(b, 30.0);
    let tail = it.below(c, 1.0);
    it.run_twice();
    assert_eq!(it.x(tail), 161.0);

    it.hang(a, c);
    it.run_twice();
    for (entity, parent, x) in [(a, c, 10.0), (b, a, 20.0), (c, b, 30.0)] {
        it.assert_found(FindingKind::Cycle, entity, Some(parent));
        assert_eq!(it.previous(entity), Some(PreviousParent::from(None)));
        assert_eq!(it.get::<Parent>(entity), Some(Parent(parent)), "Parent is untouched");
        assert_eq!(it.x(entity), x);
    }
    assert_eq!(it.found.len(), 3, "exactly the entities on it");
    assert!(!it.has::<Children>(a) && !it.has::<Children>(b) && !it.has::<Children>(top));
    assert_eq!((it.children(c), it.x(tail)), (vec![tail], 31.0), "its child stays");

    it.put(b, Translation::new(25.0, 0.0, 0.0));
    it.run_twice();
    assert_eq!(it.x(b), 25.0, "it still follows its own components");

    it.hang(a, top);
    it.run_twice();
    assert!(it.found.is_empty());
    assert_eq!(
        (it.x(a), it.x(b), it.x(c), it.x(tail)),
        (110.0, 135.0, 165.0, 166.0),
        "the links come back"
    );
    assert_eq!(it.children(top), [a]);
}

/// The archetypes in which the cycle is closed have `ParentScaleInverse`, whose use depends on the
/// link, and every member keeps its components, so nothing but the links themselves says that
/// `PreviousParent` has to follow.
#[test]
fn previous_parents_come_back_when_a_cycle_opens() {
    let mut it = CheckedWorld::default();
    let root = it.at(1.0);
    let a = it.below(root, 2.0);
    it.put(a, ParentScaleInverse::identity());
    let b = it.below(a, 3.0);
    let (_below_root, _below_b) = (it.below(root, 4.0), it.below(b, 5.0));
    it.run_twice();
    it.hang(a, b);
    it.run_twice();
    it.assert_found(FindingKind::Cycle, a, Some(b));
    assert_eq!(
        (it.previous(a), it.previous(b)),
        (Some(PreviousParent::from(None)), Some(PreviousParent::from(None)))
    );
    it.hang(b, root);
    it.run_twice();
    assert_eq!((it.previous(a), it.previous(b)), (linked_to(b), linked_to(root)));
    assert_eq!(it.x(a), 1.0 + 3.0 + 2.0);
    assert_eq!(it.found, []);
}

/// `ParentScaleInverse` is the only input, and counts below a parent alone: of the rows of one
/// archetype, those on the cycle keep the local matrix that they have.
#[test]
fn on_a_cycle_the_inverse_of_no_parent_counts() {
    let mut it = CheckedWorld::default();
    let parent = it.push((LocalToWorld::identity(), Scale(2.0)));
    let row = |_| {
        (
            LocalToWorld::identity(),
            LocalToParent(Matrix4::new_translation(&Vector3::new(3.0, 0.0, 0.0))),
            Parent(parent),
            ParentScaleInverse::identity(),
        )
    };
    let rows = it.world.extend((0..5).map(row)).to_vec();
    it.hang(rows[1], rows[2]);
    it.hang(rows[2], rows[1]);
    it.run_twice();
    let scales = rows.iter().map(|&row| it.value::<LocalToParent>(row).m11);
    assert_eq!(scales.collect::<Vec<_>>(), [0.5, 1.0, 1.0, 0.5, 0.5]);
    assert_eq!([1, 2].map(|i| it.x(rows[i])), [3.0; 2]);
}

#[test]
fn a_cycle_opens_when_a_member_dies_or_loses_its_link() {
    for way in 0..4 {
        let mut it = CheckedWorld::default();
        let nodes: Vec<Entity> = (0..4).map(|_| it.push(linkable())).collect();
        for i in 0..4 {
            it.hang(nodes[i], nodes[(i + 1) % 4]);
        }
        it.run_twice();
        assert_eq!(it.found.len(), 4);
        match way {
            0 => it.despawn(nodes[3]),
            1 => it.take::<Parent>(nodes[3]),
            2 => it.take::<LocalToParent>(nodes[3]),
            _ => it.take::<LocalToWorld>(nodes[3]),
        }
        it.run_twice();
        assert_eq!(it.previous(nodes[0]), linked_to(nodes[1]));
        assert!(it.found.iter().all(|finding| finding.kind != FindingKind::Cycle));
        assert_eq!(it.previous(nodes[1]), linked_to(nodes[2]));
    }
}

/// What a cycle does depends on the links alone, not on the order in which they were made.
#[test]
fn the_outcome_of_a_cycle_does_not_depend_on_its_history() {
    let outcome = |order: [usize; 3], between: bool| {
        let mut it = CheckedWorld::default();
        let nodes: Vec<Entity> = (0..3).map(|_| it.push(linkable())).collect();
        for i in order {
            it.hang(nodes[i], nodes[(i + 1) % 3]);
            if between {
                it.run_twice();
            }
        }
        it.run_twice();
        (0..3).map(|i| (it.matrix(nodes[i]), it.children(nodes[i]).len())).collect::<Vec<_>>()
    };
    let first = outcome([0, 1, 2], false);
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        for between in [false, true] {
            assert_eq!(outcome(order, between), first);
        }
    }
}

#[test]
fn a_cycle_is_found_as_long_as_it_stands_whatever_else_happens() {
    let mut it = CheckedWorld::default();
    let a = it.at(1.0);
    it.put(a, LocalToParent::identity());
    it.hang(a, a);
    it.run_twice();
    for round in 0..3 {
        let other = it.at(2.0);
        it.run_twice();
        it.assert_found(FindingKind::Cycle, a, Some(a));
        it.put(other, Translation::new(round as f32, 0.0, 0.0));
        it.run_twice();
        it.assert_found(FindingKind::Cycle, a, Some(a));
        it.despawn(other);
        it.run_twice();
        it.assert_found(FindingKind::Cycle, a, Some(a));
    }
}

/// Findings have one order, wherever the entities stand: two worlds with the same edits tell the
/// same, whatever has hidden writes from one of them.
#[test]
fn entities_on_cycles_are_told_in_the_order_of_their_ids() {
    let mut it = CheckedWorld::default();
    let ring: Vec<Entity> = (0..4).map(|_| it.push(linkable())).collect();
    for at in 0..4 {
        it.hang(ring[at], ring[(at + 1) % 4]);
    }
    it.run_twice();
    for moved in [None, Some(0), Some(2)] {
        if let Some(at) = moved {
            // Moves it to another archetype, which stands behind.
            it.put(ring[at], Scale(1.0));
            it.run_twice();
        }
        let told: Vec<Entity> = it.found.iter().map(|finding| finding.entity).collect();
        assert_eq!(told, ring);
    }
}

/// Writing the same links once more, or garbage beside them, is no news about a cycle.
#[test]
fn a_cycle_whose_members_are_touched_stays_and_its_links_come_back() {
    for way in 0..4 {
        let mut it = CheckedWorld::default();
        let (a, b) = (it.push(linkable()), it.push(linkable()));
        it.hang(a, b);
        it.hang(b, a);
        it.run_twice();
        match way {
            0 => it.hang(a, b),
            1 => it.put(a, PreviousParent::from(Some(b))),
            2 => it.put(a, [a, b].into_iter().collect::<Children>()),
            _ => it.put(a, Scale(1.0)),
        }
        it.run_twice();
        it.assert_found(FindingKind::Cycle, a, Some(b));
        it.assert_found(FindingKind::Cycle, b, Some(a));
        let root = it.at(100.0);
        it.hang(b, root);
        it.run_twice();
        assert_eq!((it.x(b), it.x(a)), (101.0, 102.0));
    }
}

#[test]
fn a_cycle_stands_while_others_come_and_go_and_opens_when_a_member_does() {
    let mut test = TestWorld::default();
    let root = test.push((LocalToWorld::identity(), Translation::new(5.0, 0.0, 0.0)));
    let mut ring: Vec<Entity> = Vec::new();
    for _ in 0..3 {
        let (world, translation, local) = linkable();
        ring.push(test.push((world, translation, local, Parent(root), PreviousParent::default())));
    }
    (0..3).for_each(|number| test.put(ring[number], Parent(ring[(number + 1) % 3])));
    test.run();
    for _ in 0..4 {
        let (world, translation, local) = linkable();
        let child = test.push((world, translation, local, Parent(ring[0])));
        test.run();
        assert!(
            ring.iter()
                .all(|&member| test.get::<PreviousParent>(member)
                    == Some(PreviousParent::from(None)))
        );
        test.world.remove(child);
    }
    test.world.remove(ring[1]);
    test.run();
    // It has not been linked to this parent, so it waits.
    assert_eq!(test.get::<PreviousParent>(ring[0]), Some(PreviousParent::from(None)));
    assert_eq!(test.get::<PreviousParent>(ring[2]), Some(PreviousParent::from(Some(ring[0]))));
    assert_eq!(test.get::<Children>(ring[0]), Some([ring[2]].into_iter().collect()));
}
