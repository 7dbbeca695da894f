//! Whatever happens to an entity, its parent or the link between them, relations and matrices are
//! right.
//!
//! Each test says in its own words what must come out; the judge looks at everything else after
//! every run.

use harness::CheckedWorld;
use legion_transform::{components::PreviousParent, findings::FindingKind, prelude::*};
use nalgebra::{Matrix4, Vector3};

use super::linked_to;

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
