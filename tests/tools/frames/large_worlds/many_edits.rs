//! Thousands of edits of frames, one after the other: rotations keep the length 1, and what each
//! edit is off adds up. It never multiplies.

use harness::{Rng, TestWorld, demand};
use legion::{Entity, EntityStore, World};
use legion_transform::{frames::Frame, prelude::*};
use legion_transform_testing::frames::{Way, between};
use nalgebra::{Isometry3, Point3, UnitQuaternion};

use super::{frame, large, see_from};

/// How far an edit or an answer may be off, and the `f64` by which it is judged: of a place,
/// relative to the distances that it is computed from; of a rotation, in radians; of the length of
/// a quaternion.
const AN_EDIT: f64 = 2e-15;

/// The frames from the universe down to an entity, by the components alone.
fn down(world: &World, entity: Entity) -> Vec<(Entity, Frame)> {
    let entry = world.entry_ref(entity).unwrap();
    let parent = entry.get_component::<Parent>().ok();
    let mut all = parent.map_or_else(Vec::new, |parent| down(world, parent.0));
    all.extend(entry.get_component().ok().map(|frame| (entity, *frame)));
    all
}

fn off(a: &Isometry3<f64>, b: &Isometry3<f64>) -> (f64, f64) {
    let turned = (a.rotation.coords - b.rotation.coords).norm();
    let turned = turned.min((a.rotation.coords + b.rotation.coords).norm());
    ((a.translation.vector - b.translation.vector).norm(), turned)
}

/// What one edit has made, or one answer.
fn judge(frame: &Frame, wanted: &Way) {
    let length = (frame.rotation.norm() - 1.0).abs();
    assert!(length <= AN_EDIT, "the length is {length} off");
    let (moved, turned) = off(&frame.to_isometry(), &wanted.pose);
    assert!(moved <= AN_EDIT * wanted.length, "{moved} off, of {}", wanted.length);
    assert!(turned <= AN_EDIT, "turned by {turned}");
}

/// Frames in frames: a sun, its planets, their ships, the ships' boats. Each has a plain deck, too.
struct Worlds {
    test: TestWorld,
    rng: Rng,
    frames: Vec<Entity>,
    decks: Vec<Entity>,
    /// What all edits so far may have added up to: of places, and of turns.
    moved: f64,
    turned: f64,
}

impl Worlds {
    /// `sizes`: the distances of planets from the sun, of ships from planets, of boats from ships.
    fn new(seed: u64, sizes: [f32; 3]) -> Self {
        let (test, rng, none) = (large(), Rng::new(seed), Vec::new());
        let (frames, decks) = (none.clone(), none);
        let mut it = Self { test, rng, frames, decks, moved: 0.0, turned: 0.0 };
        let sun = it.push(None, sizes[0]);
        for _ in 0..2 {
            let planet = it.push(Some(sun), sizes[0]);
            for _ in 0..2 {
                let ship = it.push(Some(planet), sizes[1]);
                it.push(Some(ship), sizes[2]);
            }
        }
        it.test.run();
        it
    }

    fn push(&mut self, parent: Option<Entity>, size: f32) -> Entity {
        let [x, y, z] = self.rng.vector(3.0).cast().into();
        let rotation = UnitQuaternion::from_euler_angles(x, y, z);
        let position = Point3::from(self.rng.vector(size).cast());
        let entity = self.test.world.push_transform((Frame { position, rotation },));
        if let Some(parent) = parent {
            self.test.put(entity, Parent(parent));
            self.test.put(entity, LocalToParent::identity());
        }
        self.frames.push(entity);
        let deck = (Translation::new(0.0, 2.0, 0.0),);
        self.decks.push(self.test.world.push_child(entity, deck));
        entity
    }

    fn down(&self, entity: Entity) -> Vec<(Entity, Frame)> {
        down(&self.test.world, entity)
    }

    fn in_universe(&self, entity: Entity) -> Way {
        between(&[], &self.down(entity))
    }

    /// One edit, which leaves the frame where it is; and one answer.
    fn edit(&mut self) {
        let x = self.frames[1 + self.rng.below(self.frames.len() - 1)];
        let i = self.rng.below(self.frames.len() + 1);
        let to = self.frames.get(i).copied();
        let above = to.map_or_else(Vec::new, |to| self.down(to));
        let wanted = between(&above, &self.down(x));
        if let Some(to) = to {
            judge(&Frame::between(&self.test.world, x, to).unwrap(), &wanted);
        }
        if above.len() > 3 || above.iter().any(|(entity, _)| *entity == x) {
            return;
        }
        match to {
            Some(to) => self.test.world.set_parent(x, to).unwrap(),
            None => self.test.world.remove_parent(x).unwrap(),
        }
        // A deck is in the space of its frame. The verb would take a frame away there.
        if to.is_some() && self.rng.one_in(2) {
            self.test.put(x, Parent(self.decks[i]));
        }
        judge(&frame(&self.test, x), &wanted);
        self.moved += AN_EDIT * wanted.length;
        self.turned += AN_EDIT;
    }

    /// All frames are where they were, after all edits so far, and so a run shows them.
    fn check(&mut self, start: &[Way]) {
        let origin = *self.rng.pick(&self.frames);
        see_from(&mut self.test, origin);
        self.test.run();
        for (&entity, was) in self.frames.iter().zip(start) {
            let now = self.in_universe(entity);
            let (moved, turned) = off(&now.pose, &was.pose);
            let most = self.moved + (2.0 * self.turned + AN_EDIT) * (now.length + was.length);
            assert!(moved <= most, "{moved} off in the universe");
            assert!(turned <= self.turned + AN_EDIT, "turned by {turned} in the universe");
            // The matrix, which is rounded once.
            let seen = between(&self.down(origin), &self.down(entity));
            let wanted = seen.pose.to_homogeneous();
            let off = (self.test.matrix(entity).cast() - wanted).amax();
            let most = f64::from(f32::EPSILON) * wanted.amax() + AN_EDIT * seen.length;
            assert!(off <= most, "{off} off as seen");
        }
    }
}

/// Far away and near, turned, three deep and more.
#[test]
fn errors_of_edits_add_and_never_multiply() {
    let sizes = [[3e11, 1e7, 30.0], [30.0, 20.0, 10.0], [1e12, 100.0, 0.01]];
    for (seed, sizes) in (demand::first_seed(0)..).zip(sizes) {
        let mut worlds = Worlds::new(seed, sizes);
        let start: Vec<_> = worlds.frames.iter().map(|&it| worlds.in_universe(it)).collect();
        for i in 1..=demand::soak(2_000) {
            worlds.edit();
            if i % 500 == 0 {
                worlds.check(&start);
            }
        }
    }
}
