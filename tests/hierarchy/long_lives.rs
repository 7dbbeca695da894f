//! What is kept between runs stays right however long a world lives.
//!
//! Each test says in its own words what must come out; the oracle looks at everything else after
//! every run.

use harness::CheckedWorld;
use legion::Entity;
use legion_transform::prelude::*;

/// Long sequences of small changes: what the bundle keeps between runs is tidied up many times
/// over.
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
    long_life(
        |it, round, node| {
            if even(round) { it.put(node, Scale(1.0)) } else { it.take::<Scale>(node) }
        },
    );
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
