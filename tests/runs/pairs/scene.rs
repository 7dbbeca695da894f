//! The scene of a window, and what its edits need: entities at random, and iterators that may
//! panic.

use harness::{Family, Rng, TestWorld, panics::Fuse};
use legion::{Entity, World};
use legion_transform::prelude::*;
use legion_transform_testing::catalogue::{Edit, Picks, Place, Rows, Sort};

pub struct Scene {
    pub test: TestWorld,
    picks: Fused,
    /// An entity that has nothing to do with transforms, with a component of the user's own: writes
    /// to it show in no version that the bundle knows.
    pub user: Entity,
    /// What panics.
    pub subscriber: Fuse,
    pub iterator: Fuse,
    /// Whether matrices were overwritten: in doubt they are right 32 runs later.
    pub overwrites: bool,
}

/// Rows of an iterator whose every call counts.
struct FusedRows {
    rows: Rows,
    fuse: Fuse,
}

impl Iterator for FusedRows {
    type Item = (Translation, Scale);

    fn next(&mut self) -> Option<Self::Item> {
        self.fuse.call();
        self.rows.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.fuse.call();
        self.rows.size_hint()
    }
}

impl Drop for FusedRows {
    fn drop(&mut self) {
        self.fuse.call();
    }
}

/// Picks with such rows.
struct Fused {
    family: Family,
    fuse: Fuse,
}

impl Picks for Fused {
    fn below(&mut self, count: usize) -> usize {
        self.family.below(count)
    }

    fn pick(&mut self, all: &[Entity]) -> Option<Entity> {
        self.family.pick(all)
    }

    fn parent(&mut self, all: &[Entity], world: &World) -> Option<Entity> {
        self.family.parent(all, world)
    }

    fn rows(&mut self) -> Rows {
        Box::new(FusedRows { rows: self.family.rows(), fuse: self.fuse.clone() })
    }
}

fn at(number: usize) -> Translation {
    Translation::new(number as f32 * 0.25, 1.0, -2.0)
}

impl Scene {
    pub fn new(rows: usize, bundle: TransformSystemBundle, fuse: Fuse, rng: Rng) -> Self {
        let mut test = TestWorld::new(bundle.print_findings(false));
        let world = &mut test.world;
        let parents = world.extend_transforms((0..rows).map(|n| (at(n), Children::new())));
        let child = |n: usize| (at(n), Scale(1.25), Parent(parents[n]));
        let children = world.extend_transforms((0..rows).map(child));
        // Below some children, so that there is some depth.
        for &child in children.iter().take(4) {
            let below = world.push_child(child, (at(2), Rotation::from_rotation_y(1.0)));
            world.push_child(below, (at(3), NonUniformScale::new(1.0, 2.0, 3.0)));
        }
        let user = world.extend((0..5_u8).map(|n| (n,)))[0];
        let dead = world.push(());
        world.remove(dead);
        test.cast.number(dead);
        let world = &mut test.world;
        let iterator = Fuse::default();
        // Legion calls the last subscriber first: before the bundle's, which subscribes in the
        // first run, or behind it.
        let (mut rng, mut subscriber) = (rng, fuse);
        let is_late = rng.one_in(2);
        if !is_late {
            subscriber = subscriber.subscribed(world);
        }
        let picks = Fused { family: Family::new(rng), fuse: iterator.clone() };
        let mut scene = Self { test, picks, user, subscriber, iterator, overwrites: false };
        // From the third time on inputs are compared with a copy.
        for number in 0..3 {
            scene.test.set(children[0], at(number));
            scene.test.run();
        }
        if is_late {
            scene.subscriber = scene.subscriber.subscribed(&mut scene.test.world);
        }
        scene
    }

    /// Makes an edit.
    pub fn make(&mut self, edit: &Edit) {
        self.overwrites |= edit.sort == Sort::Overwrites;
        edit.make(Place {
            world: &mut self.test.world,
            resources: &mut self.test.resources,
            cast: &mut self.test.cast,
            picks: &mut self.picks,
        });
    }
}
