//! Rows that follow one another below a change, which propagation computes in one go, and what must end or leave such a stretch.

use harness::{TestWorld, oracle::Oracle};
use legion::Entity;
use legion_transform::prelude::*;

/// More than propagation looks ahead to see that rows follow one another.
const LONG: usize = 100;

type Child = (LocalToWorld, LocalToParent, Parent, PreviousParent, Children, Translation);

fn child(parent: Entity, x: f32) -> Child {
    let (world, local) = (LocalToWorld::identity(), LocalToParent::identity());
    (world, local, Parent(parent), PreviousParent::default(), Children::new(), Translation::new(x, 1.0, 0.0))
}

/// Likewise, in another archetype.
fn scaled(parent: Entity, x: f32) -> (LocalToWorld, LocalToParent, Parent, PreviousParent, Children, Translation, Scale) {
    let (world, local, parent, previous, children, translation) = child(parent, x);
    (world, local, parent, previous, children, translation, Scale(2.0))
}

#[derive(Default)]
struct Judged {
    rig: TestWorld,
    oracle: Oracle,
}

impl Judged {
    fn root(&mut self) -> Entity {
        self.rig.push((LocalToWorld::identity(), Translation::new(0.0, 0.0, 0.0), Children::new()))
    }

    /// A chain below an entity, row after row.
    fn chain(&mut self, top: Entity, links: usize) -> Vec<Entity> {
        let chain = self.rig.world.extend((0..links).map(|_| child(top, 1.0))).to_vec();
        for pair in chain.windows(2) {
            self.rig.set(pair[1], Parent(pair[0]));
        }
        chain
    }

    fn run(&mut self) {
        self.oracle.run(&mut self.rig);
    }

    /// Moves the root and runs, twice, as a new link is looked at in other ways than an old one.
    fn shake(&mut self, root: Entity) {
        for x in [3.0, 5.0] {
            self.rig.set(root, Translation::new(x, 0.0, 0.0));
            self.run();
            assert_eq!(self.rig.matrix(root)[(0, 3)], x);
        }
        self.oracle.run_again(&mut self.rig);
    }
}

#[test]
fn a_chain_and_a_family_follow_their_root() {
    let mut judged = Judged::default();
    let root = judged.root();
    let chain = judged.chain(root, LONG);
    judged.rig.world.extend((0..LONG).map(|x| child(root, x as f32)));
    judged.run();
    judged.shake(root);
    assert_eq!(judged.rig.matrix(chain[LONG - 1])[(0, 3)], 5.0 + LONG as f32);
}

#[test]
fn those_on_a_cycle_in_the_middle_do_not_follow() {
    let mut judged = Judged::default();
    let root = judged.root();
    let family = judged.rig.world.extend((0..2 * LONG).map(|x| child(root, x as f32))).to_vec();
    judged.run();
    let (one, other) = (family[LONG], family[LONG + 1]);
    judged.rig.set(one, Parent(other));
    judged.rig.set(other, Parent(one));
    judged.run();
    judged.shake(root);
    assert_eq!(judged.rig.matrix(other)[(0, 3)], LONG as f32 + 1.0, "it counts as a root");
    assert_eq!(judged.rig.matrix(family[LONG + 2])[(0, 3)], LONG as f32 + 7.0);
}

#[test]
fn a_row_number_that_fits_in_another_archetype_is_no_next_row() {
    let mut judged = Judged::default();
    let root = judged.root();
    let chain = judged.chain(root, LONG);
    // The link that comes next in the forest has the row that would come next, but elsewhere.
    let strangers = judged.rig.world.extend((0..LONG).map(|x| scaled(root, x as f32))).to_vec();
    let next = judged.rig.push(scaled(chain[LONG - 1], 1.0));
    judged.run();
    judged.shake(root);
    assert_eq!(judged.rig.matrix(next)[(0, 3)], 6.0 + LONG as f32);
    assert_eq!(judged.rig.matrix(strangers[7])[(0, 3)], 12.0);
}

#[test]
fn what_somebody_else_wrote_is_passed_on_even_if_it_is_right() {
    let mut judged = Judged::default();
    let root = judged.root();
    let chain = judged.chain(root, LONG);
    let last = chain[LONG - 1];
    let below = judged.rig.push(scaled(last, 1.0));
    let elsewhere = judged.root();
    judged.rig.world.extend((0..LONG).map(|x| scaled(elsewhere, x as f32)));
    judged.run();
    judged.rig.set(root, Translation::new(3.0, 0.0, 0.0));
    let mut right = judged.rig.matrix(last);
    right[(0, 3)] += 3.0;
    judged.rig.set(last, LocalToWorld(right));
    judged.run();
    assert_eq!(judged.rig.matrix(below)[(0, 3)], 4.0 + LONG as f32);
}
