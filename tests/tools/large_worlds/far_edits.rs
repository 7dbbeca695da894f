//! Edits and queries of what is in frames, far from where it is seen: as exact as beside it. And
//! what is set free there stays where it is.

use harness::TestWorld;
use legion::{Entity, system, systems::CommandBuffer, world::SubWorld};
use legion_transform::{
    edit::{EditError, FailedEdits},
    findings::Findings,
    frames::Frame,
    prelude::*,
    query::QueryError,
    read_transforms,
};
use nalgebra::{Isometry3, Matrix4, Point3, UnitQuaternion, Vector3};

use super::{at, frame, large, see_from};

const FAR: [f64; 5] = [0.0, 1e5, 1e7, 1e9, 1.5e11];

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
    within(2e-6, a, b);
}

fn within(bound: f64, a: Matrix4<f64>, b: Matrix4<f64>) {
    let off = (a - b).amax();
    assert!(off < bound, "{off}: {a} and not {b}");
}

#[test]
fn what_is_edited_in_a_ship_is_exact_at_any_distance() {
    for far in FAR {
        let mut it = Ship::new(far);
        let (deck, ship) = (it.deck, it.ship);
        let [lamp, door] = [10.3, -4.1].map(|x| it.put(deck, x));
        let (lamp_was, door_was) = (it.place(lamp), it.place(door));
        // The ship has flown on since the run: edits do not mind.
        let Frame { position, rotation } = frame(&it.test, ship);
        it.test.set(ship, Frame { position: position + Vector3::new(0.3, 0.0, 77.0), rotation });
        it.test.world.set_parent(lamp, ship).unwrap();
        it.test.world.insert_child(lamp, 0, door).unwrap();
        near(it.place(lamp), lamp_was);
        near(it.place(door), door_was);
        near(it.shown(lamp), lamp_was);
        near(it.shown(door), door_was);
        // What is given is in the space of the ship.
        let edits = Edits::default().in_frame(deck);
        let turn = UnitQuaternion::from_euler_angles(0.1, 2.0, 0.2);
        edits.rotate_around(&mut it.test.world, door, Point3::new(1.0, 2.0, 3.0), turn).unwrap();
        edits.rotate(&mut it.test.world, door, turn).unwrap();
        edits.translate(&mut it.test.world, door, Vector3::new(0.0, 0.001, 0.0)).unwrap();
        let spin = Isometry3::from_parts(Default::default(), turn);
        let to = Isometry3::translation(1.0, 2.0, 3.0);
        let around = (to * spin * to.inverse()).to_homogeneous().cast::<f64>();
        let mut wanted = around * door_was;
        let turned = spin.to_homogeneous().cast::<f64>() * wanted;
        wanted.fixed_view_mut::<3, 3>(0, 0).copy_from(&turned.fixed_view::<3, 3>(0, 0));
        wanted.m24 += 0.001;
        near(it.place(door), wanted);
        near(it.shown(door), wanted);
        let pose = Isometry3::from_parts([3.0, 0.0, -1.0].into(), turn);
        edits.set_local_to_world(&mut it.test.world, door, pose).unwrap();
        near(it.shown(door), pose.to_homogeneous().cast());
        edits.look_at(&mut it.test.world, door, Point3::new(3.0, 9.0, -1.0), Vector3::z()).unwrap();
        let looks = it.shown(door);
        near(
            looks,
            Matrix4::new(
                1.0, 0.0, 0.0, 3.0, //
                0.0, 0.0, 1.0, 0.0, //
                0.0, 1.0, 0.0, -1.0, //
                0.0, 0.0, 0.0, 1.0,
            )
            .map_with_location(|_, column, x| if column == 0 { -x } else { x }),
        );
    }
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
}

/// From one ship to another one, and out of what is in no frame.
#[test]
fn entities_go_from_frame_to_frame() {
    for far in FAR {
        let mut it = Ship::new(far);
        let other = at(far + 20.0, 0.0, 0.0);
        let other = it.test.world.push_transform((other,));
        let bay = it.test.world.push_child(other, (Translation::new(0.0, 0.5, 0.0), Scale(0.5)));
        let lamp = it.put(it.deck, 1.5);
        let was = it.place(lamp);
        let query = TransformQuery::new(&it.test.world);
        let between = query.between(lamp, bay).unwrap();
        it.test.world.set_parent(lamp, bay).unwrap();
        near(it.place(lamp), was);
        let local = TransformQuery::new(&it.test.world).local_to_parent(lamp).unwrap();
        assert!((local.0 - between).amax() < 1e-5, "{} and not {between}", local.0);
        near(it.shown(lamp), was);
        // What is in no frame is where it is seen.
        let sky = it.test.world.push_transform((Translation::new(2.0, 3.0, 4.0),));
        it.test.run();
        it.test.world.set_parent(sky, it.deck).unwrap();
        near(it.place(sky), Matrix4::new_translation(&Vector3::new(2.0, 3.0, 4.0)));
        let cloud = it.test.world.push_transform((Translation::new(0.0, 1.0, 0.0),));
        it.test.world.set_parent(sky, cloud).unwrap();
        let place = TransformQuery::new(&it.test.world).position(sky).unwrap();
        assert!((place - Point3::new(2.0, 3.0, 4.0)).amax() < 1e-6, "{place}");
        // In a frame it is edited by what is seen there.
        let edits = Edits::default().in_frame(it.ship);
        edits.translate(&mut it.test.world, sky, Vector3::x()).unwrap();
        near(it.place(sky), Matrix4::new_translation(&Vector3::new(3.0, 3.0, 4.0)));
    }
}

