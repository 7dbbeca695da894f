//! Edits of entities without a frame, each in a frame: in place, in the space of a frame, and as
//! seen.
//!
//! What such an edit is off is a few roundings of `f32`, of the numbers between the entity and its
//! frame. How far away both are seen does not count.

use harness::double::{Pose, distance};
use legion::{Entity, EntityStore};
use legion_transform::{edit::EditError, frames::Frame, prelude::*};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::{AN_EDIT, Worlds, distances, in_universe, up};

/// How far an edit may be off: of a place, relative to the lengths of the translations that it is
/// computed from; of a rotation, half an angle in radians. In 180,000 edits it was 1.6e-7 and
/// 1.9e-7.
const PLACE: f64 = 4e-7;
const TURN: f64 = 6e-7;

/// Where an entity without a frame is: the frames above it, the pose in the nearest of them, and
/// the sum of the lengths of the translations in it.
struct Stand {
    frames: Vec<(Entity, Frame)>,
    pose: Pose,
    size: f64,
}

impl Stand {
    fn frame(&self) -> Entity {
        self.frames[0].0
    }

    fn in_universe(&self) -> Pose {
        in_universe(&self.frames).then(self.pose)
    }
}

/// The sum of the distances up to the universe.
fn far(frames: &[(Entity, Frame)]) -> f64 {
    frames.iter().map(|(_, frame)| frame.position.coords.norm()).sum()
}

fn frame(position: Vector3<f32>, rotation: UnitQuaternion<f32>) -> Pose {
    Pose::of(&Frame { position: Point3::from(position.cast()), rotation: rotation.cast() })
}

/// What an edit is asked to do in the space of a frame.
#[derive(Clone, Copy, Debug)]
enum Act {
    Rotate(UnitQuaternion<f32>),
    RotateAround(Point3<f32>, UnitQuaternion<f32>),
    Translate(Vector3<f32>),
    SetWorld(Isometry3<f32>),
    /// How it is turned in the end is taken from the edit; where its z axis points is judged.
    LookAt(Point3<f32>, Pose),
}

impl Act {
    fn on(self, pose: Pose) -> Pose {
        let still = UnitQuaternion::identity();
        match self {
            Self::Rotate(by) => Pose { turn: frame(Vector3::zeros(), by).then(pose).turn, ..pose },
            Self::RotateAround(at, by) => {
                frame(at.coords, by).then(frame(-at.coords, still)).then(pose)
            }
            Self::Translate(by) => frame(by, still).then(pose),
            Self::SetWorld(pose) => frame(pose.translation.vector, pose.rotation),
            Self::LookAt(_, after) => Pose { turn: after.turn, ..pose },
        }
    }

    /// The size of the numbers in it.
    fn size(self) -> f64 {
        match self {
            Self::Rotate(_) => 0.0,
            Self::RotateAround(at, _) | Self::LookAt(at, _) => at.coords.norm().into(),
            Self::Translate(by) => by.norm().into(),
            Self::SetWorld(pose) => pose.translation.vector.norm().into(),
        }
    }
}

impl Worlds {
    /// A shelf on each deck, and two boxes on it, of which one is scaled.
    pub fn furnish(&mut self) {
        for deck in self.decks.clone() {
            let shelf = self.put(deck, None);
            self.put(shelf, None);
            self.put(shelf, Some(2.0));
        }
    }

    fn put(&mut self, parent: Entity, scale: Option<f32>) -> Entity {
        let place = Translation::from(self.rng.vector(5.0));
        let thing = (place, Rotation(super::turn(&mut self.rng).cast()));
        let world = &mut self.test.world;
        let thing = match scale {
            Some(scale) => world.push_child(parent, (thing.0, thing.1, Scale(scale))),
            None => world.push_child(parent, thing),
        };
        self.things.push(thing);
        self.own.insert(thing, [0.0; 2]);
        self.wanted.insert(thing, self.stand(thing).in_universe());
        thing
    }

    /// The plain entities above one, up to the frame.
    fn plain(&self, entity: Entity) -> Vec<Entity> {
        let up =
            std::iter::successors(Some(entity), |it| self.test.get::<Parent>(*it).map(|it| it.0));
        up.take_while(|it| !self.test.has::<Frame>(*it)).collect()
    }

