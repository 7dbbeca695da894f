//! What is below a matrix follows it, also where whoever wrote it wrote what was right anyway.

use harness::{TestWorld, below};
use legion::Entity;
use legion_transform::{
    components::{CompositeScale, PreviousParent},
    prelude::*,
};
use nalgebra::Matrix4;

/// The last of a chain, which propagation computes in one go, row after row. Its child stands in
/// another archetype.
#[test]
fn what_somebody_else_wrote_is_passed_on_even_if_it_is_right() {
    const LONG: usize = 100;
    type Row = (LocalToWorld, LocalToParent, Parent, PreviousParent, Children, Translation);
    let row = |parent: Entity| -> Row {
        let (world, place, local, parent) = below(parent, 1.0);
        (world, local, parent, PreviousParent::default(), Children::new(), place)
    };
    let mut test = TestWorld::default();
    let root = test.at(0.0);
    let chain = test.world.extend(vec![row(root); LONG]).to_vec();
    chain.windows(2).for_each(|pair| test.set(pair[1], Parent(pair[0])));
    let last = chain[LONG - 1];
    let scaled = |above: Entity| {
        let (world, local, parent, previous, children, place) = row(above);
        (world, local, parent, previous, children, place, Scale(2.0))
    };
    let child = test.push(scaled(last));
    // Others follow in the rows behind it, below another root.
    let elsewhere = test.at(0.0);
    test.world.extend(vec![scaled(elsewhere); LONG]);
    test.run();
    test.set(root, Translation::new(3.0, 0.0, 0.0));
    let mut right = test.matrix(last);
    right.m14 += 3.0;
    test.set(last, LocalToWorld(right));
    test.run();
    assert_eq!(test.x(child), 4.0 + LONG as f32);
}

/// A user writes the inputs of a child, and its `LocalToParent` to the very matrix that comes of
/// them. Nothing differs when it is composed, but the worlds have to follow: also by an input that
/// is a matrix, and in the tick in which the entity takes the row of one that goes.
#[test]
fn worlds_follow_a_local_matrix_that_users_wrote_rightly() {
    for (is_composite, takes_a_row) in [(false, false), (false, true), (true, false), (true, true)]
    {
        let mut test = TestWorld::default();
        let root = test.world.push_transform((Translation::identity(),));
        let rows = (0..1_000).map(|_| (Translation::identity(),));
        let children = test.world.extend_children(root, rows).to_vec();
        if is_composite {
            children.iter().for_each(|&child| test.put(child, CompositeScale::identity()));
        }
        test.run();
        // From the third time on inputs are compared with a copy.
        for round in 1..7 {
            let child = children[if takes_a_row { 1_000 - round } else { 500 }];
            let place = Translation::new(round as f32, 5.0, 0.0);
            let mut local = place.0.to_homogeneous();
            test.set(child, place);
            if is_composite {
                let scale = Matrix4::new_scaling(1.0 + round as f32);
                test.set(child, CompositeScale(scale));
                local *= scale;
            }
            test.set(child, LocalToParent(local));
            if takes_a_row {
                test.despawn(children[round]);
            }
            test.run();
            assert_eq!(test.matrix(child), local, "round {round}");
        }
    }
}