/// `LocalToWorld`, written back, leaves an entity where it is, bit for bit.
#[test]
fn what_is_seen_may_be_written_back() {
    for far in FAR {
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

/// Off a deck, a thing stands right in the ship. Set free of the ship, it is a frame of its own.
#[test]
fn what_is_set_free_stays_in_the_universe() {
    for far in FAR {
        let mut it = Ship::new(far);
        let (ship, deck) = (it.ship, it.deck);
        let [lamp, door, cable] = [1.0, 2.0, 3.0].map(|x| it.put(deck, x));
        let knob = it.put(door, 0.1);
        let was = [lamp, door, cable, knob].map(|entity| it.place(entity));
        let freed = it.test.world.detach_children(deck).unwrap();
        assert!(freed.len() == 3 && [lamp, door, cable].iter().all(|it| freed.contains(it)));
        assert!(
            [lamp, door, cable].iter().all(|entity| it.test.value::<Parent>(*entity).0 == ship)
        );
        assert_eq!(Walk::fresh(&it.test.world).unwrap().children(ship).count(), 4);
        it.test.world.remove_parent(door).unwrap();
        assert!(it.test.has::<Frame>(door) && !it.test.has::<Parent>(door));
        assert!(!it.test.has::<Translation>(door) && !it.test.has::<Rotation>(door));
        // At 1e11 m, an `f64` has steps of 0.02 mm.
        let bound = 2e-6 + 1e-15 * far;
        for (entity, was) in [lamp, door, cable, knob].into_iter().zip(was) {
            within(bound, it.place(entity), was);
            within(bound, it.shown(entity), was);
        }
        assert_eq!(it.test.told(), []);
        assert_eq!(Findings::check(&it.test.world), []);
        // A root does not change, and the ship leaves without it.
        let free = frame(&it.test, door);
        it.test.world.remove_parent(door).unwrap();
        it.test.set(ship, at(far + 9.0, 0.0, 0.0));
        assert_eq!(frame(&it.test, door), free);
        near(it.place(lamp), was[0]);
        // What stands on the deck again counts as before.
        it.test.world.set_parent(lamp, deck).unwrap();
        near(it.place(lamp), was[0]);
        assert_eq!(it.test.world.despawn_subtree(ship), 4);
    }
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
    it.test.world.set_transform(big, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    it.test.put(big, Translation::new(f32::NAN, 0.0, 0.0));
    let freed = it.test.world.remove_parent(big);
    assert!(matches!(freed, Err(EditError::NotFinite { entity, .. }) if entity == big));
}

/// A child that has axes of the world, one that has nothing of the parent's place, and one that a
/// component of the user's places.
#[test]
fn what_is_not_inherited_is_seen_from_the_origin() {
    #[derive(Clone, Copy)]
    struct Driven;
    for far in FAR {
        let mut it = Ship::new(far);
        let bundle = TransformSystemBundle::default().write_group::<LocalToWorld, Driven>();
        it.test = TestWorld { world: it.test.world, ..TestWorld::new(bundle.large_worlds()) };
        let upright = Inherits { rotation: false, ..Inherits::ALL };
        let put = |it: &mut Ship, parts: Inherits| {
            let thing = it.put(it.deck, 1.0);
            it.test.put(thing, parts);
            thing
        };
        let [mast, sign] =
            [upright, Inherits { scale: false, ..Inherits::ALL }].map(|parts| put(&mut it, parts));
        see_from(&mut it.test, it.ship);
        it.test.run();
        for thing in [mast, sign] {
            let was = it.place(thing);
            near(it.shown(thing), was);
            it.test.world.set_parent(thing, it.ship).unwrap();
            near(it.shown(thing), was);
            it.test.world.set_parent(thing, it.deck).unwrap();
            it.test.world.remove_parent(thing).unwrap();
            assert_eq!(it.test.value::<Parent>(thing).0, it.ship);
            near(it.shown(thing), was);
        }
        let sky = put(&mut it, Inherits { translation: false, ..Inherits::ALL });
        let driven = it.put(it.deck, 1.0);
        it.test.put(driven, Driven);
        let matrix = LocalToWorld(Matrix4::new_translation(&Vector3::new(3.0, 2.0, 1.0)));
        it.test.put(driven, matrix);
        it.test.run();
        let was = it.test.matrix(sky);
        for entity in [sky, driven] {
            it.test.world.remove_parent(entity).unwrap();
            assert!(!it.test.has::<Parent>(entity) && !it.test.has::<Frame>(entity));
        }
        near(it.shown(sky), was.cast());
        assert_eq!(it.test.matrix(driven), matrix.0);
    }
}

/// The new parent lacks `LocalToWorld`, and gets it in the edit.
#[test]
fn a_parent_without_a_matrix_gets_one_far_away() {
    for far in FAR {
        let mut it = Ship::new(far);
        let lamp = it.put(it.deck, 1.0);
        let was = it.place(lamp);
        let group = (LocalToParent::identity(), Parent(it.ship), Translation::new(0.1, 0.0, 0.0));
        let group = it.test.push(group);
        it.test.world.set_parent(lamp, group).unwrap();
        near(it.place(lamp), was);
        near(it.shown(lamp), was);
    }
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
