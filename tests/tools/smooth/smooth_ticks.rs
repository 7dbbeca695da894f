//! Between two ticks every entity is where the formula says, and where it is known exactly, it is
//! exact.

use std::f32::consts::{FRAC_PI_2, PI};

use harness::{TestWorld, demand};
use legion::Entity;
use legion_transform::{
    TransformChanges,
    frames::{Frame, Origin},
    prelude::*,
    smooth::Smooth,
};
use legion_transform_testing::{SmoothMirror, motion::mismatch};
use nalgebra::{Matrix4, UnitQuaternion, Vector3};
use proptest::prelude::*;

/// A world with a simulation, and what follows it.
pub struct Ticks {
    pub test: TestWorld,
    pub followed: SmoothMirror,
}

impl Ticks {
    pub fn new() -> Self {
        Self::of(TransformSystemBundle::default())
    }

    pub fn of(bundle: TransformSystemBundle) -> Self {
        let test = TestWorld::new(bundle.track_changes());
        Self { test, followed: SmoothMirror::default() }
    }

    pub fn tick(&mut self) {
        self.test.run();
        self.followed.tick(&self.test.world, &self.test.resources);
    }
}

pub fn x(ticks: &Ticks, entity: Entity, alpha: f32) -> f32 {
    ticks.followed.smooth.matrix(&ticks.test.world, entity, alpha).unwrap().position().x
}

/// A ball rolls 2 a tick, with a mark on it, and at 4 through a portal 100 further on.
#[test]
fn what_goes_through_a_portal_keeps_its_pace() {
    let mut it = Ticks::new();
    let ball = it.test.at(1.0);
    let mark = it.test.below(ball, 0.5);
    it.tick();
    it.followed.draw(&it.test.world, 1.0);
    it.test.set(ball, Translation::new(3.0, 0.0, 0.0));
    it.tick();
    it.followed.draw(&it.test.world, 0.5);
    it.followed.teleport_by(ball, Matrix4::new_translation(&Vector3::new(100.0, 0.0, 0.0)));
    it.test.set(ball, Translation::new(105.0, 0.0, 0.0));
    it.tick();
    assert_eq!([0.0, 0.5, 1.0].map(|t| x(&it, ball, t)), [103.0, 104.0, 105.0]);
    assert_eq!([0.0, 0.5, 1.0].map(|t| x(&it, mark, t)), [103.5, 104.5, 105.5]);
    let smooth = &it.followed.smooth;
    let last = |entity| smooth.last_frame(&it.test.world, entity).unwrap().position().x;
    assert_eq!([ball, mark].map(last), [102.0, 102.5], "it was drawn at 2");
    it.followed.draw(&it.test.world, 0.5);
    it.test.set(ball, Translation::new(107.0, 0.0, 0.0));
    it.tick();
    assert_eq!([x(&it, ball, 0.5), x(&it, mark, 0.5)], [106.0, 106.5], "once");
    // Out of a gate that is turned by a quarter: what went along x goes along y.
    let turn = Rotation::from_rotation_z(FRAC_PI_2);
    it.followed.teleport_by(ball, turn.to_homogeneous());
    it.test.put(ball, turn);
    it.test.set(ball, Translation::new(0.0, 109.0, 0.0));
    it.tick();
    let half = it.followed.smooth.matrix(&it.test.world, ball, 0.5).unwrap();
    assert!((half.position() - nalgebra::Point3::new(0.0, 108.0, 0.0)).norm() < 1e-4);
    assert!((half.right() - Vector3::y()).norm() < 1e-6, "it does not turn on the way");
}

/// A ship flies from 0 to 6 and fires: the shot leaves the bow, and a mark on it goes along.
#[test]
fn what_comes_below_a_moving_parent_comes_along_with_it() {
    let mut it = Ticks::new();
    let (ship, rests) = (it.test.at(0.0), it.test.at(100.0));
    it.tick();
    it.test.set(ship, Translation::new(6.0, 0.0, 0.0));
    let shot = it.test.below(ship, 1.0);
    let mark = it.test.below(shot, 0.5);
    let (alone, other) = (it.test.at(50.0), it.test.below(rests, 1.0));
    let jumps = it.test.below(ship, 2.0);
    let stays = it.test.world.push_child(
        ship,
        (Translation::new(3.0, 0.0, 0.0), Inherits { translation: true, ..Inherits::NOTHING }),
    );
    it.followed.teleport(jumps);
    it.tick();
    assert_eq!([0.0, 0.5, 1.0].map(|t| x(&it, shot, t)), [1.0, 4.0, 7.0]);
    assert_eq!([0.0, 0.5, 1.0].map(|t| x(&it, mark, t)), [1.5, 4.5, 7.5]);
    assert_eq!([alone, other, jumps, stays].map(|at| x(&it, at, 0.5)), [50.0, 101.0, 8.0, 9.0]);
    it.followed.draw(&it.test.world, 0.5);
    it.tick();
    assert_eq!([shot, mark].map(|at| x(&it, at, 0.5)), [7.0, 7.5], "all rest");
    // On a parent that turns by a quarter, from where it would have been.
    it.test.put(ship, Rotation::from_rotation_z(FRAC_PI_2));
    let shot = it.test.below(ship, 1.0);
    it.tick();
    let from = it.followed.smooth.matrix(&it.test.world, shot, 0.0).unwrap();
    assert!((from.position() - nalgebra::Point3::new(7.0, 0.0, 0.0)).norm() < 1e-6);
    assert!((from.right() - Vector3::x()).norm() < 1e-6);
}

