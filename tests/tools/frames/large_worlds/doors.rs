//! What lost its parent got a `Frame`, and gives it back when it gets a plain one. And the viewer,
//! who stays by his frame whatever he inherits.

use harness::TestWorld;
use legion::Entity;
use legion_transform::{
    components::{LocalToParent, RotationEulerXYZ},
    edit::EditError,
    frames::Frame,
    prelude::*,
    query::QueryError,
};
use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};

use super::{at, frame, large, see_from};

/// Where an entity is in a frame.
fn place(test: &TestWorld, entity: Entity, frame: Entity) -> Matrix4<f64> {
    TransformQuery::new(&test.world).in_frame(entity, frame).unwrap()
}

fn off(a: Matrix4<f64>, b: Matrix4<f64>) -> f64 {
    (a - b).amax()
}

/// A ship far away, a hand of another size in it, and a tool in that hand.
fn hand_with_tool(far: f64, size: f32) -> (TestWorld, [Entity; 3]) {
    let mut test = large();
    let ship = test.world.push_transform((at(far, 0.0, 0.0),));
    let hand = test.world.push_child(
        ship,
        (Translation::new(2.0, 0.0, 0.0), NonUniformScale::new(size, size, size)),
    );
    let tool = test.world.push_child(hand, (Translation::new(0.5, 0.0, 0.0),));
    see_from(&mut test, ship);
    test.run();
    (test, [ship, hand, tool])
}

#[test]
fn a_tool_is_let_go_of_and_grabbed_a_hundred_times() {
    for far in [0.0, 1e7, 1.5e11] {
        let (mut test, [ship, hand, tool]) = hand_with_tool(far, 1.0);
        for time in 0..100 {
            let was = place(&test, tool, ship);
            test.world.remove_parent(tool).unwrap(); // of the hand: a child of the ship
            assert!(!test.has::<Frame>(tool) && test.value::<Parent>(tool).0 == ship);
            test.world.remove_parent(tool).unwrap(); // of the ship: it has a frame of its own
            assert!(test.has::<Frame>(tool) && !test.has::<Translation>(tool));
            if time % 2 == 0 {
                test.run();
            }
            if time % 3 == 0 {
                test.world.insert_child(hand, 0, tool).unwrap();
            } else {
                test.world.set_parent(tool, hand).unwrap();
            }
            assert!(!test.has::<Frame>(tool), "it is the hand's again");
            let bound = 1e-6 + 4.0 * f64::EPSILON * far;
            assert!(off(place(&test, tool, ship), was) <= bound, "{time}, {far}");
            test.run();
        }
        // It follows the hand.
        let was = test.x(tool);
        test.set(hand, Translation::new(3.0, 0.0, 0.0));
        test.run();
        assert_eq!(test.x(tool), was + 1.0);
        assert_eq!(test.world.entry(tool).unwrap().get_component::<Children>().ok(), None);
    }
}

/// What stood beside the frame counted for nothing, and does so afterwards. The hand's size is
/// cancelled.
#[test]
fn a_frame_becomes_translation_rotation_and_what_cancels_a_scale() {
    let (mut test, [ship, hand, _]) = hand_with_tool(1e9, 4.0);
    let turn = UnitQuaternion::from_euler_angles(0.1, 0.2, 0.3);
    let pose = Frame { position: Point3::new(1e9 + 3.0, 0.0, 0.0), rotation: turn };
    let own = test.world.push_transform((pose, Translation::new(9.0, 9.0, 9.0), Scale(3.0)));
    test.put(own, RotationEulerXYZ::new(1.0, 1.0, 1.0));
    test.put(own, ParentScaleInverse::identity());
    let gem = test.world.push_child(own, (Translation::new(0.0, 1.0, 0.0),));
    test.run();
    let (was, gem_was) = (place(&test, own, ship), place(&test, gem, ship));
    test.world.set_parent(own, hand).unwrap();
    assert!(!test.has::<RotationEulerXYZ>(own) && !test.has::<ParentScaleInverse>(own));
    assert_eq!(test.value::<Scale>(own).0, 0.25);
    assert_eq!(test.value::<Translation>(own), Translation::new(0.25, 0.0, 0.0));
    assert!(test.value::<Rotation>(own).0.angle_to(&turn.cast()) < 1e-6);
    test.run();
    assert_eq!(test.told(), []);
    assert!(off(place(&test, own, ship), was) < 1e-6);
    assert!(off(place(&test, gem, ship), gem_was) < 1e-6);
    // One that has no place in a plane is refused, and keeps its frame.
    let (mut test, [_, hand, _]) = hand_with_tool(1e9, 1.0);
    test.set(hand, NonUniformScale::new(1.0, 1.0, 0.0));
    let own = test.world.push_transform((pose,));
    test.run();
    let refused = test.world.set_parent(own, hand);
    assert!(matches!(refused, Err(EditError::ParentNotInvertible { .. })), "{refused:?}");
    assert_eq!(frame(&test, own), pose);
}

