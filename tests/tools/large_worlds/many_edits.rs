//! 10,000 edits of frames, one after the other, and 10,000 of what is in them: rotations keep the
//! length 1, and what each edit is off adds up. It never multiplies.
//!
//! Each edit is compared with one in double-double, and so is where all are in the end.

mod things;

use std::collections::HashMap;

use harness::{
    Rng, TestWorld, demand,
    double::{Pose, distance},
};
use legion::{Entity, EntityStore, World};
use legion_transform::{frames::Frame, prelude::*};
use nalgebra::{Point3, Unit, UnitQuaternion, Vector3};

use super::{frame, large, see_from};

/// How far the length of a rotation may be from 1.
const LENGTH: f64 = 4e-16;

/// How far an edit may be off: of a place, relative to the distances that it is computed from; of a
/// rotation, as the length of a difference of quaternions, which is half an angle in radians.
const AN_EDIT: f64 = 1e-15;

/// The frames above an entity that is itself a frame, from it up to the universe.
fn up(world: &World, entity: Entity) -> Vec<(Entity, Frame)> {
    let mut all = Vec::new();
    let mut next = Some(entity);
    while let Some(entry) = next.and_then(|entity| world.entry_ref(entity).ok()) {
        if let Ok(&frame) = entry.get_component::<Frame>() {
            all.push((next.unwrap(), frame));
        }
        next = entry.get_component::<Parent>().ok().map(|parent| parent.0);
    }
    all
}

/// Where a frame is in the universe, by the components alone.
fn in_universe(way: &[(Entity, Frame)]) -> Pose {
    way.iter().fold(Pose::identity(), |below, (_, frame)| Pose::of(frame).then(below))
}

/// The sum of the distances on the ways from two frames up to the first one that both have.
fn distances(a: &[(Entity, Frame)], b: &[(Entity, Frame)]) -> f64 {
    let apart = |one: &[(Entity, Frame)], other: &[(Entity, Frame)]| -> f64 {
        let is_shared = |it: &Entity| other.iter().any(|(other, _)| other == it);
        let own = one.iter().take_while(|(entity, _)| !is_shared(entity));
        own.map(|(_, frame)| frame.position.coords.norm()).sum()
    };
    apart(a, b) + apart(b, a)
}

/// What one edit has made, or one answer.
fn judge(frame: &Frame, wanted: Pose, distances: f64) {
    let length = Pose::length_off(frame);
    assert!(length <= LENGTH, "the length is {length} off");
    let is = Pose::of(frame);
    let (moved, turned) = (distance(is.place, wanted.place), is.turn.off(wanted.turn));
    assert!(moved <= AN_EDIT * distances, "{moved} off, of {distances}");
    assert!(turned <= AN_EDIT, "turned by {turned}");
}

fn turn(rng: &mut Rng) -> UnitQuaternion<f64> {
    let axis = Unit::new_normalize(rng.vector(1.0).cast() + Vector3::new(0.0, 0.0, 1.1));
    UnitQuaternion::from_axis_angle(&axis, f64::from(rng.float(-3.1, 3.1)))
}

/// Frames in frames: a sun, its planets, their ships, the ships' boats. Each has a plain deck, too.
struct Worlds {
    test: TestWorld,
    rng: Rng,
    frames: Vec<Entity>,
    decks: Vec<Entity>,
    /// The entities without a frame that are edited, and what all edits of each may have added up
    /// to: of its place, and of its turn.
    things: Vec<Entity>,
    own: HashMap<Entity, [f64; 2]>,
    /// How the last run has seen the frames.
    seen: HashMap<Entity, Pose>,
    /// What must stay where it is: where each frame and each thing is in the universe.
    wanted: HashMap<Entity, Pose>,
    /// What all edits so far may have added up to.
    moved: f64,
    turned: f64,
}

