//! Places that `f32` cannot hold, and parents that are flat but for rounding: an edit says so.

use harness::{Rng, TestWorld, demand};
use legion::{Entity, World};
use legion_transform::{
    edit::EditError,
    findings::FindingKind,
    frames::{Frame, Origin},
    prelude::*,
};
use legion_transform_testing::Snapshot;
use nalgebra::{Point3, Quaternion, UnitQuaternion, Vector3};

/// A sun in the middle, a planet 1.5e11 units from it, and what stands there.
#[derive(Clone, Copy)]
struct System {
    sun: Entity,
    planet: Entity,
    /// 10 units from the middle of the planet.
    house: Entity,
    /// In a truck, 5 km from there.
    driver: Entity,
    /// 300 km from there, with a barrel 0.3 units beside it.
    depot: Entity,
    barrel: Entity,
    /// In no frame, 10,000,000 units from the origin.
    cloud: Entity,
}

impl System {
    fn new(test: &mut TestWorld) -> Self {
        let world = &mut test.world;
        let at = |x| (Translation::new(x, 0.0, 0.0), Rotation::identity());
        let sun = world.push_transform((Frame::default(),));
        let planet = world.push_child(sun, (Frame::from_xyz(1.5e11, 0.0, 0.0),));
        let [house, truck, depot] = [10.0, 5e3, 3e5].map(|x| world.push_child(planet, at(x)));
        let driver = world.push_child(truck, at(1.5));
        let barrel = world.push_child(depot, at(0.3));
        let cloud = world.push_transform(at(1e7));
        test.resources.insert(Origin(sun));
        test.run();
        Self { sun, planet, house, driver, depot, barrel, cloud }
    }
}