/// A crane that is in no frame goes along with the viewer.
#[test]
fn a_frame_that_a_plain_root_gets_is_where_it_was_seen() {
    let mut test = large();
    let ship = test.world.push_transform((at(1e9, 0.0, 0.0),));
    let rock = test.world.push_transform((at(1e9 + 8.0, 0.0, 0.0),));
    let crane = test.at(5.0);
    see_from(&mut test, ship);
    test.run();
    test.world.set_parent(rock, crane).unwrap();
    assert_eq!(test.value::<Translation>(rock), Translation::new(3.0, 0.0, 0.0));
    test.run();
    assert_eq!((test.x(rock), test.x(crane)), (8.0, 5.0));
}

#[test]
fn a_frame_with_frames_below_it_is_kept() {
    for runs in [false, true] {
        let (mut test, [ship, hand, _]) = hand_with_tool(1e9, 1.0);
        let boat = test.world.push_child(ship, (at(1.0, 0.0, 0.0),));
        let deck = test.world.push_child(boat, (Translation::new(0.0, 1.0, 0.0),));
        let canoe = test.world.push_child(deck, (at(2.0, 0.0, 0.0),));
        if runs {
            test.run();
        }
        let refused = Err(EditError::FrameBelow { entity: boat, parent: hand, frame: canoe });
        assert_eq!(test.world.set_parent(boat, hand), refused);
        assert_eq!(test.world.insert_child(hand, 0, boat), refused);
        assert_eq!((frame(&test, boat), test.value::<Parent>(boat).0), (at(1.0, 0.0, 0.0), ship));
        // A parent with a frame is no obstacle, and who writes `Parent` means it.
        test.world.set_parent(boat, test.value::<Parent>(boat).0).unwrap();
        test.put(boat, Parent(hand));
        test.run();
        assert_eq!((frame(&test, boat), test.x(boat)), (at(1.0, 0.0, 0.0), 1.0));
        test.world.set_parent(boat, hand).unwrap(); // nothing changes: its parent is the hand
        assert!(test.has::<Frame>(boat));
        test.world.set_parent(boat, ship).unwrap();
        test.despawn(canoe);
        test.world.set_parent(boat, hand).unwrap();
        test.run();
        assert_eq!((test.has::<Frame>(boat), test.x(boat)), (false, 1.0));
        // A cycle is one, whatever has a frame.
        let refused = Err(EditError::Cycle { child: boat, parent: deck });
        assert_eq!(test.world.set_parent(boat, deck), refused);
    }
}

/// The viewer inherits nothing of his ship, and stays by it. What else inherits nothing goes along
/// with him.
#[test]
fn a_viewer_who_inherits_nothing_stays_by_his_ship() {
    for (between, frees) in [(false, 0), (true, 0), (true, 1), (false, 2), (true, 2)] {
        let mut test = large();
        let ship = test.world.push_transform((at(1e9, 0.0, 0.0),));
        let hand = test.world.push_child(ship, (Translation::new(3.0, 0.0, 0.0),));
        let nothing = |x| (Translation::new(x, 0.0, 0.0), Inherits::NOTHING);
        let seat = if between { test.world.push_child(ship, nothing(0.0)) } else { ship };
        let [eye, sign] = [1.0, 5.0].map(|x| test.world.push_child(seat, nothing(x)));
        see_from(&mut test, eye);
        test.run();
        assert_eq!([hand, eye, sign].map(|it| test.x(it)), [3.0, 1.0, 5.0]);
        match frees {
            0 => test.world.remove_parent(eye).unwrap(),
            1 => test.world.remove_parent(seat).unwrap(),
            _ => _ = test.world.detach_children(seat).unwrap(),
        }
        test.run();
        assert_eq!(test.x(hand) - test.x(eye), 2.0, "{between}, {frees}");
        assert_eq!(test.told(), []);
        test.world.remove_parent(sign).unwrap();
        assert!(!test.has::<Frame>(sign), "it goes along with the viewer");
    }
}

/// What inherits no place is in no frame, for queries and edits alike.
#[test]
fn what_inherits_no_place_is_in_no_frame() {
    let mut test = large();
    let ship = test.world.push_transform((at(1e9, 0.0, 0.0),));
    let sky = test.world.push_child(ship, (Translation::identity(), Inherits::NOTHING));
    let star = test.world.push_child(sky, (Translation::new(1.0, 0.0, 0.0),));
    test.run();
    for it in [sky, star] {
        let error = QueryError::NoFrame(it);
        assert_eq!(TransformQuery::new(&test.world).in_frame(ship, it), Err(error));
        let edited = Edits::default().in_frame(it).translate(&mut test.world, star, Vector3::x());
        assert_eq!(edited, Err(error.into()));
    }
    assert!(test.has::<LocalToParent>(star));
}
