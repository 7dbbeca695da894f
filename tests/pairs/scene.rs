//! The scene of a window, and what its edits need: entities at random, and iterators that may panic.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::SeqCst},
};

use harness::{Rng, TestWorld};
use legion::{
    Entity, IntoQuery, any,
    world::{Event, EventSender},
};
use legion_transform::prelude::*;

/// A component of the user's own: writes to it show in no version that the bundle knows.
pub struct Hp(#[expect(dead_code, reason = "it is written")] pub f32);

/// Moves an entity to another archetype.
#[derive(Clone, Copy)]
pub struct Marker;

pub struct Scene {
    pub test: TestWorld,
    pub rng: Rng,
    /// Parents in one archetype, with `Children`.
    pub parents: Vec<Entity>,
    /// A child of each, in one archetype.
    pub children: Vec<Entity>,
    /// A few entities that have nothing to do with transforms.
    pub users: Vec<Entity>,
    /// The parent that was picked last.
    again: Option<Entity>,
    /// An entity that is dead.
    pub dead: Entity,
    /// What panics, and after how many calls; 0 is never.
    pub subscriber: Fuse,
    pub iterator: Fuse,
    /// Whether matrices were overwritten: in doubt they are right 32 runs later.
    pub overwrites: bool,
}

/// Counts calls down to the one that panics.
#[derive(Clone, Default)]
pub struct Fuse(Arc<AtomicUsize>);

impl Fuse {
    pub fn set(&self, calls: usize) {
        self.0.store(calls, SeqCst);
    }

    /// How many calls are left, 0 if it has burnt.
    pub fn left(&self) -> usize {
        self.0.load(SeqCst)
    }

    fn call(&self) {
        let burns = self.0.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)) == Ok(1);
        assert!(!burns || std::thread::panicking(), "a user's bug");
    }
}

impl EventSender for Fuse {
    fn send(&self, event: Event) -> bool {
        // Legion cannot bear a panic while an archetype is made.
        if !matches!(event, Event::ArchetypeCreated(_)) {
            self.call();
        }
        true
    }
}

/// Rows of an iterator whose every call counts.
pub struct Rows {
    left: u32,
    fuse: Fuse,
}

impl Iterator for Rows {
    type Item = (Translation, Scale);

    fn next(&mut self) -> Option<Self::Item> {
        self.fuse.call();
        self.left = self.left.checked_sub(1)?;
        Some((Translation::new(self.left as f32, 1.0, 0.0), Scale(1.5)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.fuse.call();
        (self.left as usize, None)
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        self.fuse.call();
    }
}

fn at(number: usize) -> Translation {
    Translation::new(number as f32 * 0.25, 1.0, -2.0)
}

impl Scene {
    pub fn new(rows: usize, bundle: TransformSystemBundle, rng: Rng) -> Self {
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
        let users = world.extend((0..5).map(|n| (Hp(n as f32),))).to_vec();
        let dead = world.push(());
        world.remove(dead);
        let (subscriber, iterator) = (Fuse::default(), Fuse::default());
        // Legion calls the last subscriber first: before the bundle's, which subscribes in the first
        // run, or behind it.
        let mut rng = rng;
        let is_late = rng.one_in(2);
        if !is_late {
            world.subscribe(subscriber.clone(), any());
        }
        let (again, overwrites) = (None, false);
        let mut scene = Self {
            test,
            rng,
            parents,
            children,
            users,
            again,
            dead,
            subscriber,
            iterator,
            overwrites,
        };
        // From the third time on inputs are compared with a copy.
        for number in 0..3 {
            let first = scene.children[0];
            scene.test.set(first, at(number));
            scene.test.run();
        }
        if is_late {
            scene.test.world.subscribe(scene.subscriber.clone(), any());
        }
        scene
    }

    /// One of the first, the last or any in a list that is alive.
    pub fn pick(&mut self, which: fn(&Self) -> &[Entity]) -> Option<Entity> {
        let len = which(self).len();
        for _ in 0..8 {
            let index = match self.rng.below(3) {
                0 => self.rng.below(len.min(6)),
                1 => len - 1 - self.rng.below(len.min(3)),
                _ => self.rng.below(len),
            };
            let entity = which(self)[index];
            if self.test.world.contains(entity) {
                return Some(entity);
            }
        }
        None
    }

    /// One of the parents. Often the same again: what falls, falls where two things happen to one
    /// family.
    pub fn parent(&mut self) -> Option<Entity> {
        let again = self.again.filter(|parent| self.test.world.contains(*parent));
        if again.is_none() || self.rng.one_in(2) {
            self.again = self.pick(|it| &it.parents);
        }
        self.again
    }

    pub fn child(&mut self) -> Option<Entity> {
        self.pick(|it| &it.children)
    }

    /// Any entity with a `LocalToWorld`.
    pub fn any(&mut self) -> Option<Entity> {
        match self.rng.below(3) {
            0 => self.parent(),
            1 => self.child(),
            _ => {
                let mut query = <(Entity, &LocalToWorld)>::query();
                let all: Vec<Entity> =
                    query.iter(&self.test.world).map(|(&entity, _)| entity).collect();
                (!all.is_empty()).then(|| *self.rng.pick(&all))
            }
        }
    }

    /// Some rows, by an iterator that may panic.
    pub fn rows(&mut self) -> Rows {
        Rows { left: 1 + self.rng.below(4) as u32, fuse: self.iterator.clone() }
    }
}
