//! The hierarchy: every case of the rules' table, invariants, cycles and findings.
//!
//! Each test says in its own words what must come out; the oracle looks at everything else after every run.

use harness::CheckedWorld;
use legion::Entity;
use legion_transform::prelude::*;
use nalgebra::{Matrix4, Vector3};

fn linked_to(parent: Entity) -> Option<PreviousParent> {
    Some(PreviousParent(Some(parent)))
}

#[test]
fn parent_added() {
    let mut it = CheckedWorld::default();
    let (a, b) = (it.at(1.0), it.at(2.0));
    it.run_twice();
    it.put(b, LocalToParent::identity());
    it.hang(b, a);
    it.run_twice();
    assert_eq!(it.children(a), [b]);
    assert_eq!(it.previous(b), linked_to(a));
    assert_eq!(it.x(b), 3.0);
    assert!(it.found.is_empty());
}

#[test]
fn parent_changed() {
    let mut it = CheckedWorld::default();
    let (a, b) = (it.at(10.0), it.at(20.0));
    let (first, second, third) = (it.below(a, 1.0), it.below(a, 2.0), it.below(a, 3.0));
    let other = it.below(b, 4.0);
    it.run_twice();
    it.hang(second, b);
    it.run_twice();
    assert_eq!(it.children(b), [other, second], "gained at the end");
    assert!(it.children(a) == [first, third] || it.children(a) == [third, first]);
    assert_eq!(it.previous(second), linked_to(b));
    assert_eq!(it.x(second), 22.0);
    assert_eq!((it.x(first), it.x(third), it.x(other)), (11.0, 13.0, 24.0));
}

#[test]
fn several_reparented_at_once_also_a_parent_and_its_child() {
    let mut it = CheckedWorld::default();
    let (a, b) = (it.at(100.0), it.at(200.0));
    let middle = it.below(a, 10.0);
    let leaf = it.below(middle, 1.0);
    let sibling = it.below(middle, 2.0);
    it.run_twice();
    it.hang(middle, b);
    it.hang(leaf, a);
    it.hang(sibling, leaf);
    it.run_twice();
    assert_eq!(it.children(a), [leaf]);
    assert_eq!(it.children(b), [middle]);
    assert_eq!(it.children(leaf), [sibling]);
    assert!(!it.has::<Children>(middle));
    assert_eq!((it.x(middle), it.x(leaf), it.x(sibling)), (210.0, 101.0, 103.0));
}

#[test]
fn a_parent_and_its_child_swap_places() {
    let mut it = CheckedWorld::default();
    let top = it.at(100.0);
    let upper = it.below(top, 10.0);
    let lower = it.below(upper, 1.0);
    it.run_twice();
    assert_eq!(it.x(lower), 111.0);
    it.hang(lower, top);
    it.hang(upper, lower);
    it.run_twice();
    assert_eq!((it.children(top), it.children(lower)), (vec![lower], vec![upper]));
    assert!(!it.has::<Children>(upper));
    assert_eq!((it.x(lower), it.x(upper)), (101.0, 111.0));
}

#[test]
fn parent_removed_and_added_again_before_the_run() {
    let mut it = CheckedWorld::default();
    let (a, b) = (it.at(10.0), it.at(20.0));
    let (first, second) = (it.below(a, 1.0), it.below(a, 2.0));
    it.run_twice();
    let listed = it.children(a);
    it.take::<Parent>(first);
    it.hang(first, a);
    it.run_twice();
    assert_eq!(it.children(a), listed, "the same parent: nothing at all");

    it.take::<Parent>(second);
    it.hang(second, b);
    it.run_twice();
    assert_eq!((it.children(a), it.children(b)), (vec![first], vec![second]));
    assert_eq!(it.x(second), 22.0);
}

#[test]
fn parent_removed() {
    let mut it = CheckedWorld::default();
    let a = it.at(10.0);
    let child = it.below(a, 1.0);
    let grandchild = it.below(child, 0.5);
    it.put(child, WorldToLocal::identity());
    it.run_twice();
    it.take::<Parent>(child);
    it.run_twice();
    assert!(!it.has::<PreviousParent>(child) && it.has::<LocalToParent>(child));
    assert!(!it.has::<Children>(a));
    assert_eq!(it.x(child), 11.0, "nothing writes its LocalToWorld");
    it.assert_found(FindingKind::LocalToParentWithoutParent, child, None);

    it.put(child, Translation::new(2.0, 0.0, 0.0));
    it.run_twice();
    assert_eq!(it.get::<LocalToParent>(child).unwrap().0.m14, 2.0, "still computed from its inputs");
    assert_eq!(it.x(child), 11.0);

    it.put(child, LocalToWorld(Matrix4::new_translation(&Vector3::new(50.0, 0.0, 0.0))));
    it.run_twice();
    assert_eq!(it.x(child), 50.0, "nor repairs it");
    assert_eq!(it.x(grandchild), 50.5, "its children follow that value");
    assert_eq!(it.get::<WorldToLocal>(child).unwrap().0.m14, -50.0, "and so does WorldToLocal");

    it.take::<LocalToParent>(child);
    it.run_twice();
    assert_eq!((it.x(child), it.x(grandchild)), (2.0, 2.5), "without LocalToParent it is a root");
    assert!(it.found.is_empty());
}