/// An edit, and how far off the entity would be, if that is too far.
type Case = (&'static str, fn(&mut World, System) -> Result<(), EditError>, Option<f64>);

const CASES: [Case; 13] = [
    // An `f32` has steps of 16,384 there.
    ("a house onto the sun", |to, it| to.set_parent(it.house, it.sun), Some(7_178.0)),
    ("as its first child", |to, it| to.insert_child(it.sun, 0, it.house), Some(7_178.0)),
    ("out of a truck, 5 km on", |to, it| to.remove_parent(it.driver), None),
    ("into the house from there", |to, it| to.set_parent(it.driver, it.house), None),
    // Steps of 1/32, and 300,000.3 is 0.0125 beside one.
    ("a barrel out of a depot", |to, it| to.remove_parent(it.barrel), Some(0.0125)),
    ("all barrels", |to, it| to.detach_children(it.depot).map(drop), Some(0.0125)),
    ("a barrel onto the planet", |to, it| to.set_parent(it.barrel, it.planet), Some(0.0125)),
    // Steps of 1.
    ("a step", |to, it| to.translate(it.cloud, Vector3::x()), None),
    ("a part of a step", |to, it| to.translate(it.cloud, Vector3::x() * 0.3), Some(0.3)),
    ("a turn where it is", |to, it| to.rotate(it.cloud, turn()), None),
    // -9,999,999.4 is not one.
    (
        "half a turn",
        |to, it| to.rotate_around(it.cloud, Point3::new(0.3, 0.0, 0.0), turn()),
        Some(0.4),
    ),
    ("a pose", |to, it| to.set_local_to_world(it.cloud, Transform::from_xyz(1e11, 3.0, 0.0)), None),
    ("a place", |to, it| to.set_transform(it.house, Transform::from_xyz(1e11, 3.0, 0.0)), None),
];

fn turn() -> UnitQuaternion<f32> {
    UnitQuaternion::new_unchecked(Quaternion::new(0.0, 0.0, 0.0, 1.0))
}

#[test]
fn what_f32_cannot_hold_is_an_error_and_nothing_is_written() {
    for (name, edit, off) in CASES {
        let mut test = TestWorld::new(TransformSystemBundle::default().large_worlds());
        let system = System::new(&mut test);
        let rows = |world: &World| format!("{:?}", Snapshot::of(world).rows);
        let before = rows(&test.world);
        let made = edit(&mut test.world, system);
        let Some(off) = off else {
            assert_eq!(made, Ok(()), "{name}");
            continue;
        };
        let Err(error @ EditError::TooFar { off: is, .. }) = made else {
            panic!("{name}: {made:?}")
        };
        assert!((is / off - 1.0).abs() < 0.01, "{name}: {is}, not {off}");
        assert!(error.to_string().contains("Frame"), "{name}: {error}");
        assert_eq!(before, rows(&test.world), "{name}");
    }
}

/// A move by less than a step of `f32` is none, and no error: the place is what counts.
#[test]
fn a_step_of_less_than_rounding_is_made() {
    let mut test = TestWorld::default();
    let far = test.root(Translation::new(1e5, 0.0, 0.0));
    for _ in 0..1_000 {
        test.world.translate(far, Vector3::x() * 0.001).unwrap();
    }
    assert_eq!(test.value::<Translation>(far).0.x, 1e5);
}

fn turned(rng: &mut Rng) -> Rotation {
    Rotation(rng.quaternion())
}

/// A size of 0 above two turns: the matrix of the child has an inverse, by rounding, in which
/// numbers are as great as 1e8. Nothing is placed by it: not what stands beside the plane, nor what
/// stands in it, whose place is right and whose axes would not be.
#[test]
fn below_what_is_flat_but_for_rounding_nothing_is_placed() {
    let edits = Edits::default().on_shear(OnShear::WriteMatrix);
    demand::each_seed(3_000, |seed| {
        let (mut test, rng) = (TestWorld::default(), &mut Rng::new(seed));
        let world = &mut test.world;
        let top = (turned(rng), NonUniformScale::new(1.0, 0.0, 1.0));
        let top = world.push_transform(top);
        let below = world.push_child(top, (turned(rng), NonUniformScale::new(-2.0, 2.0, 2.0)));
        let at = if rng.one_in(2) { Vector3::zeros() } else { Vector3::new(1.0, -1.0, -4.0) };
        let cup = world.push_transform((Translation(at.into()), Rotation::from_rotation_z(1.0)));
        let inner = world.push_child(below, (Translation::new(1.0, -1.0, -4.0),));
        test.run();
        let world = &mut test.world;
        let flat = |entity| EditError::ParentNotInvertible { entity, parent: below };
        assert_eq!(edits.set_parent(world, cup, below), Err(flat(cup)));
        // A move is right to a hundredth, where it is made at all.
        let place = |world: &World| TransformQuery::new(world).position(inner).unwrap();
        let (was, by) = (place(world), Vector3::new(1.0, 2.0, 3.0));
        match world.translate(inner, by) {
            Ok(()) => assert!((place(world) - was - by).norm() < 0.011),
            Err(error) => assert_eq!(error, flat(inner)),
        }
    });
}

/// In the plane of a flat parent that is turned, a child moves, also one with a matrix alone.
#[test]
fn in_the_plane_of_what_is_flat_a_matrix_moves() {
    let mut test = TestWorld::default();
    let turn = UnitQuaternion::from_euler_angles(0.3, 0.4, 0.5);
    let sheet = (Rotation(turn), NonUniformScale::new(2.0, 2.0, 0.0));
    let sheet = test.world.push_transform(sheet);
    let turned = UnitQuaternion::from_euler_angles(0.5, 0.1, 0.2).to_homogeneous();
    let link = (LocalToParent(turned), Parent(sheet), LocalToWorld::identity());
    let stamp = test.world.push(link);
    test.run();
    test.world.translate(stamp, turn * Vector3::new(4.0, 0.0, 0.0)).unwrap();
    let local = test.value::<LocalToParent>(stamp).0;
    assert!((local.column(3).xyz() - Vector3::new(2.0, 0.0, 0.0)).norm() < 1e-5, "{local}");
}

/// What stands where no edit would put it is a finding of `check`.
#[test]
fn check_names_what_edits_refuse() {
    let mut test = TestWorld::new(TransformSystemBundle::default().large_worlds());
    let it = System::new(&mut test);
    let far = |test: &TestWorld| {
        let found = Findings::check(&test.world);
        assert!(found.iter().all(|it| it.kind == FindingKind::FarAway), "{found:?}");
        let mut all: Vec<_> = found.iter().map(|it| it.entity).collect();
        all.sort_by_key(|entity| *entity != it.house);
        all
    };
    assert_eq!(far(&test), [it.depot]);
    test.world.set_transform(it.house, Transform::from_xyz(1e11, 0.0, 0.0)).unwrap();
    test.run();
    assert_eq!(far(&test), [it.house, it.depot]);
}
