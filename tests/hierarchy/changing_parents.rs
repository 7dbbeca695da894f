//! Whatever happens to an entity, its parent or the link between them, relations and matrices are
//! right.
//!
//! Each test says in its own words what must come out; the oracle looks at everything else after
//! every run.

use harness::CheckedWorld;
use legion::Entity;
use legion_transform::{components::PreviousParent, findings::FindingKind, prelude::*};
use nalgebra::{Matrix4, Vector3};

use super::{linkable, linked_to};

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
    assert_eq!(
        it.get::<LocalToParent>(child).unwrap().0.m14,
        2.0,
        "still computed from its inputs"
    );
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
    assert!(it.has::<Parent>(child) && !it.has::<Children>(a));
    assert_eq!(it.x(child), 1.0);
    it.assert_found(FindingKind::WaitsForParent, child, Some(a));
    it.put(a, LocalToWorld::identity());
    it.run_twice();
    assert_eq!((it.x(child), it.children(a)), (11.0, vec![child]));
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
fn parent_names_an_entity_that_is_not_there() {
    let mut it = CheckedWorld::default();
    let a = it.at(10.0);
    it.despawn(a);
    let child = it.below(a, 1.0);
    let mere = it.push((LocalToWorld::identity(), Translation::new(2.0, 0.0, 0.0), Parent(a)));
    let nothing = it.push((Parent(a),));
    it.run_twice();
    assert_eq!((it.x(child), it.x(mere)), (1.0, 2.0));
    it.assert_found(FindingKind::WaitsForParent, child, Some(a));
    it.assert_found(FindingKind::ParentWithoutLocalToParent, mere, Some(a));
    it.assert_found(FindingKind::MissingLocalToWorld, nothing, None);
    assert_eq!(it.found.len(), 3);
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
    let orphan = it.push((
        LocalToWorld::identity(),
        Translation::new(2.0, 0.0, 0.0),
        LocalToParent::identity(),
    ));
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

/// The matrix that an entity gets by hand as it becomes a root is followed, also where its new
/// archetype is an old one of its parent's.
#[test]
fn a_matrix_that_is_set_with_the_parent_removed_is_followed() {
    let mut test = harness::TestWorld::default();
    let turned =
        |x: f32| (LocalToWorld::identity(), LocalToParent::identity(), harness::user::spun(x));
    let top = test.push(turned(0.0));
    let middle = test.push(turned(0.0));
    let low = test.push(turned(0.0));
    test.put(middle, Parent(top));
    test.put(low, Parent(middle));
    test.run();
    test.take::<Parent>(middle);
    test.set(middle, harness::user::spun(1.0));
    test.set(middle, harness::user::waved(7.0));
    test.run();
    assert_eq!(test.matrix(middle), harness::user::waved(7.0).0);
    assert_eq!(test.matrix(low), harness::user::waved(7.0).0);
}