#[test]
fn parent_despawned() {
    let mut it = CheckedWorld::default();
    let a = it.at(10.0);
    let child = it.below(a, 1.0);
    let grandchild = it.below(child, 0.5);
    let bare = it.push((
        LocalToWorld::identity(),
        LocalToParent(Matrix4::new_translation(&Vector3::new(3.0, 0.0, 0.0))),
        Parent(a),
    ));
    it.run_twice();
    it.despawn(a);
    it.run_twice();
    assert!(it.is_root(child) && it.is_root(bare));
    assert_eq!(it.x(child), 1.0, "its own components become its world");
    assert_eq!(it.x(bare), 13.0, "without inputs the last world stays");
    assert_eq!(it.previous(grandchild), linked_to(child), "grandchildren stay linked");
    assert_eq!(it.x(grandchild), 1.5);
    it.assert_found(FindingKind::DeadParent, child, Some(a));
    it.assert_found(FindingKind::DeadParent, bare, Some(a));
    assert!(it.findings().is_empty(), "a repaired finding stands for one run");
}

#[test]
fn parent_loses_local_to_world() {
    let mut it = CheckedWorld::default();
    let a = it.at(10.0);
    let child = it.below(a, 1.0);
    it.run_twice();
    it.take::<LocalToWorld>(a);
    it.run_twice();
    assert!(it.is_root(child) && !it.has::<Children>(a));
    assert_eq!(it.x(child), 1.0);
    it.assert_found(FindingKind::ParentWithoutLocalToWorld, child, Some(a));
}

#[test]
fn parent_never_had_local_to_world() {
    let mut it = CheckedWorld::default();
    let a = it.push((Translation::new(10.0, 0.0, 0.0),));
    let child = it.below(a, 1.0);
    it.run_twice();
    assert!(it.is_root(child) && !it.has::<Children>(a));
    assert_eq!(it.x(child), 1.0);
    it.assert_found(FindingKind::ParentWithoutLocalToWorld, child, Some(a));
}

#[test]
fn old_parent_despawned_and_child_reparented() {
    let mut it = CheckedWorld::default();
    let (a, b) = (it.at(10.0), it.at(20.0));
    let (child, stays) = (it.below(a, 1.0), it.below(a, 2.0));
    it.run_twice();
    it.despawn(a);
    it.hang(child, b);
    it.run_twice();
    assert_eq!(it.children(b), [child]);
    assert_eq!(it.x(child), 21.0);
    assert!(it.is_root(stays));
    assert_eq!(it.found.len(), 1);
}

#[test]
fn parent_names_a_dead_entity() {
    let mut it = CheckedWorld::default();
    let a = it.at(10.0);
    it.despawn(a);
    let child = it.below(a, 1.0);
    let mere = it.push((LocalToWorld::identity(), Translation::new(2.0, 0.0, 0.0), Parent(a)));
    let nothing = it.push((Parent(a),));
    it.run_twice();
    assert!(it.is_root(child) && it.is_root(mere) && it.is_root(nothing));
    assert_eq!((it.x(child), it.x(mere)), (1.0, 2.0));
    for entity in [child, mere, nothing] {
        it.assert_found(FindingKind::DeadParent, entity, Some(a));
    }
}

#[test]
fn child_despawned() {
    let mut it = CheckedWorld::default();
    let a = it.at(10.0);
    let (first, second, third) = (it.below(a, 1.0), it.below(a, 2.0), it.below(a, 3.0));
    it.run_twice();
    it.despawn(second);
    it.run_twice();
    let children = it.children(a);
    assert!(children.len() == 2 && children.contains(&first) && children.contains(&third));
    it.despawn(first);
    it.despawn(third);
    it.run_twice();
    assert!(!it.has::<Children>(a), "no Children is empty");
}