    fn stand(&self, entity: Entity) -> Stand {
        let (mut pose, mut size) = (Pose::identity(), 0.0);
        for it in self.plain(entity) {
            let place = self.test.value::<Translation>(it).0.vector;
            let turn =
                self.test.get::<Rotation>(it).map_or_else(UnitQuaternion::identity, |it| it.0);
            pose = frame(place, turn).then(pose);
            size += f64::from(place.norm());
        }
        Stand { frames: up(&self.test.world, entity), pose, size }
    }

    /// The thing, and all that stand on it.
    fn on(&self, thing: Entity) -> Vec<Entity> {
        Walk::fresh(&self.test.world).unwrap().descendants(thing).chain([thing]).collect()
    }

    /// One edit of a thing.
    pub fn edit_thing(&mut self) {
        let x = *self.rng.pick(&self.things);
        let before = self.stand(x);
        let scale = self.test.get::<Scale>(x);
        match self.rng.below(10) {
            0..3 => self.link(x, &before),
            3 => self.set_free(x, &before),
            4 => self.detach_all(x),
            5 => self.as_seen(x, &before),
            _ => self.in_a_frame(x, &before),
        }
        if self.test.world.contains(x) {
            assert_eq!(self.test.get::<Scale>(x), scale);
        }
    }

    /// Another parent, most often in the same frame.
    fn link(&mut self, x: Entity, before: &Stand) {
        let goes_far = self.rng.one_in(10);
        let to = loop {
            let kind = self.rng.below(3);
            let all = [&self.frames, &self.decks, &self.things];
            let to = *self.rng.pick(all[kind]);
            let plain = self.plain(to);
            let way = up(&self.test.world, to);
            let is_near = match goes_far {
                true => distances(&way, &before.frames) < 1e5,
                false => way[0].0 == before.frame(),
            };
            let is_free = !plain.contains(&x) && !self.test.has::<Scale>(to);
            if is_near && is_free && plain.len() < 4 {
                break to;
            }
        };
        let world = &mut self.test.world;
        match self.rng.one_in(3) {
            true => world.insert_child(to, 0, x).unwrap(),
            false => world.set_parent(x, to).unwrap(),
        }
        self.stays(x, before);
    }

    /// Off a shelf, it stands right in the frame; set free of the frame, it is one.
    fn set_free(&mut self, x: Entity, before: &Stand) {
        let freed = self.test.world.remove_parent(x);
        if self.test.has::<Frame>(x) {
            assert_eq!(freed, Ok(()));
            assert!(!self.test.has::<Parent>(x) && !self.test.has::<Translation>(x));
            let (is, wanted) = (Pose::of(&super::frame(&self.test, x)), before.in_universe());
            let bound = PLACE * before.size + AN_EDIT * far(&before.frames);
            let (moved, turned) = (distance(is.place, wanted.place), is.turn.off(wanted.turn));
            assert!(moved <= bound && turned <= TURN, "{moved} off, of {bound}; turned {turned}");
            // The frame goes, and what has stood on it. Others come in their place.
            let gone = self.on(x);
            let gone: Vec<Entity> = self
                .things
                .iter()
                .copied()
                .filter(|it| *it == x || gone.contains(it) || up(&self.test.world, *it)[0].0 == x)
                .collect();
            assert_eq!(self.test.world.despawn_subtree(x), gone.len());
            self.things.retain(|it| !gone.contains(it));
            for it in &gone {
                self.wanted.remove(it);
            }
            for _ in gone {
                let deck = *self.rng.pick(&self.decks.clone());
                self.put(deck, None);
            }
            return;
        }
        match freed {
            Ok(()) => assert_eq!(self.test.value::<Parent>(x).0, before.frame()),
            Err(error) => {
                let frame = before.frame();
                assert_eq!(error, EditError::Scaled { entity: x, frame });
                assert!(self.test.has::<Scale>(x));
            }
        }
        self.stays(x, before);
    }

    fn detach_all(&mut self, x: Entity) {
        let children = self.on(x).into_iter().filter(|it| self.plain(*it).get(1) == Some(&x));
        let children: Vec<(Entity, Stand)> = children.map(|it| (it, self.stand(it))).collect();
        let freed = self.test.world.detach_children(x).unwrap();
        assert_eq!(freed.len(), children.len());
        for (child, before) in children {
            assert!(freed.contains(&child));
            assert_eq!(self.test.value::<Parent>(child).0, before.frame());
            self.stays(child, &before);
        }
    }