impl Worlds {
    /// `sizes`: the distances of planets from the sun, of ships from planets, of boats from ships.
    fn new(seed: u64, sizes: [f32; 3]) -> Self {
        let mut it = Self {
            test: large(),
            rng: Rng::new(seed),
            frames: Vec::new(),
            decks: Vec::new(),
            things: Vec::new(),
            own: HashMap::new(),
            seen: HashMap::new(),
            wanted: HashMap::new(),
            moved: 0.0,
            turned: 0.0,
        };
        let sun = it.push(None, sizes[0]);
        for _ in 0..2 {
            let planet = it.push(Some(sun), sizes[0]);
            for _ in 0..2 {
                let ship = it.push(Some(planet), sizes[1]);
                it.push(Some(ship), sizes[2]);
            }
        }
        it.test.run();
        for &entity in &it.frames {
            it.wanted.insert(entity, in_universe(&up(&it.test.world, entity)));
        }
        it.furnish();
        it
    }

    fn push(&mut self, parent: Option<Entity>, size: f32) -> Entity {
        let rotation = turn(&mut self.rng);
        let position = Point3::from(self.rng.vector(size).cast());
        let frame = (Frame { position, rotation },);
        let world = &mut self.test.world;
        let entity = match parent {
            Some(parent) => world.push_child(parent, frame),
            None => world.push_transform(frame),
        };
        self.frames.push(entity);
        self.decks.push(world.push_child(entity, (Translation::new(0.0, 2.0, 0.0),)));
        entity
    }

    /// One edit, which leaves the frame where it is.
    fn edit(&mut self) {
        let x = self.frames[1 + self.rng.below(self.frames.len() - 1)];
        let i = self.rng.below(self.frames.len() + 1);
        let to = self.frames.get(i).copied();
        let before = up(&self.test.world, x);
        let above = to.map_or_else(Vec::new, |to| up(&self.test.world, to));
        if above.len() > 3 || above.iter().any(|(entity, _)| *entity == x) {
            return;
        }
        let world = &mut self.test.world;
        match to {
            // Where it is: a step of odometry.
            _ if self.rng.one_in(5) => return self.measure(x),
            Some(frame) => {
                world.set_parent(x, frame).unwrap();
                // A deck is in the space of its frame. The verb would take a frame away there.
                if self.rng.one_in(2) {
                    self.test.put(x, Parent(self.decks[i]));
                }
            }
            None => world.remove_parent(x).unwrap(),
        }
        let wanted = in_universe(&above).inverse().then(in_universe(&before));
        let distances = distances(&before, &above);
        judge(&frame(&self.test, x), wanted, distances);
        self.count(1.0, distances);
    }

    /// The frame gets the pose that it has, as it is seen from the frame above by way of another.
    fn measure(&mut self, x: Entity) {
        let by = *self.rng.pick(&self.frames);
        let way = up(&self.test.world, x);
        let Some(&(above, _)) = way.get(1) else { return };
        let (beside, above) = (up(&self.test.world, by), (above, &way[1..]));
        let pose = |(of, way): (Entity, &[_]), (space, from): (Entity, &[_])| {
            let pose = Frame::between(&self.test.world, of, space).unwrap();
            let wanted = in_universe(from).inverse().then(in_universe(way));
            judge(&pose, wanted, distances(way, from));
            pose.to_isometry()
        };
        let (there, on) = (pose((by, &beside), above), pose((x, &way), (by, &beside)));
        let mut measured = Frame::from(there * on);
        // nalgebra's product leaves the length to its caller.
        measured.rotation.renormalize();
        self.test.set(x, measured);
        // Two answers and a product.
        self.count(3.0, distances(&way, &beside) + distances(above.1, &beside));
    }

    /// The user moves a frame, and all in it goes along; or turns one that has none in it, too.
    fn fly(&mut self) {
        let x = *self.rng.pick(&self.frames);
        let old = frame(&self.test, x);
        let step: Vector3<f64> = self.rng.vector(1.0).cast();
        // What turns swings all in it: distances would double every few hundred edits.
        let is_above = |it: &&Entity| up(&self.test.world, **it).iter().any(|it| it.0 == x);
        let is_leaf = self.frames.iter().filter(is_above).count() == 1;
        let by = if is_leaf { turn(&mut self.rng) } else { UnitQuaternion::identity() };
        let rotation = old.rotation * by;
        let new = Frame { position: old.position + step, rotation };
        let by = Pose::of(&old).inverse().then(Pose::of(&new));
        let here = self.wanted[&x];
        for (entity, pose) in &mut self.wanted {
            if up(&self.test.world, *entity).iter().any(|(above, _)| *above == x) {
                *pose = here.then(by).then(here.inverse()).then(*pose);
            }
        }
        self.test.set(x, new);
    }