#[test]
fn child_loses_local_to_parent_and_gets_it_back() {
    let mut it = CheckedWorld::default();
    let a = it.at(10.0);
    let child = it.below(a, 1.0);
    it.run_twice();
    it.take::<LocalToParent>(child);
    it.run_twice();
    assert!(!it.has::<Children>(a));
    assert_eq!(it.x(child), 1.0, "computed as a root");
    it.assert_found(FindingKind::ParentWithoutLocalToParent, child, Some(a));
    it.put(child, LocalToParent::identity());
    it.run_twice();
    assert_eq!(it.children(a), [child]);
    assert_eq!(it.x(child), 11.0);
    assert!(it.found.is_empty());
}

#[test]
fn child_loses_local_to_world_and_gets_it_back() {
    let mut it = CheckedWorld::default();
    let a = it.at(10.0);
    let child = it.below(a, 1.0);
    let grandchild = it.below(child, 0.5);
    it.run_twice();
    it.take::<LocalToWorld>(child);
    it.run_twice();
    assert!(!it.has::<Children>(a) && !it.has::<Children>(child) && it.is_root(grandchild));
    assert!(it.has::<Parent>(child), "its own parent is alive");
    it.put(child, LocalToWorld::identity());
    it.run_twice();
    assert_eq!(it.children(a), [child]);
    assert_eq!(it.x(child), 11.0);
}

#[test]
fn parent_without_local_to_parent_whichever_came_first() {
    let mut it = CheckedWorld::default();
    let a = it.at(10.0);
    let mere = it.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0), Parent(a)));
    let orphan = it.push((LocalToWorld::identity(), Translation::new(2.0, 0.0, 0.0), LocalToParent::identity()));
    it.run_twice();
    assert_eq!((it.x(mere), it.x(orphan)), (1.0, 0.0));
    assert!(!it.has::<Children>(a));
    it.assert_found(FindingKind::ParentWithoutLocalToParent, mere, Some(a));
    it.assert_found(FindingKind::LocalToParentWithoutParent, orphan, None);
    it.put(mere, LocalToParent::identity());
    it.hang(orphan, a);
    it.run_twice();
    assert_eq!(it.children(a).len(), 2);
    assert_eq!((it.x(mere), it.x(orphan)), (11.0, 12.0));
}

#[test]
fn everything_despawned() {
    let mut it = CheckedWorld::default();
    let a = it.at(10.0);
    let mut last = a;
    for _ in 0..10 {
        last = it.below(last, 1.0);
        it.below(a, 2.0);
    }
    it.run_twice();
    it.world.clear();
    it.run_twice();
    assert!(it.found.is_empty());
    assert!(it.world.is_empty());
    let b = it.at(1.0);
    let child = it.below(b, 2.0);
    it.run_twice();
    assert_eq!(it.x(child), 3.0);
}

#[test]
fn children_stored_before_their_parents() {
    let mut it = CheckedWorld::default();
    // The chain stands in one archetype, deepest first.
    let chain: Vec<Entity> = (0..50).map(|_| it.push(linkable())).collect();
    let top = it.at(100.0);
    for pair in chain.windows(2) {
        it.hang(pair[0], pair[1]);
    }
    it.hang(chain[49], top);
    it.run_twice();
    assert_eq!(it.x(chain[0]), 150.0);
}

fn linkable() -> (LocalToWorld, Translation, LocalToParent) {
    (LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0), LocalToParent::identity())
}

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
        it.put(entity, PreviousParent(Some(dead)));
    }
    it.take::<Children>(b);
    it.run_twice();
    assert_eq!((it.children(a), it.children(b)), (vec![child], vec![other]));
    assert!(!it.has::<Children>(child) && !it.has::<Children>(other) && !it.has::<PreviousParent>(a));
    assert_eq!((it.previous(child), it.previous(other)), (linked_to(a), linked_to(b)));

    it.take::<PreviousParent>(child);
    it.put(b, PreviousParent(None));
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
    w.test.put(parent, [child, child].into_iter().collect::<Children>());
    w.run_twice();
    assert_eq!(w.test.children(parent), [child]);
}

#[test]
fn a_compensation_without_parent_is_no_input_of_the_local_matrix() {
    let mut w = CheckedWorld::default();
    let local = LocalToParent(Matrix4::new_scaling(3.0));
    let compensation = ParentScaleInverse(Matrix4::new_scaling(0.5));
    let alone = w.test.push((LocalToWorld::identity(), local, compensation));
    w.run_twice();
    assert_eq!(w.test.get::<LocalToParent>(alone), Some(local), "nothing describes it, so it is the user's");
}

