//! `Children` and `PreviousParent` follow `Parent`, whatever is written into them.
//!
//! Each test says in its own words what must come out; the oracle looks at everything else after
//! every run.

use harness::CheckedWorld;
use legion_transform::{components::PreviousParent, prelude::*};
use nalgebra::Matrix4;

use super::linked_to;

#[test]
fn what_a_user_wrote_into_derived_relations_is_repaired() {
    let mut it = CheckedWorld::default();
    let (a, b) = (it.at(10.0), it.at(20.0));
    let (child, other) = (it.below(a, 1.0), it.below(b, 2.0));
    let dead = it.at(0.0);
    it.despawn(dead);
    it.run_twice();
    let garbage: Children = [other, other, dead, a].into_iter().collect();
    for entity in [a, child, other] {
        it.put(entity, garbage.clone());
        it.put(entity, PreviousParent::from(Some(dead)));
    }
    it.take::<Children>(b);
    it.run_twice();
    assert_eq!((it.children(a), it.children(b)), (vec![child], vec![other]));
    assert!(
        !it.has::<Children>(child) && !it.has::<Children>(other) && !it.has::<PreviousParent>(a)
    );
    assert_eq!((it.previous(child), it.previous(other)), (linked_to(a), linked_to(b)));

    it.take::<PreviousParent>(child);
    it.put(b, PreviousParent::from(None));
    it.put(a, Children::new());
    it.run_twice();
    assert_eq!((it.previous(child), it.previous(b)), (linked_to(a), None));
    assert_eq!(it.children(a), [child]);
}

#[test]
fn a_child_that_a_user_wrote_down_twice_stands_once_in_the_list() {
    let mut w = CheckedWorld::default();
    let parent = w.at(1.0);
    let child = w.below(parent, 2.0);
    w.run_twice();
    w.put(parent, [child, child].into_iter().collect::<Children>());
    w.run_twice();
    assert_eq!(w.children(parent), [child]);
}

#[test]
fn a_compensation_without_parent_is_no_input_of_the_local_matrix() {
    let mut w = CheckedWorld::default();
    let local = LocalToParent(Matrix4::new_scaling(3.0));
    let compensation = ParentScaleInverse(Matrix4::new_scaling(0.5));
    let alone = w.push((LocalToWorld::identity(), local, compensation));
    w.run_twice();
    assert_eq!(
        w.get::<LocalToParent>(alone),
        Some(local),
        "nothing describes it, so it is the user's"
    );
}

/// The newcomer stands in the row of the dead parent, with the very list that was right there.
#[test]
fn the_list_of_a_dead_parent_is_not_taken_over_with_its_row() {
    let mut w = CheckedWorld::default();
    let parent = w.at(1.0);
    let child = w.below(parent, 2.0);
    w.run_twice();
    let list = w.get::<Children>(parent).unwrap();
    w.despawn(parent);
    let heir = w.push((LocalToWorld::identity(), Translation::new(5.0, 0.0, 0.0), list));
    w.run_twice();
    assert!(!w.has::<Children>(heir), "no entity names it as parent");
    assert!(w.is_root(child));
    assert_eq!(w.x(child), 2.0);
}

#[test]
fn those_that_stay_keep_their_order_and_those_gained_are_appended() {
    let mut it = CheckedWorld::default();
    let (a, b) = (it.at(10.0), it.at(20.0));
    let mine: Vec<_> = (0..20).map(|_| it.below(a, 1.0)).collect();
    let others: Vec<_> = (0..20).map(|_| it.below(b, 1.0)).collect();
    it.run_twice();
    let listed = it.children(a);
    for index in [3, 7, 8, 19] {
        it.hang(mine[index], b);
        it.hang(others[index], a);
    }
    it.despawn(mine[5]);
    it.run_twice();
    let leavers = [mine[3], mine[7], mine[8], mine[19], mine[5]];
    let stayed: Vec<_> = listed.into_iter().filter(|child| !leavers.contains(child)).collect();
    let children = it.children(a);
    assert_eq!(children.len(), 19);
    assert_eq!(children[..15], stayed);
}

#[test]
fn a_member_that_comes_back_stands_once_in_the_list() {
    let mut it = CheckedWorld::default();
    let a = it.at(1.0);
    let (first, second) = (it.below(a, 1.0), it.below(a, 2.0));
    it.run_twice();
    it.take::<Children>(a);
    let third = it.below(a, 3.0);
    it.run_twice();
    let mut children = it.children(a);
    assert_eq!(children.len(), 3);
    children.retain(|child| ![first, second, third].contains(child));
    assert!(children.is_empty());
}

#[test]
fn an_entity_that_was_no_transform_for_a_while_comes_back_to_a_smaller_world() {
    let mut it = CheckedWorld::default();
    let root = it.at(1.0);
    let others: Vec<_> = (0..200).map(|i| it.below(root, i as f32)).collect();
    let away = it.below(root, 5.0);
    let below = it.below(away, 7.0);
    it.run_twice();
    it.take::<LocalToWorld>(away);
    it.run_twice();
    for (i, &other) in others.iter().enumerate() {
        it.despawn(other);
        if i % 20 == 0 {
            it.run_twice();
        }
    }
    it.run_twice();
    it.put(away, LocalToWorld::identity());
    it.put(below, LocalToParent::identity());
    it.hang(below, away);
    it.run_twice();
    assert_eq!((it.x(away), it.x(below)), (6.0, 13.0));
}