    /// An edit has left the thing where it was.
    fn stays(&mut self, x: Entity, before: &Stand) {
        let after = self.stand(x);
        let back = in_universe(&after.frames).inverse();
        let wanted = back.then(before.in_universe());
        let way = distances(&before.frames, &after.frames);
        if before.frame() != after.frame() {
            self.absorb(x, far(&before.frames) + far(&after.frames));
        }
        self.judge(x, (after.pose, wanted), PLACE * (before.size + after.size) + AN_EDIT * way);
    }

    /// What the edit has made, and what was wanted.
    fn judge(&mut self, x: Entity, (is, wanted): (Pose, Pose), bound: f64) {
        let (moved, turned) = (distance(is.place, wanted.place), is.turn.off(wanted.turn));
        assert!(moved <= bound, "{moved} off, of {bound}");
        assert!(turned <= TURN, "turned by {turned}");
        let here = self.stand(x).in_universe();
        for it in self.on(x) {
            let arm = distance(here.place, self.stand(it).in_universe().place);
            let [place, turn] = self.own.get_mut(&it).unwrap();
            *place += bound + 2.0 * TURN * arm;
            *turn += TURN;
        }
    }

    /// From now on the thing is placed by other frames, and what these are off is its own.
    fn absorb(&mut self, x: Entity, far: f64) {
        let [moved, turned] = [self.moved, self.turned];
        for it in self.on(x) {
            let [place, turn] = self.own.get_mut(&it).unwrap();
            *place += 2.0 * (moved + 2.0 * turned * far);
            *turn += 2.0 * turned;
        }
    }

    /// An edit in the space of a frame: that of the thing, or another one nearby.
    fn in_a_frame(&mut self, x: Entity, before: &Stand) {
        let other = *self.rng.pick(&self.frames);
        let way = distances(&before.frames, &up(&self.test.world, other));
        let f = if self.rng.one_in(4) && way < 1e4 { other } else { before.frame() };
        let act = match self.rng.below(5) {
            0 => Act::Rotate(super::turn(&mut self.rng).cast()),
            1 => Act::RotateAround(self.point(3.0), super::turn(&mut self.rng).cast()),
            2 => Act::Translate(self.rng.vector(1.0)),
            3 => Act::SetWorld(Isometry3::from_parts(
                Translation3::from(self.rng.vector(5.0)),
                super::turn(&mut self.rng).cast(),
            )),
            _ => Act::LookAt(self.point(50.0), Pose::identity()),
        };
        let (edits, world) = (Edits::default().in_frame(f), &mut self.test.world);
        let scale = world.entry_ref(x).unwrap().get_component::<Scale>().map_or(1.0, |it| it.0);
        match act {
            Act::Rotate(by) => edits.rotate(world, x, by),
            Act::RotateAround(at, by) => edits.rotate_around(world, x, at, by),
            Act::Translate(by) => edits.translate(world, x, by),
            Act::SetWorld(pose) => {
                edits.set_local_to_world(world, x, pose.to_homogeneous().prepend_scaling(scale))
            }
            Act::LookAt(at, _) => edits.look_at(world, x, at, Vector3::y()),
        }
        .unwrap();
        self.done(x, f, before, act);
    }

    fn point(&mut self, reach: f32) -> Point3<f32> {
        Point3::from(self.rng.vector(reach))
    }