/// The viewer steps from a ship into a station that is turned against it. All is drawn as he sees
/// it, in that tick, too; in the universe of the frames, nothing but a buoy moves.
#[test]
fn the_viewer_steps_into_a_frame_that_is_turned() {
    for angle in [0.0, 0.5, 3.0] {
        let bundle = TransformSystemBundle::default().track_changes().large_worlds();
        let mut test = TestWorld::new(bundle);
        let mut smooth = Smooth::default().with_last_frames();
        let axis = nalgebra::Unit::new_normalize(Vector3::new(0.3, 1.0, 0.2));
        let at = |x: f64, y: f64, angle: f64| Frame {
            position: nalgebra::Point3::new(x, y, 0.0),
            rotation: UnitQuaternion::from_axis_angle(&axis, angle),
        };
        let ship = test.world.push_transform((at(1e9, 0.0, 0.2),));
        let station = test.world.push_transform((at(1e9 + 20.0, 5.0, 0.2 + angle),));
        let buoy = test.world.push_transform((at(1e9, 20.0, 1.0),));
        let lamp = test.world.push_child(ship, (Translation::new(0.0, 20.0, 0.0),));
        let dock = test.world.push_child(station, (Translation::new(3.0, 0.0, 0.0),));
        let viewer = test.world.push_child(ship, (Translation::new(1.0, 2.0, 3.0),));
        let sky = test.world.push_transform((Translation::new(0.0, 90.0, 0.0),));
        test.resources.insert(Origin(viewer));
        let tick = |test: &mut TestWorld, smooth: &mut Smooth| {
            test.run();
            let changes = test.resources.get::<TransformChanges>().unwrap();
            smooth.tick(&test.world, &changes).unwrap();
        };
        let all = [ship, station, buoy, lamp, dock];
        type Look<'a> = &'a dyn Fn(Entity) -> LocalToWorld;
        let seen = |look: Look<'_>| {
            let back = look(viewer).0.try_inverse().unwrap();
            all.map(|entity| back * look(entity).0)
        };
        tick(&mut test, &mut smooth);
        let before = seen(&|it| smooth.matrix(&test.world, it, 1.0).unwrap());
        smooth.end_frame(1.0);
        smooth.change_origin(Frame::between(&test.world, ship, station).unwrap());
        test.world.set_parent(viewer, station).unwrap();
        test.set(buoy, at(1e9, 24.0, 1.0));
        tick(&mut test, &mut smooth);
        let after = seen(&|it| smooth.matrix(&test.world, it, 1.0).unwrap());
        for alpha in [0.0_f32, 0.25, 0.5, 0.75, 1.0] {
            let now = seen(&|it| smooth.matrix(&test.world, it, alpha).unwrap());
            for i in 0..all.len() {
                let wanted = before[i] * (1.0 - alpha) + after[i] * alpha;
                let off = (now[i] - wanted).amax();
                assert!(off < 1e-4, "{i} is {off} off at {alpha}, turned by {angle}");
            }
            assert_eq!(smooth.matrix(&test.world, sky, alpha).unwrap().position().y, 90.0);
        }
        let moved = (before[2] - after[2]).amax();
        assert!(moved > 1.0, "the buoy moves");
        assert!((0..all.len()).all(|i| i == 2 || (before[i] - after[i]).amax() < 1e-4));
        let last = seen(&|it| smooth.last_frame(&test.world, it).unwrap());
        assert!((0..all.len()).all(|i| (before[i] - last[i]).amax() < 1e-4), "the last frame");
    }
}

/// A bundle that follows by itself puts a `Smooth` into the resources, or takes the one there.
#[test]
fn a_bundle_may_follow_its_runs() {
    for inserts_one in [false, true] {
        let mut test = TestWorld::new(TransformSystemBundle::default().smooth());
        if inserts_one {
            test.resources.insert(Smooth::default().with_last_frames());
        }
        let it = test.at(1.0);
        test.run();
        test.set(it, Translation::new(3.0, 0.0, 0.0));
        test.run();
        let smooth = test.resources.get::<Smooth>().unwrap();
        assert_eq!(smooth.matrix(&test.world, it, 0.5).unwrap().position().x, 2.0);
        assert_eq!(smooth.last_frame(&test.world, it).is_some(), inserts_one);
    }
}

