//! A user writes a parent's world matrix, and it happens to be what the bundle computes in the same
//! run: nothing is left to write there, but its children have to follow all the same.

use harness::CheckedWorld;
use legion::Entity;
use legion_transform::prelude::*;
use nalgebra::Matrix4;

/// Writes the matrix and the place of one of the first two of three, which stand in a row at x = 1,
/// y = 1 and z = 1 from each other. The third one is where it must be.
fn check(change: impl FnOnce(&mut CheckedWorld, [Entity; 2]), place: [f32; 3]) {
    let mut it = CheckedWorld::default();
    let root = it.root(Translation::new(1.0, 0.0, 0.0));
    let parent = it.child(root, Translation::new(0.0, 1.0, 0.0));
    let child = it.child(parent, Translation::new(0.0, 0.0, 1.0));
    it.run();
    change(&mut it, [root, parent]);
    it.run();
    assert_eq!(it.value::<LocalToWorld>(child).position(), place.into());
}

/// Puts a root at the origin.
fn overwrite(it: &mut CheckedWorld, root: Entity) {
    it.put(root, LocalToWorld::identity());
    it.put(root, Translation::identity());
}

#[test]
fn children_follow_a_world_that_is_right_already() {
    check(|it, [root, _]| overwrite(it, root), [0.0, 1.0, 1.0]);
    let link = |it: &mut CheckedWorld, [_, parent]: [Entity; 2]| {
        it.put(parent, LocalToWorld(Matrix4::new_translation(&[1.0, 5.0, 0.0].into())));
        it.put(parent, Translation::new(0.0, 5.0, 0.0));
    };
    check(link, [1.0, 5.0, 1.0]);
    let to_another_archetype = |it: &mut CheckedWorld, [root, _]: [Entity; 2]| {
        overwrite(it, root);
        it.put(root, 5_u32);
    };
    check(to_another_archetype, [0.0, 1.0, 1.0]);
    for keeps_children in [true, false] {
        let replaced = |it: &mut CheckedWorld, [root, _]: [Entity; 2]| {
            let children = it.value::<Children>(root);
            it.world.push_with_id(root, (LocalToWorld::identity(), Translation::identity()));
            if keeps_children {
                it.put(root, children);
            }
        };
        check(replaced, [0.0, 1.0, 1.0]);
    }
}