    /// Judges an edit in the space of a frame, and has what is wanted follow.
    fn done(&mut self, x: Entity, f: Entity, before: &Stand, mut act: Act) {
        let after = self.stand(x);
        let frames = up(&self.test.world, f);
        let back = in_universe(&frames).inverse();
        let is = back.then(after.in_universe());
        if let Act::LookAt(at, after) = &mut act {
            *after = is;
            let ahead = is.turn.place([0.0, 0.0, 1.0].map(Into::into));
            let [x, y, z] = std::array::from_fn(|i| f64::from(at[i]) - is.place[i].to_f64());
            let (ahead, towards) =
                (Vector3::from(ahead.map(|it| it.to_f64())), Vector3::new(x, y, z));
            let off = (ahead - towards.normalize()).norm();
            // The error of its place turns it, too.
            let place = PLACE * (before.size + act.size()) / towards.norm();
            assert!(off <= 2.0 * TURN + place, "looks {off} aside");
        }
        let way = distances(&before.frames, &frames);
        let size = before.size + after.size + act.size();
        if f != before.frame() {
            self.absorb(x, far(&frames) + far(&before.frames));
        }
        let wanted = act.on(back.then(before.in_universe()));
        let here = self.wanted[&f];
        let old = self.wanted[&x];
        let new = here.then(act.on(here.inverse().then(old)));
        for it in self.on(x) {
            let it = self.wanted.get_mut(&it).unwrap();
            *it = new.then(old.inverse()).then(*it);
        }
        self.judge(x, (is, wanted), PLACE * size + AN_EDIT * way);
    }

    /// An edit by what is seen from the origin as in the last run.
    fn as_seen(&mut self, x: Entity, before: &Stand) {
        let f = before.frame();
        let Some(&seen) = self.seen.get(&f) else { return };
        let world = &mut self.test.world;
        match self.rng.below(3) {
            0 => {
                let place = *world.entry_ref(x).unwrap().get_component::<Translation>().unwrap();
                let matrix = TransformQuery::new(world).local_to_world(x).unwrap();
                world.set_local_to_world(x, matrix.0).unwrap();
                assert_eq!(self.test.value::<Translation>(x), place);
                self.stays(x, before);
            }
            1 => {
                let by = super::turn(&mut self.rng).cast();
                world.rotate(x, by).unwrap();
                let turn = Pose { place: Pose::identity().place, ..seen };
                let by = turn.inverse().then(frame(Vector3::zeros(), by)).then(turn);
                self.moved_as_seen(x, before, |pose| Pose { turn: by.then(pose).turn, ..pose });
            }
            _ => {
                let by = self.rng.vector(1.0);
                world.translate(x, by).unwrap();
                let turn = Pose { place: Pose::identity().place, ..seen };
                let by = turn.inverse().then(frame(by, UnitQuaternion::identity())).place;
                let by = Pose { place: by, ..Pose::identity() };
                self.moved_as_seen(x, before, |pose| by.then(pose));
            }
        }
    }

    fn moved_as_seen(&mut self, x: Entity, before: &Stand, act: impl Fn(Pose) -> Pose) {
        let after = self.stand(x);
        let here = self.wanted[&before.frame()];
        let old = self.wanted[&x];
        let new = here.then(act(here.inverse().then(old)));
        for it in self.on(x) {
            let it = self.wanted.get_mut(&it).unwrap();
            *it = new.then(old.inverse()).then(*it);
        }
        let bound = PLACE * (before.size + after.size + 1.0);
        self.judge(x, (after.pose, act(before.pose)), bound);
    }

    /// Where all things are, after all edits so far, in the universe and as seen.
    pub fn check_things(&self, origin: Pose) {
        let query = TransformQuery::new(&self.test.world);
        for &x in &self.things {
            let (stand, wanted) = (self.stand(x), self.wanted[&x]);
            let [own, turn] = self.own[&x];
            let is = stand.in_universe();
            let moved = distance(is.place, wanted.place);
            let bound = self.moved + 2.0 * self.turned * (far(&stand.frames) + stand.size) + own;
            assert!(moved <= bound, "{moved} off in the universe, of {bound}");
            let turned = is.turn.off(wanted.turn);
            assert!(turned <= self.turned + turn, "turned by {turned}");
            // As the query answers, in the space of its frame.
            let matrix = query.in_frame(x, stand.frame()).unwrap();
            let place = Vector3::from(stand.pose.place.map(|it| it.to_f64()));
            let off = (matrix.fixed_view::<3, 1>(0, 3) - place).amax();
            assert!(off <= PLACE * stand.size, "{off} off in its frame");
            // As seen, in f32.
            let place = Vector3::from(origin.inverse().then(is).place.map(|it| it.to_f64()));
            let matrix = self.test.matrix(x).cast::<f64>();
            let off = (matrix.fixed_view::<3, 1>(0, 3) - place).amax();
            let bound = PLACE * (place.norm() + stand.size) + AN_EDIT * far(&stand.frames);
            assert!(off <= bound, "{off} off as seen, of {bound}");
        }
    }
}