/// The newcomer stands in the row of the dead parent, with the very list that was right there.
#[test]
fn the_list_of_a_dead_parent_is_not_taken_over_with_its_row() {
    let mut w = CheckedWorld::default();
    let parent = w.at(1.0);
    let child = w.below(parent, 2.0);
    w.run_twice();
    let list = w.test.get::<Children>(parent).unwrap();
    w.despawn(parent);
    let heir = w.test.push((LocalToWorld::identity(), Translation::new(5.0, 0.0, 0.0), list));
    w.run_twice();
    assert!(!w.test.has::<Children>(heir), "nobody names it as parent");
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
fn self_parent() {
    let mut it = CheckedWorld::default();
    let a = it.at(10.0);
    it.put(a, LocalToParent::identity());
    it.hang(a, a);
    let child = it.below(a, 1.0);
    it.run_twice();
    assert_eq!(it.children(a), [child], "it does not stand in its own list; what hangs off it does");
    assert_eq!(it.previous(a), Some(PreviousParent(None)));
    assert_eq!((it.x(a), it.x(child)), (10.0, 11.0), "its LocalToParent is its world");
    it.assert_found(FindingKind::Cycle, a, Some(a));
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
        assert_eq!(it.previous(entity), Some(PreviousParent(None)));
        assert_eq!(it.get::<Parent>(entity), Some(Parent(parent)), "Parent is untouched");
        assert_eq!(it.x(entity), x);
    }
    assert_eq!(it.found.len(), 3, "exactly the entities on it");
    assert!(!it.has::<Children>(a) && !it.has::<Children>(b) && !it.has::<Children>(top));
    assert_eq!((it.children(c), it.x(tail)), (vec![tail], 31.0), "what hangs off it stays");

    it.put(b, Translation::new(25.0, 0.0, 0.0));
    it.run_twice();
    assert_eq!(it.x(b), 25.0, "it still follows its own components");

    it.hang(a, top);
    it.run_twice();
    assert!(it.found.is_empty());
    assert_eq!((it.x(a), it.x(b), it.x(c), it.x(tail)), (110.0, 135.0, 165.0, 166.0), "the links come back");
    assert_eq!(it.children(top), [a]);
}

