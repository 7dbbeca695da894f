//! Frames in `f64` are seen from the origin as their formula says, exactly where it matters, and
//! are written only where they are seen otherwise than before.

mod doors;
mod far_edits;
mod many_edits;
mod nested;
mod without_matrix;

use harness::TestWorld;
use legion::{Entity, World, system, systems::CommandBuffer};
use legion_transform::{
    findings::FindingKind,
    frames::{Frame, Origin},
    prelude::*,
};
use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};

fn large() -> TestWorld {
    TestWorld::new(TransformSystemBundle::default().large_worlds())
}

fn at(x: f64, y: f64, z: f64) -> Frame {
    Frame::at(Point3::new(x, y, z))
}

fn frame(test: &TestWorld, entity: Entity) -> Frame {
    test.value(entity)
}

fn see_from(test: &mut TestWorld, entity: Entity) {
    test.resources.insert(Origin(entity));
}

/// The origin moves, and a rock in another archetype follows, though no frame is above another.
#[test]
fn roots_follow_the_origin() {
    let mut test = large();
    let ship = test.world.push_transform((at(1e9, 0.0, 0.0),));
    let rock = test.world.push_transform((at(1e9 + 5.0, 0.0, 0.0), "a rock"));
    see_from(&mut test, ship);
    test.run();
    assert_eq!([ship, rock].map(|it| test.x(it)), [0.0, 5.0]);
    test.put(ship, at(1e9 + 1.0, 0.0, 0.0));
    test.run();
    assert_eq!([ship, rock].map(|it| test.x(it)), [0.0, 4.0]);
}

/// A solar system, with what is a millimetre away from the ship in each of its spaces.
struct System {
    test: TestWorld,
    ship: Entity,
    seat: Entity,
    buoy: Entity,
    lamp: Entity,
}

impl System {
    fn new(rotated: bool) -> Self {
        let mut test = large();
        let turn = |angle: f64| match rotated {
            true => UnitQuaternion::from_euler_angles(angle, 2.0 * angle, -angle),
            false => UnitQuaternion::identity(),
        };
        let turned = |frame: Frame, angle| Frame { rotation: turn(angle), ..frame };
        let sun = test.world.push_transform((turned(at(3e11, 1e11, 0.0), 0.7),));
        let earth = test.world.push_child(sun, (turned(at(1e11, 0.0, 5e10), 0.3),));
        let ship = test.world.push_child(earth, (turned(at(1e7, 3.0, -1e7), 1.1),));
        let seat = test.world.push_child(ship, (Translation::new(0.0, 0.001, 0.0),));
        let buoy = test.world.push_child(earth, (turned(at(1e7 + 0.001, 3.0, -1e7), 1.1),));
        let lamp = test.world.push_child(buoy, (Translation::new(0.0, 0.001, 0.0),));
        see_from(&mut test, ship);
        Self { test, ship, seat, buoy, lamp }
    }

    /// Where the lamp is, seen from the ship: what the frames' positions say, exactly.
    fn lamp_from_ship(&self) -> Vector3<f64> {
        let (ship, buoy) = (frame(&self.test, self.ship), frame(&self.test, self.buoy));
        let beside = ship.rotation.inverse() * (buoy.position - ship.position);
        beside + ship.rotation.inverse() * (buoy.rotation * Vector3::new(0.0, 0.001, 0.0))
    }

    fn check(&self) {
        let seen = |entity| Vector3::from_fn(|i, _| f64::from(self.test.matrix(entity)[(i, 3)]));
        let off = (seen(self.lamp) - seen(self.ship) - self.lamp_from_ship()).norm();
        assert!(off < 1e-6, "the lamp is {off} m off");
        let off = (seen(self.seat) - seen(self.ship)).norm() - 0.001;
        assert!(off.abs() < 1e-6, "the seat is {off} m off");
    }
}

