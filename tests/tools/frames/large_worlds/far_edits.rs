//! Edits and queries of what is in frames, far from where it is seen: what they answer, refuse, and
//! leave. How exact they are, `edits_keep_meaning` judges.

use harness::TestWorld;
use legion::{Entity, system, systems::CommandBuffer, world::SubWorld};
use legion_transform::{
    edit::{EditError, FailedEdits},
    frames::Frame,
    prelude::*,
    query::QueryError,
    read_transforms,
};
use nalgebra::{Isometry3, Matrix4, UnitQuaternion, Vector3};

use super::{at, frame, large, see_from};

/// A ship so far away, with a deck; both are turned. The world is seen from its own origin.
struct Ship {
    test: TestWorld,
    ship: Entity,
    deck: Entity,
}

impl Ship {
    fn new(x: f64) -> Self {
        let mut test = large();
        let rotation = UnitQuaternion::from_euler_angles(0.5, 1.0, -0.7);
        let ship = test.world.push_transform((Frame { rotation, ..at(x, 3.0, -7.0) },));
        let turn = Rotation(UnitQuaternion::from_euler_angles(0.3, -0.2, 0.9));
        let deck = test.world.push_child(ship, (Translation::new(0.0, 2.0, 0.0), turn));
        test.run();
        Self { test, ship, deck }
    }

    fn put(&mut self, parent: Entity, x: f32) -> Entity {
        let thing = (Translation::new(x, 1.2, 5.7), Rotation::from_rotation_z(x));
        self.test.world.push_child(parent, thing)
    }

    /// Where an entity is in the ship.
    fn place(&self, entity: Entity) -> Matrix4<f64> {
        TransformQuery::new(&self.test.world).in_frame(entity, self.ship).unwrap()
    }

    /// The same, as a run shows it from the ship.
    fn shown(&mut self, entity: Entity) -> Matrix4<f64> {
        see_from(&mut self.test, self.ship);
        self.test.run();
        self.test.matrix(entity).cast()
    }
}

fn near(a: Matrix4<f64>, b: Matrix4<f64>) {
    let off = (a - b).amax();
    assert!(off < 2e-6, "{off}: {a} and not {b}");
}

/// What lies between is fine, also if only one of the two is in a frame.
#[test]
fn what_is_in_no_frame_is_as_near() {
    let mut test = large();
    let place = Translation::new(1e7, 0.0, 0.0);
    let outside = test.world.push_transform((place,));
    let ship = test.world.push_transform((Frame::from_xyz(1e7, 0.0, 0.0),));
    let inside = test.world.push_child(ship, (Translation::new(0.3, 0.0, 0.0),));
    test.run();
    let query = TransformQuery::new(&test.world);
    assert_eq!(query.between(inside, outside).unwrap().m14, 0.3);
    assert_eq!(query.between(outside, inside).unwrap().m14, -0.3);
    // From one frame to another one, 10 km from there.
    let other = test.world.push_transform((Frame::from_xyz(1e7 + 10_000.3, 0.0, 0.0),));
    test.set(inside, Translation::new(10_000.0, 0.0, 0.0));
    test.world.set_parent(inside, other).unwrap();
    assert_eq!(test.value::<Translation>(inside).x, -0.3);
}

/// `LocalToWorld`, written back, leaves an entity where it is, bit for bit.
#[test]
fn what_is_seen_may_be_written_back() {
    for far in [0.0, 1e5, 1e7, 1e9, 1.5e11] {
        let mut it = Ship::new(far);
        let lamp = it.put(it.deck, 0.7);
        it.test.run();
        let was = it.test.value::<Translation>(lamp);
        let seen = it.test.matrix(lamp);
        it.test.world.set_local_to_world(lamp, seen).unwrap();
        let seen = it.place(lamp).cast::<f32>();
        Edits::default()
            .in_frame(it.ship)
            .set_local_to_world(&mut it.test.world, lamp, seen)
            .unwrap();
        assert_eq!(it.test.value::<Translation>(lamp), was);
    }
}