    /// What so many edits may be off, from now on.
    fn count(&mut self, edits: f64, distances: f64) {
        self.moved += edits * AN_EDIT * distances;
        self.turned += edits * AN_EDIT;
    }

    /// Where all frames are, after all edits so far: in the universe by the components, and as the
    /// run shows them from one of them.
    fn check(&mut self) {
        let origin = *self.rng.pick(&self.frames);
        see_from(&mut self.test, origin);
        self.test.run();
        let pose = |entity| in_universe(&up(&self.test.world, entity));
        let back = pose(origin).inverse();
        let from = up(&self.test.world, origin);
        for (&entity, wanted) in self.frames.iter().map(|it| (it, &self.wanted[it])) {
            let (is, way) = (pose(entity), up(&self.test.world, entity));
            let far: f64 = way.iter().map(|(_, frame)| frame.position.coords.norm()).sum();
            let moved = distance(is.place, wanted.place);
            assert!(moved <= self.moved + 2.0 * self.turned * far, "{moved} off in the universe");
            let turned = is.turn.off(wanted.turn);
            assert!(turned <= self.turned, "turned by {turned} in the universe");
            // The matrix, which is rounded once.
            let seen = back.then(is);
            let matrix = self.test.matrix(entity);
            let place = seen.place.map(|it| it.to_f64());
            let off = Vector3::from_fn(|i, _| f64::from(matrix[(i, 3)]) - place[i]).amax();
            let rounding = Vector3::from(place).amax() * f64::from(f32::EPSILON);
            assert!(off <= rounding + AN_EDIT * distances(&from, &way), "{off} off as seen");
            let axes: nalgebra::Matrix3<f32> = matrix.fixed_view::<3, 3>(0, 0).into();
            assert!((axes.transpose() * axes - nalgebra::Matrix3::identity()).amax() < 1e-6);
        }
        self.seen = self.frames.iter().map(|&it| (it, back.then(pose(it)))).collect();
        self.check_things(pose(origin));
    }
}

/// Far away and near, turned, three deep and more.
#[test]
fn errors_of_edits_add_and_never_multiply() {
    let sizes = [[3e11, 1e7, 30.0], [30.0, 20.0, 10.0], [1e12, 100.0, 0.01]];
    let edits = demand::soak(2_000);
    for (seed, sizes) in (demand::first_seed(0)..).zip(sizes) {
        let mut worlds = Worlds::new(seed, sizes);
        for i in 1..=edits {
            worlds.edit();
            worlds.edit_thing();
            if i % 10 == 0 {
                worlds.fly();
            }
            if i % 500 == 0 {
                worlds.check();
            }
        }
    }
}

/// Two turned frames are coupled by turns, and nothing moves: 400 times, and both are where they
/// were.
#[test]
fn two_frames_are_coupled_by_turns() {
    let turned = |x: f64, angle: f64| {
        let axis = Unit::new_normalize(Vector3::new(0.3, 1.0, 0.2));
        Frame {
            position: Point3::new(x, 2.0, 3.0),
            rotation: UnitQuaternion::from_axis_angle(&axis, angle),
        }
    };
    let mut test = large();
    let [a, b] =
        [(10.0, 0.4), (30.0, 1.1)].map(|(x, by)| test.world.push_transform((turned(x, by),)));
    test.run();
    let start = [a, b].map(|it| test.matrix(it));
    for _ in 0..400 {
        for (x, y) in [(a, b), (b, a)] {
            test.world.set_parent(x, y).unwrap();
            test.world.remove_parent(x).unwrap();
        }
    }
    test.run();
    for (entity, start) in [a, b].into_iter().zip(start) {
        assert!((test.matrix(entity) - start).amax() <= 4e-6, "{}", test.matrix(entity));
        assert!(Pose::length_off(&frame(&test, entity)) <= LENGTH);
    }
}