#[test]
fn a_millimetre_is_a_millimetre_at_any_distance() {
    for rotated in [false, true] {
        let mut system = System::new(rotated);
        system.test.run();
        system.check();
        assert_eq!(system.test.matrix(system.ship), Matrix4::identity());
        // The ship flies, and the buoy beside it.
        for step in 0..50 {
            for entity in [system.ship, system.buoy] {
                let moved = frame(&system.test, entity);
                let by = Vector3::new(1234.567, -0.1 * f64::from(step), 99.0);
                system.test.set(entity, Frame { position: moved.position + by, ..moved });
            }
            system.test.run();
            system.check();
        }
        // Somebody in the ship looks at it, and then from the buoy.
        for origin in [system.seat, system.ship, system.buoy] {
            see_from(&mut system.test, origin);
            system.test.run();
            let other = if origin == system.buoy { system.ship } else { system.buoy };
            let distance = system.test.matrix(other).fixed_view::<3, 1>(0, 3).norm();
            assert!((distance - 0.001).abs() < 1e-6, "{distance}");
        }
    }
}

/// `model` judges what each run shows by way of frames, links and cycles. Here is what lies between
/// two runs, also on a cycle.
#[test]
fn between_two_runs_frames_are_where_the_next_one_sees_them() {
    let mut test = large();
    let [a, b] = [1.0, 2.0].map(|x| test.world.push_transform((at(x, 0.0, 0.0),)));
    test.put(a, Parent(b));
    test.run();
    assert_eq!(test.x(a), 1.0, "`Parent` without `LocalToParent` is no link");
    test.put(a, LocalToParent::identity());
    test.put(b, LocalToParent::identity());
    test.put(b, Parent(a));
    let below = [a, b].map(|it| test.world.push_child(it, (at(10.0, 0.0, 0.0),)));
    test.run();
    assert_eq!([a, b, below[0], below[1]].map(|it| test.x(it)), [1.0, 2.0, 11.0, 12.0]);
    for [from, to] in [below, [below[1], below[0]], [a, b], [below[0], b]] {
        let seen = Frame::between(&test.world, from, to).unwrap().position.x;
        assert_eq!(seen, f64::from(test.x(from) - test.x(to)), "on a cycle, all are roots");
    }
    assert_eq!(Frame::between(&test.world, a, a).unwrap(), Frame::default());
    let nowhere = test.push(("no transform",));
    test.despawn(nowhere);
    assert!(Frame::between(&test.world, a, nowhere).is_err());
}

/// A component of the user's in the write group of `LocalToWorld` wins over a frame beside it, in
/// runs, in edits, and for the frames below.
#[test]
fn a_users_own_matrix_wins_over_a_frame() {
    #[derive(Clone, Copy)]
    struct Driven;
    let bundle = TransformSystemBundle::default().write_group::<LocalToWorld, Driven>();
    let mut test = TestWorld::new(bundle.large_worlds().print_findings(false));
    let sun = test.world.push_transform((at(100.0, 0.0, 0.0),));
    let ship = test.world.push_child(sun, (at(7.0, 0.0, 0.0), Driven));
    let driven = LocalToWorld(Matrix4::new_translation(&Vector3::new(3.0, 2.0, 1.0)));
    test.put(ship, driven);
    let crew = test.world.push_child(ship, (Translation::new(0.5, 0.0, 0.0),));
    let boat = test.world.push_child(ship, (at(1.0, 0.0, 0.0),));
    let told = [(FindingKind::FrameOverridden, ship, None)];
    for _ in 0..2 {
        test.run();
        assert_eq!(test.matrix(ship), driven.0);
        assert_eq!(test.x(crew), 3.5, "what is below follows the user's matrix");
        assert_eq!(test.x(boat), 101.0, "in the space of the next frame that counts");
        assert_eq!(test.told(), told);
        test.set(ship, at(8.0, 0.0, 0.0));
    }
    test.world.set_parent(ship, boat).unwrap_err();
    test.world.remove_parent(ship).unwrap();
    assert_eq!(frame(&test, ship), at(8.0, 0.0, 0.0), "an edit does not write it either");
    test.run();
    assert_eq!(test.matrix(ship), driven.0);
    assert_eq!(test.x(boat), 1.0);
    test.take::<Driven>(ship);
    test.run();
    assert_eq!([ship, boat].map(|it| test.x(it)), [8.0, 9.0], "it counts again");
    assert_eq!(test.told(), []);
}