/// Half a turn has an axis, and a whole turn less a bit goes the short way.
#[test]
fn turns_go_the_short_way() {
    let mut it = Ticks::new();
    let entity = it.test.push((LocalToWorld::identity(), Rotation::identity()));
    it.tick();
    for (angle, middle) in [(3.1, 1.55_f32), (-0.1, -0.05), (PI, FRAC_PI_2)] {
        it.test.set(entity, Rotation::identity());
        it.tick();
        it.tick();
        it.test.set(entity, Rotation::from_rotation_z(angle));
        it.tick();
        let right = it.followed.smooth.matrix(&it.test.world, entity, 0.5).unwrap().right();
        let seen = right.y.atan2(right.x);
        assert!((seen.abs() - middle.abs()).abs() < 1e-3, "{angle}: {seen} {middle}");
        assert!((right.norm() - 1.0).abs() < 1e-6);
    }
}

/// What turned in the tick before jumps as everything else does, and so do those below it.
#[test]
fn what_has_just_turned_jumps() {
    let mut it = Ticks::new();
    let a = it.test.push((LocalToWorld::identity(), Translation::default(), Rotation::identity()));
    let child = it.test.below(a, 1.0);
    it.tick();
    it.test.set(a, Rotation::from_rotation_z(1.0));
    it.tick();
    it.followed.teleport(a);
    it.test.set(a, Rotation::from_rotation_z(2.0));
    it.test.set(a, Translation::new(500.0, 0.0, 0.0));
    it.tick();
    for entity in [a, child] {
        let [begin, end] = [0.0, 1.0]
            .map(|alpha| it.followed.smooth.matrix(&it.test.world, entity, alpha).unwrap());
        assert_eq!(begin, end, "it is not drawn on the way");
    }
    assert_eq!(x(&it, a, 0.5), 500.0);
}

/// The last frame is what was drawn, however many ticks were in between.
#[test]
fn the_last_frame_is_what_was_drawn() {
    let mut it = Ticks::new();
    let a = it.test.at(0.0);
    it.tick();
    let (mut position, mut last_alpha) = (0.0, 0.0);
    for (ticks, alpha) in [(1, 0.25), (0, 0.75), (2, 0.5), (0, 0.5), (3, 0.0), (1, 1.0), (0, 1.0)] {
        let drawn = it.followed.smooth.matrix(&it.test.world, a, last_alpha).unwrap();
        for _ in 0..ticks {
            position += 1.0;
            it.test.set(a, Translation::new(position, 0.0, 0.0));
            it.tick();
        }
        let last = it.followed.smooth.last_frame(&it.test.world, a).unwrap();
        assert_eq!(last, drawn, "{ticks} ticks");
        it.followed.draw(&it.test.world, alpha);
        last_alpha = alpha;
    }
    assert_eq!(Smooth::default().last_frame(&it.test.world, a), None, "not asked to keep it");
}

proptest! {
    #![proptest_config(demand::cases(256))]

    /// The formula, on matrices alone: with shear, mirrors and scales of any size.
    #[test]
    fn two_ticks_are_joined_by_the_formula(
        turns in prop::array::uniform4(-3.0_f32..3.0),
        scales in prop::array::uniform6(prop_oneof![0.01_f32..100.0, -100.0_f32..-0.01]),
        shear in prop::array::uniform3(-3.0_f32..3.0),
        alpha in 0.0_f32..1.0,
    ) {
        let [a, b, c, d] = turns;
        let sheared = Matrix4::new(
            1.0, shear[0], shear[1], 0.0, 0.0, 1.0, shear[2], 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0,
            0.0, 1.0,
        );
        let trs = |turn: [f32; 3], scale: [f32; 3]| {
            let turn = UnitQuaternion::from_euler_angles(turn[0], turn[1], turn[2]);
            Transform::from_xyz(turn.i, 2.0, 3.0).with_rotation(turn).with_scale(scale).to_matrix()
        };
        let from = trs([a, b, c], [scales[0], scales[1], scales[2]]);
        let to = trs([b, c, d], [scales[3], scales[4], scales[5]]) * sheared;
        let mut it = Ticks::new();
        let entity = it.test.push((LocalToWorld(from),));
        it.tick();
        it.test.set(entity, LocalToWorld(to));
        it.tick();
        let seen = it.followed.smooth.matrix(&it.test.world, entity, alpha).unwrap();
        prop_assert_eq!(mismatch(&from, &to, alpha, &seen.0), None);
    }
}
