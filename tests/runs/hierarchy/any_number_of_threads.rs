//! Forests large enough for their propagation to be spread over threads: no entity may be missed,
//! wherever the work is cut.

use std::sync::Arc;

use harness::{Rng, TestWorld};
use legion::{Entity, IntoQuery};
use legion_transform::prelude::*;

const ENTITIES: usize = 40_000;

/// A tree in which every entity stands a whole number to the right of the parent, so that sums are
/// exact.
struct Tree {
    test: TestWorld,
    entities: Vec<Entity>,
    parents: Vec<usize>,
    /// How far to the right of the parent.
    steps: Vec<f32>,
}

impl Tree {
    /// `parent` picks the parent of every entity but the first, among those before it.
    fn new(threads: usize, mut parent: impl FnMut(usize) -> usize) -> Self {
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool");
        let mut test = TestWorld::new(TransformSystemBundle::default().thread_pool(Arc::new(pool)));
        let root = test.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0)));
        let row = || {
            (
                LocalToWorld::identity(),
                LocalToParent::identity(),
                Translation::new(1.0, 0.0, 0.0),
                Parent(root),
            )
        };
        let mut entities = vec![root];
        entities.extend(test.world.extend((1..ENTITIES).map(|_| row())));
        let parents: Vec<usize> =
            (0..ENTITIES).map(|i| if i == 0 { 0 } else { parent(i) }).collect();
        for (i, link) in (1..).zip(<&mut Parent>::query().iter_mut(&mut test.world)) {
            link.0 = entities[parents[i]];
        }
        Self { test, entities, parents, steps: vec![1.0; ENTITIES] }
    }

    fn step(&mut self, i: usize, x: f32) {
        self.steps[i] = x;
        self.test.put(self.entities[i], Translation::new(x, 0.0, 0.0));
    }

    /// The entity becomes a root.
    fn cut(&mut self, i: usize) {
        self.test.take::<Parent>(self.entities[i]);
        self.test.take::<LocalToParent>(self.entities[i]);
        self.parents[i] = i;
    }

    fn check(&mut self) {
        self.test.run();
        let mut expected = self.steps.clone();
        for i in (1..ENTITIES).filter(|&i| self.parents[i] != i) {
            expected[i] += expected[self.parents[i]];
        }
        for (i, (&entity, &x)) in self.entities.iter().zip(&expected).enumerate() {
            assert_eq!(
                self.test.matrix(entity).m14,
                x,
                "number {i}, below number {}",
                self.parents[i]
            );
        }
    }
}

fn live(threads: usize, parent: impl FnMut(usize) -> usize) {
    let mut tree = Tree::new(threads, parent);
    tree.check();
    tree.step(0, 100.0);
    tree.check();
    // One with many below it, one with few, and the root again.
    for i in [1, 2, 3, ENTITIES / 2, ENTITIES - 1, 0] {
        tree.step(i, 7.0);
        tree.check();
    }
    // Two at once, of which one may be below the other.
    tree.step(1, 3.0);
    tree.step(ENTITIES / 3, 5.0);
    tree.check();
}

#[test]
fn wide() {
    for threads in [1, 2, 7] {
        live(threads, |_| 0);
    }
}

#[test]
fn bushy() {
    for threads in [1, 2, 7] {
        let mut rng = Rng::new(1);
        live(threads, |i| rng.below(i));
    }
}

#[test]
fn deep() {
    for threads in [1, 2, 7] {
        let mut rng = Rng::new(2);
        live(threads, |i| i - 1 - rng.below(i.min(20)));
    }
}

#[test]
fn chains_off_one_root() {
    for threads in [1, 2, 7] {
        live(threads, |i| if i % 1000 == 1 { 0 } else { i - 1 });
    }
}

/// One subtree alone becomes a root in its place, in the middle of the order: no thread may begin
/// there, because what follows it is below another root.
///
/// ```text
///  slots     0         15,001       25,002       30,002      40,000
///            a, leaves | d, leaves | leaves of a | b, leaves        d was below a
/// ```
#[test]
fn one_root_in_the_middle_of_another_ones_extent() {
    for threads in [1, 2, 7] {
        let (d, b) = (15_001, 30_002);
        let mut tree = Tree::new(threads, |i| match i {
            _ if i > d && i <= d + 10_000 => d,
            _ if i > b => b,
            _ => 0,
        });
        tree.cut(b);
        tree.check();
        tree.cut(d);
        tree.check();
        for _ in 0..5 {
            for i in [0, d, b] {
                let x = tree.steps[i] + 1.0;
                tree.step(i, x);
            }
            tree.check();
        }
    }
}

/// Skeletons of many sizes hang themselves below vehicles and below each other's bones, 150 times:
/// their nodes get the places that others have left.
#[test]
fn skeletons_that_change_parents() {
    const VEHICLES: usize = 100;
    for threads in [1, 2, 7] {
        let mut rng = Rng::new(3);
        let (mut tops, mut next): (Vec<usize>, _) = (Vec::new(), 1 + VEHICLES);
        let mut tree = Tree::new(threads, |i| {
            if i <= VEHICLES {
                return 0;
            }
            if i < next {
                return i - 1 - rng.below((i - tops[tops.len() - 1]).min(3));
            }
            tops.push(i);
            next = i + 10 + rng.below(100);
            1 + rng.below(VEHICLES)
        });
        for tick in 0..150 {
            for _ in 0..10 {
                let top = tops[rng.below(tops.len())];
                let parent =
                    if rng.below(4) > 0 { 1 + rng.below(VEHICLES) } else { rng.below(top) };
                tree.parents[top] = parent;
                tree.test.put(tree.entities[top], Parent(tree.entities[parent]));
            }
            tree.step(1 + rng.below(VEHICLES), tick as f32);
            match tick % 10 {
                0 => tree.step(0, tick as f32),
                _ => tree.test.run(),
            }
            if tick % 20 == 0 {
                tree.check();
            }
        }
    }
}