/// Frames are a stage: what a system before propagation writes or has a command do, before or after
/// `large_worlds` was asked for, is in the matrices of the same run.
#[test]
fn what_systems_and_commands_write_is_in_the_same_run() {
    struct Engine;
    #[system(for_each)]
    fn fly(_: &Engine, frame: &mut Frame) {
        frame.position.x += 1.0;
    }
    #[system(for_each)]
    fn launch(entity: &Entity, _: &Engine, commands: &mut CommandBuffer) {
        let boat = commands.push_child(*entity, (at(0.0, 1.0, 0.0),));
        commands.push_child(boat, (Translation::new(0.0, 2.0, 0.0), "the crew"));
        commands.add_component(*entity, Scale(1.0));
    }
    #[system(for_each)]
    fn frame_it(entity: &Entity, _: &Translation, _: &&'static str, commands: &mut CommandBuffer) {
        commands.add_component(*entity, at(0.0, 5.0, 0.0));
    }
    type Add = fn(TransformSystemBundle) -> TransformSystemBundle;
    let orders: [[Add; 2]; 2] = [
        [|it| it.large_worlds(), |it| it.before_propagation(fly_system())],
        [|it| it.before_propagation(fly_system()), |it| it.large_worlds()],
    ];
    for [first, second] in orders {
        for is_early in [false, true] {
            let bundle = second(first(TransformSystemBundle::default().print_findings(false)));
            let mut test = TestWorld::new(match is_early {
                true => bundle.before_composition(launch_system()),
                false => bundle.before_propagation(launch_system()),
            });
            let ship = test.world.push_transform((at(10.0, 0.0, 0.0), Engine));
            let seat = test.world.push_child(ship, (Translation::new(0.0, 0.5, 0.0),));
            for run in 1..4 {
                test.run();
                let x = 10.0 + run as f32;
                assert_eq!([ship, seat].map(|it| test.x(it)), [x; 2]);
                let boats = test.children(ship);
                assert_eq!(boats.len(), 1 + run);
                for &boat in boats.iter().filter(|it| **it != seat) {
                    let crew = test.children(boat)[0];
                    let seen = [boat, crew].map(|it| test.matrix(it));
                    assert_eq!(seen.map(|it| (it.m14, it.m24)), [(x, 1.0), (x, 3.0)]);
                }
            }
        }
    }
    let bundle = TransformSystemBundle::default().large_worlds().print_findings(false);
    let mut test = TestWorld::new(bundle.before_propagation(frame_it_system()));
    let plain = test.world.push_transform((Translation::new(1.0, 0.0, 0.0), "becomes a frame"));
    test.run();
    assert_eq!((test.x(plain), test.matrix(plain).m24), (0.0, 5.0));
}

/// A frame above is taken, given or linked: the frames below are seen otherwise.
#[test]
fn spaces_go_with_their_frames() {
    let mut test = large();
    let [sun, earth] = [10.0, 1.0].map(|x| test.world.push_transform((at(x, 0.0, 0.0),)));
    let moon = test.world.push_child(earth, (at(0.5, 0.0, 0.0),));
    test.run();
    assert_eq!([sun, earth, moon].map(|it| test.x(it)), [10.0, 1.0, 1.5]);
    test.take::<Frame>(earth);
    test.run();
    assert_eq!(test.x(moon), 0.5, "in the universe");
    test.put(earth, at(2.0, 0.0, 0.0));
    test.run();
    assert_eq!(test.x(moon), 2.5);
    test.hang(earth, sun);
    test.put(earth, LocalToParent::identity());
    test.run();
    assert_eq!(test.x(moon), 12.5);
    test.take::<Frame>(sun);
    test.run();
    assert_eq!(test.x(moon), 2.5);
    see_from(&mut test, moon);
    test.run();
    assert_eq!(test.x(earth), -0.5);
    test.take::<Frame>(earth);
    test.run();
    assert_eq!(test.x(moon), 0.0);
    test.take::<Frame>(moon);
    let sky = test.world.push_transform((at(7.0, 0.0, 0.0),));
    test.run();
    assert_eq!(test.x(sky), 7.0);
}

/// One schedule, two worlds in turns.
#[test]
fn worlds_in_turns_are_both_right() {
    let (mut test, mut other) = (large(), World::default());
    let a = test.world.push_transform((at(1.0, 0.0, 0.0),));
    let b = other.push_transform((at(2.0, 0.0, 0.0),));
    see_from(&mut test, a);
    for i in 0..3 {
        test.run();
        std::mem::swap(&mut test.world, &mut other);
        test.set(b, at(2.0, f64::from(i), 0.0));
        test.run();
        assert_eq!(test.matrix(b).m24, i as f32);
        std::mem::swap(&mut test.world, &mut other);
        assert_eq!(test.matrix(a), Matrix4::identity());
    }
}
