//! Rows that follow one another below a change, which propagation computes in one go, and what must
//! end or leave such a stretch.

use harness::{CheckedWorld, TestWorld};
use legion::Entity;
use legion_transform::{
    components::{CompositeScale, PreviousParent},
    prelude::*,
};

/// More than propagation looks ahead to see that rows follow one another.
const LONG: usize = 100;

type Child = (LocalToWorld, LocalToParent, Parent, PreviousParent, Children, Translation);

fn child(parent: Entity, x: f32) -> Child {
    let (world, local) = (LocalToWorld::identity(), LocalToParent::identity());
    (
        world,
        local,
        Parent(parent),
        PreviousParent::default(),
        Children::new(),
        Translation::new(x, 1.0, 0.0),
    )
}

/// Likewise, in another archetype.
fn scaled(
    parent: Entity,
    x: f32,
) -> (LocalToWorld, LocalToParent, Parent, PreviousParent, Children, Translation, Scale) {
    let (world, local, parent, previous, children, translation) = child(parent, x);
    (world, local, parent, previous, children, translation, Scale(2.0))
}

fn spawn_root(it: &mut CheckedWorld) -> Entity {
    it.push((LocalToWorld::identity(), Translation::new(0.0, 0.0, 0.0), Children::new()))
}

/// A chain below an entity, row after row.
fn spawn_chain(it: &mut CheckedWorld, top: Entity, links: usize) -> Vec<Entity> {
    let chain = it.world.extend((0..links).map(|_| child(top, 1.0))).to_vec();
    for pair in chain.windows(2) {
        it.set(pair[1], Parent(pair[0]));
    }
    chain
}

/// Moves the root and runs, twice, because a new link takes other paths than an old one.
fn shake(it: &mut CheckedWorld, root: Entity) {
    for x in [3.0, 5.0] {
        it.set(root, Translation::new(x, 0.0, 0.0));
        it.run();
        assert_eq!(it.x(root), x);
    }
    it.run_again();
}

#[test]
fn a_chain_and_a_family_follow_their_root() {
    let mut it = CheckedWorld::default();
    let root = spawn_root(&mut it);
    let chain = spawn_chain(&mut it, root, LONG);
    it.world.extend((0..LONG).map(|x| child(root, x as f32)));
    it.run();
    shake(&mut it, root);
    assert_eq!(it.matrix(chain[LONG - 1])[(0, 3)], 5.0 + LONG as f32);
}

#[test]
fn those_on_a_cycle_in_the_middle_do_not_follow() {
    let mut it = CheckedWorld::default();
    let root = spawn_root(&mut it);
    let family = it.world.extend((0..2 * LONG).map(|x| child(root, x as f32))).to_vec();
    it.run();
    let (one, other) = (family[LONG], family[LONG + 1]);
    it.set(one, Parent(other));
    it.set(other, Parent(one));
    it.run();
    shake(&mut it, root);
    assert_eq!(it.matrix(other)[(0, 3)], LONG as f32 + 1.0, "it counts as a root");
    assert_eq!(it.matrix(family[LONG + 2])[(0, 3)], LONG as f32 + 7.0);
}

#[test]
fn a_row_number_that_fits_in_another_archetype_is_no_next_row() {
    let mut it = CheckedWorld::default();
    let root = spawn_root(&mut it);
    let chain = spawn_chain(&mut it, root, LONG);
    // The link that comes next in the forest has the row that would come next, but elsewhere.
    let strangers = it.world.extend((0..LONG).map(|x| scaled(root, x as f32))).to_vec();
    let next = it.push(scaled(chain[LONG - 1], 1.0));
    it.run();
    shake(&mut it, root);
    assert_eq!(it.matrix(next)[(0, 3)], 6.0 + LONG as f32);
    assert_eq!(it.matrix(strangers[7])[(0, 3)], 12.0);
}

#[test]
fn what_somebody_else_wrote_is_passed_on_even_if_it_is_right() {
    let mut it = CheckedWorld::default();
    let root = spawn_root(&mut it);
    let chain = spawn_chain(&mut it, root, LONG);
    let last = chain[LONG - 1];
    let below = it.push(scaled(last, 1.0));
    let elsewhere = spawn_root(&mut it);
    it.world.extend((0..LONG).map(|x| scaled(elsewhere, x as f32)));
    it.run();
    it.set(root, Translation::new(3.0, 0.0, 0.0));
    let mut right = it.matrix(last);
    right[(0, 3)] += 3.0;
    it.set(last, LocalToWorld(right));
    it.run();
    assert_eq!(it.matrix(below)[(0, 3)], 4.0 + LONG as f32);
}

/// A user writes the inputs of a child, and its `LocalToParent` to the very matrix that comes of
/// them. Nothing differs when it is composed, but the worlds have to follow.
#[test]
fn worlds_follow_a_local_matrix_that_users_wrote_rightly() {
    let mut test = TestWorld::new(TransformSystemBundle::default());
    let root = test.world.push_transform((Translation::identity(),));
    let children = test
        .world
        .extend_children(root, (0..1_000).map(|x| (Translation::new(x as f32, 0.0, 0.0),)))
        .to_vec();
    test.run();
    for round in 0..6 {
        let place = Translation::new(round as f32, 5.0, 0.0);
        test.set(children[500], place);
        test.set(children[500], LocalToParent(place.0.to_homogeneous()));
        test.run();
        let world = test.value::<LocalToWorld>(children[500]);
        assert_eq!(world.position(), place.0.vector.into(), "round {round}");
    }
}

/// The same, in the tick in which its entity takes another row.
#[test]
fn worlds_follow_a_right_local_matrix_into_another_row() {
    let mut test = TestWorld::new(TransformSystemBundle::default());
    let root = test.world.push_transform((Translation::identity(),));
    let rows = (0..1_000).map(|_| (Translation::identity(),));
    let children = test.world.extend_children(root, rows).to_vec();
    test.run();
    for round in 0..6 {
        test.set(children[5], Translation::new(round as f32, 0.0, 0.0));
        test.run();
    }
    let (last, place) = (children[999], Translation::new(7.0, 0.0, 0.0));
    test.set(last, place);
    test.set(last, LocalToParent(place.0.to_homogeneous()));
    test.despawn(children[3]);
    test.run();
    assert_eq!(test.x(last), 7.0);
}

/// The same, with an input that is a matrix.
#[test]
fn worlds_follow_a_right_local_matrix_of_a_composite() {
    let mut test = TestWorld::new(TransformSystemBundle::default());
    let root = test.world.push_transform((Translation::identity(),));
    let rows = (0..1_000).map(|_| (Translation::identity(), CompositeScale::identity()));
    let children = test.world.extend_children(root, rows).to_vec();
    test.run();
    for round in 0..6 {
        test.set(children[5], Translation::new(round as f32, 0.0, 0.0));
        test.run();
    }
    let scale = nalgebra::Matrix4::new_scaling(3.0);
    test.set(children[500], CompositeScale(scale));
    test.set(children[500], LocalToParent(scale));
    test.run();
    assert_eq!(test.matrix(children[500]), scale);
}
