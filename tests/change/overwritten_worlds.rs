//! A user writes a parent's world matrix, and it happens to be what the bundle computes in the same
//! run: nothing is left to write there, but its children have to follow all the same.

use harness::TestWorld;
use legion::Entity;
use legion_transform::prelude::*;

/// Three in a row at x = 1, y = 1 and z = 1 from each other.
struct Family {
    test: TestWorld,
    grandparent: Entity,
    parent: Entity,
    child: Entity,
}

impl Family {
    fn new() -> Self {
        let mut test = TestWorld::default();
        let grandparent = test.root(Translation::new(1.0, 0.0, 0.0));
        let parent = test.child(grandparent, Translation::new(0.0, 1.0, 0.0));
        let child = test.child(parent, Translation::new(0.0, 0.0, 1.0));
        let mut family = Self { test, grandparent, parent, child };
        family.test.run();
        assert_eq!(family.position(child), [1.0, 1.0, 1.0]);
        family
    }

    fn position(&self, entity: Entity) -> [f32; 3] {
        self.test.value::<LocalToWorld>(entity).position().coords.into()
    }
}

#[test]
fn of_a_root_in_place() {
    let mut family = Family::new();
    family.test.put(family.grandparent, LocalToWorld::identity());
    family.test.put(family.grandparent, Translation::identity());
    family.test.run();
    assert_eq!(
        (family.position(family.parent), family.position(family.child)),
        ([0.0, 1.0, 0.0], [0.0, 1.0, 1.0])
    );
}

#[test]
fn of_a_link_in_place() {
    let mut family = Family::new();
    let world = LocalToWorld(nalgebra::Matrix4::new_translation(&[1.0, 5.0, 0.0].into()));
    family.test.put(family.parent, world);
    family.test.put(family.parent, Translation::new(0.0, 5.0, 0.0));
    family.test.run();
    assert_eq!(
        (family.position(family.parent), family.position(family.child)),
        ([1.0, 5.0, 0.0], [1.0, 5.0, 1.0])
    );
}

#[test]
fn of_a_root_that_moves_to_another_archetype() {
    let mut family = Family::new();
    family.test.put(family.grandparent, LocalToWorld::identity());
    family.test.put(family.grandparent, Translation::identity());
    family.test.put(family.grandparent, 5_u32);
    family.test.run();
    assert_eq!(family.position(family.child), [0.0, 1.0, 1.0]);
}

#[test]
fn of_a_root_that_is_replaced() {
    for keeps_children in [true, false] {
        let mut family = Family::new();
        let children = family.test.value::<Children>(family.grandparent);
        family
            .test
            .world
            .push_with_id(family.grandparent, (LocalToWorld::identity(), Translation::identity()));
        if keeps_children {
            family.test.put(family.grandparent, children);
        }
        family.test.run();
        assert_eq!(family.position(family.child), [0.0, 1.0, 1.0]);
    }
}