/// Off a deck, things stand right in the ship. Set free of the ship, one is a frame of its own, and
/// what stands on it goes along.
#[test]
fn what_is_set_free_stays_in_the_universe() {
    let mut it = Ship::new(1e7);
    let (ship, deck) = (it.ship, it.deck);
    let [lamp, door] = [1.0, 2.0].map(|x| it.put(deck, x));
    let knob = it.put(door, 0.1);
    let was = [lamp, door, knob].map(|entity| it.place(entity));
    assert_eq!(it.test.world.detach_children(deck).unwrap().len(), 2);
    assert!([lamp, door].iter().all(|entity| it.test.value::<Parent>(*entity).0 == ship));
    it.test.world.remove_parent(door).unwrap();
    assert!(it.test.has::<Frame>(door) && !it.test.has::<Parent>(door));
    assert!(!it.test.has::<Translation>(door) && !it.test.has::<Rotation>(door));
    for (entity, was) in [lamp, door, knob].into_iter().zip(was) {
        near(it.place(entity), was);
        near(it.shown(entity), was);
    }
    assert_eq!(it.test.told(), []);
    // A root does not change, and the ship leaves without it.
    let free = frame(&it.test, door);
    it.test.world.remove_parent(door).unwrap();
    it.test.set(ship, at(9.0, 0.0, 0.0));
    assert_eq!(frame(&it.test, door), free);
}