/// The archetypes in which the cycle is closed have `ParentScaleInverse`, whose use depends on the link, and every member keeps
/// its components, so nothing but the links themselves says that `PreviousParent` has to follow.
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
    assert_eq!((it.previous(a), it.previous(b)), (Some(PreviousParent(None)), Some(PreviousParent(None))));
    it.hang(b, root);
    it.run_twice();
    assert_eq!((it.previous(a), it.previous(b)), (linked_to(b), linked_to(root)));
    assert_eq!(it.x(a), 1.0 + 3.0 + 2.0);
    assert_eq!(it.found, []);
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
fn setup_errors_are_found_as_long_as_they_stand() {
    let mut it = CheckedWorld::default();
    let scales = it.push((LocalToWorld::identity(), Scale(2.0), NonUniformScale::new(3.0, 3.0, 3.0)));
    let eulers = it.push((
        LocalToWorld::identity(),
        Rotation::identity(),
        RotationEulerZYX::new(1.0, 0.0, 0.0),
        RotationEulerXZY::new(0.0, 1.0, 0.0),
        PostRotation::identity(),
        PostRotationEulerXYZ::new(1.0, 0.0, 0.0),
        PostRotationEulerYZX::new(0.0, 1.0, 0.0),
    ));
    let flat = it.push((LocalToWorld::identity(), WorldToLocal::identity(), NonUniformScale::new(1.0, 0.0, 1.0)));
    let singular = it.push((LocalToWorld::identity(), CompositeScale(Matrix4::zeros())));
    let below = it.push((
        LocalToWorld::identity(),
        LocalToParent::identity(),
        Parent(singular),
        ParentScaleInverse(Matrix4::new_scaling(3.0)),
    ));
    it.run_twice();
    it.assert_found(FindingKind::TwoScales, scales, None);
    it.assert_found(FindingKind::TwoRotationEulers, eulers, None);
    it.assert_found(FindingKind::TwoPostRotationEulers, eulers, None);
    it.assert_found(FindingKind::WorldWithoutInverse, flat, None);
    it.assert_found(FindingKind::ScaleWithoutInverse, below, Some(singular));
    assert_eq!(it.found.len(), 5);
    for finding in &it.found {
        let text = finding.to_string();
        assert!(text.contains(&format!("{:?}", finding.entity)), "names the entity: {text}");
        assert!(text.contains(':') || text.contains(';'), "says what to do: {text}");
    }
    it.take::<Scale>(scales);
    it.take::<RotationEulerZYX>(eulers);
    it.take::<PostRotationEulerYZX>(eulers);
    it.put(flat, NonUniformScale::new(1.0, 2.0, 1.0));
    it.put(singular, CompositeScale::identity());
    it.run_twice();
    assert!(it.found.is_empty(), "{:?}", it.found);
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

#[test]
fn a_finding_names_the_parent_that_the_entity_has_now() {
    let mut it = CheckedWorld::default();
    let (a, b) = (it.at(1.0), it.at(2.0));
    let mere = it.push((LocalToWorld::identity(), Parent(a)));
    it.run_twice();
    it.assert_found(FindingKind::ParentWithoutLocalToParent, mere, Some(a));
    it.hang(mere, b);
    it.run_twice();
    it.assert_found(FindingKind::ParentWithoutLocalToParent, mere, Some(b));
    assert_eq!(it.found.len(), 1);
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
fn a_dead_parent_is_found_once() {
    let mut it = CheckedWorld::default();
    let (a, b) = (it.at(1.0), it.at(2.0));
    let child = it.below(a, 1.0);
    it.run_twice();
    it.despawn(a);
    it.despawn(b);
    it.hang(child, b);
    it.put(child, PreviousParent(Some(b)));
    it.run_twice();
    it.assert_found(FindingKind::DeadParent, child, Some(b));
    assert_eq!(it.found.len(), 1);
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
            1 => it.put(a, PreviousParent(Some(b))),
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

/// Long sequences of small changes: what the bundle keeps between runs is tidied up many times over.
fn long_life(mut change: impl FnMut(&mut CheckedWorld, usize, Entity)) {
    let mut it = CheckedWorld::default();
    let a = it.at(10.0);
    let nodes: Vec<_> = (0..60).map(|i| it.below(a, i as f32)).collect();
    it.run_twice();
    for round in 0..300 {
        change(&mut it, round, nodes[round * 7 % 60]);
        it.run();
    }
    it.run_twice();
}

/// Whether a long life is in one of its even minutes.
fn even(round: usize) -> bool {
    (round / 60).is_multiple_of(2)
}

#[test]
fn a_long_life_of_changing_parents() {
    let mut other = None;
    long_life(|it, round, node| {
        let other = *other.get_or_insert_with(|| it.at(20.0));
        let first = it.push((LocalToWorld::identity(),));
        it.hang(node, if even(round) { other } else { first });
    });
}

#[test]
fn a_long_life_of_coming_and_going_worlds() {
    long_life(|it, round, node| match even(round) {
        true => it.take::<LocalToWorld>(node),
        false => it.put(node, LocalToWorld::identity()),
    });
}

#[test]
fn a_long_life_of_coming_and_going_members() {
    long_life(|it, round, node| match even(round) {
        true => it.take::<LocalToParent>(node),
        false => it.put(node, LocalToParent::identity()),
    });
}

#[test]
fn a_long_life_of_coming_and_going_parents() {
    let mut other = None;
    long_life(|it, round, node| {
        let other = *other.get_or_insert_with(|| it.at(20.0));
        if even(round) { it.take::<Parent>(node) } else { it.hang(node, other) }
    });
}

#[test]
fn a_long_life_of_coming_and_going_scales() {
    long_life(|it, round, node| if even(round) { it.put(node, Scale(1.0)) } else { it.take::<Scale>(node) });
}

#[test]
fn a_long_life_of_growing_depth() {
    let mut last = None;
    long_life(|it, round, node| {
        let parent = match last.filter(|_| round % 20 != 0) {
            Some(last) => it.below(last, 1.0),
            None => it.at(1.0),
        };
        it.hang(node, parent);
        last = Some(parent);
    });
}

#[test]
fn a_long_life_of_dying_parents() {
    let mut last = None;
    long_life(|it, round, node| {
        let parent = it.at(round as f32);
        it.put(node, LocalToParent::identity());
        it.hang(node, parent);
        if let Some(last) = last.replace(parent).filter(|_| round % 3 == 0) {
            it.despawn(last);
        }
    });
}

#[test]
fn a_long_life_of_dying_children() {
    long_life(|it, round, node| {
        let child = it.below(node, 1.0);
        let grandchild = it.below(child, 1.0);
        if even(round) {
            it.run();
            it.despawn(child);
        } else {
            it.despawn(grandchild);
        }
    });
}