#[test]
fn what_no_frame_can_hold_stays_below_its_frame() {
    let mut it = Ship::new(1e9);
    let ship = it.ship;
    let lamp = it.put(ship, 1.0);
    let big = it.test.world.push_child(it.deck, (Translation::new(1.0, 0.0, 0.0), Scale(2.0)));
    let was = it.place(big);
    it.test.world.remove_parent(big).unwrap();
    near(it.place(big), was);
    assert_eq!(it.test.value::<Scale>(big), Scale(2.0));
    let error = EditError::Scaled { entity: big, frame: ship };
    assert_eq!(it.test.world.remove_parent(big), Err(error));
    assert!(error.to_string().contains("no frame can hold"));
    assert_eq!(it.test.world.detach_children(ship), Err(error));
    assert_eq!(it.test.value::<Parent>(lamp).0, ship, "all or none");
    near(it.place(big), was);
    it.test.set(big, Scale(-1.0));
    assert_eq!(it.test.world.remove_parent(big), Err(error), "nor what is mirrored");
    it.test.world.set_transform(big, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    it.test.put(big, Translation::new(f32::NAN, 0.0, 0.0));
    let freed = it.test.world.remove_parent(big);
    assert!(matches!(freed, Err(EditError::NotFinite { entity, .. }) if entity == big));
}

/// The new parent lacks `LocalToWorld`, and gets it in the edit.
#[test]
fn a_parent_without_a_matrix_gets_one_far_away() {
    let mut it = Ship::new(1.5e11);
    let lamp = it.put(it.deck, 1.0);
    let was = it.place(lamp);
    let group = (LocalToParent::identity(), Parent(it.ship), Translation::new(0.1, 0.0, 0.0));
    let group = it.test.push(group);
    it.test.world.set_parent(lamp, group).unwrap();
    near(it.place(lamp), was);
    near(it.shown(lamp), was);
}

#[test]
fn without_a_frame_to_be_in_there_is_an_error() {
    let mut it = Ship::new(1e7);
    let sky = it.test.world.push_transform((Translation::identity(),));
    let lamp = it.put(it.deck, 1.0);
    let dead = it.test.push((1,));
    it.test.despawn(dead);
    let step = Vector3::x();
    for (space, error) in [(sky, QueryError::NoFrame(sky)), (dead, QueryError::Dead(dead))] {
        let edits = Edits::default().in_frame(space).print_failed(false);
        let edited = edits.translate(&mut it.test.world, lamp, step);
        assert_eq!(edited, Err(EditError::Query(error)));
        let query = TransformQuery::new(&it.test.world);
        assert_eq!(query.in_frame(lamp, space), Err(error));
        // Nothing is given to these.
        edits.set_parent(&mut it.test.world, lamp, it.ship).unwrap();
        edits.set_transform(&mut it.test.world, lamp, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
        let mut commands = CommandBuffer::new(&it.test.world);
        edits.translate(&mut commands, lamp, step);
        edits.set_parent(&mut commands, lamp, it.deck);
        commands.flush(&mut it.test.world, &mut it.test.resources);
        let mut failed = it.test.resources.get_mut::<FailedEdits>().unwrap();
        assert_eq!(failed.drain().collect::<Vec<_>>(), [EditError::Query(error)]);
    }
    assert!(QueryError::NoFrame(sky).to_string().contains("add a Frame"));
    let mut commands = CommandBuffer::new(&it.test.world);
    let edits = Edits::default().in_frame(it.ship);
    edits.set_local_to_world(&mut commands, lamp, Isometry3::identity());
    commands.flush(&mut it.test.world, &mut it.test.resources);
    near(it.place(lamp), Matrix4::identity());
}

struct Asks([Entity; 3], Vec<Result<f64, QueryError>>);

fn ask(world: &SubWorld<'_>, asks: &mut Asks) {
    let (query, [a, b, frame]) = (TransformQuery::new(world), asks.0);
    let between = query.between(a, b).map(|it| f64::from(it.m14));
    asks.1 = vec![between, query.in_frame(a, frame).map(|it| it.m14)];
}

read_transforms! {
    #[system]
    fn ask_all(world: &SubWorld<'_>, #[resource] asks: &mut Asks) {
        ask(world, asks);
    }
}

#[system]
#[read_component(LocalToWorld)]
#[read_component(LocalToParent)]
#[read_component(Parent)]
#[read_component(Translation)]
#[read_component(Children)]
#[read_component(Inherits)]
#[read_component(Rotation)]
#[read_component(Scale)]
#[read_component(NonUniformScale)]
fn ask_without_frames(world: &SubWorld<'_>, #[resource] asks: &mut Asks) {
    ask(world, asks);
}

/// In a system, only the way from one frame to another needs access to frames.
#[test]
fn systems_ask_what_lies_between_frames() {
    let mut test = large();
    let ship = test.world.push_transform((at(1e9, 0.0, 0.0),));
    let other = test.world.push_transform((at(1e9 + 8.0, 0.0, 0.0),));
    let [a, b, c] = [(ship, 0.25), (ship, 0.5), (other, 0.5)]
        .map(|(to, x)| test.world.push_child(to, (Translation::new(x, 0.0, 0.0),)));
    let mut answers = |asked, schedule: &mut legion::Schedule| {
        test.resources.insert(Asks(asked, Vec::new()));
        schedule.execute(&mut test.world, &mut test.resources);
        test.resources.remove::<Asks>().unwrap().1
    };
    let mut all = legion::Schedule::builder().add_system(ask_all_system()).build();
    let mut few = legion::Schedule::builder().add_system(ask_without_frames_system()).build();
    assert_eq!(answers([a, b, ship], &mut all), [Ok(-0.25), Ok(0.25)]);
    assert_eq!(answers([a, b, ship], &mut few), [Ok(-0.25), Ok(0.25)]);
    assert_eq!(answers([a, c, other], &mut all), [Ok(-8.25), Ok(-7.75)]);
    let denied = answers([a, c, other], &mut few);
    for answer in denied {
        let Err(QueryError::MissingAccess { component: Some(component), .. }) = answer else {
            panic!("{answer:?}")
        };
        assert!(component.ends_with("Frame"), "{component}");
    }
}
