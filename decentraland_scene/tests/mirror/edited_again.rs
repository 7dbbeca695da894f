//! Edits that say what the scene says already, or that were refused, and are made again with
//! another value: that one counts.

use crate::common::{encode, live::*};
use decentraland_scene::{apply::*, wire::*};
use legion_transform::prelude::*;

fn put(id: u32, timestamp: u32, transform: SceneTransform) -> Vec<u8> {
    let data = transform.to_bytes();
    let entity = EntityId(id);
    encode(&[Message::PutComponent { network: None, entity, component: 1, timestamp, data: &data }])
}

#[test]
fn a_value_that_the_scene_has_already_and_then_another() {
    for (sent_between, applied_between) in
        [(true, false), (true, true), (false, false), (false, true)]
    {
        let mut live = family();
        remote(&mut live, 513, 5, at(5.0, 1.0, 0.0, 512));
        live.set(513, Translation::new(5.0, 1.0, 0.0));
        if sent_between {
            assert_eq!(send(&mut live), EditReport::default());
        }
        if applied_between {
            live.update();
        }
        live.set(513, Translation::new(9.0, 1.0, 0.0));
        assert_eq!(send(&mut live).messages, put(513, 6, at(9.0, 1.0, 0.0, 512)));
        settled(&mut live);
        assert_eq!(live.get::<Translation>(513), Some(Translation::new(9.0, 1.0, 0.0)));
    }
}

#[test]
fn the_value_from_before_may_be_the_other_one() {
    let mut live = family();
    remote(&mut live, 513, 5, at(5.0, 1.0, 0.0, 512));
    live.set(513, Translation::new(5.0, 1.0, 0.0));
    assert_eq!(send(&mut live), EditReport::default());
    live.set(513, Translation::new(0.0, 1.0, 0.0));
    assert_eq!(send(&mut live).messages, put(513, 6, at(0.0, 1.0, 0.0, 512)));
    settled(&mut live);
}

#[test]
fn a_parent_that_the_scene_names_already_and_then_another() {
    let mut live = family();
    live.put(514, at(0.0, 0.0, 1.0, 0));
    live.put(515, at(0.0, 0.0, 2.0, 0));
    live.update();
    remote(&mut live, 515, 5, at(0.0, 0.0, 2.0, 512));
    for (parent, messages) in
        [(512, vec![]), (514, put(515, 6, at(0.0, 0.0, 2.0, 514))), (514, vec![])]
    {
        let parent = live.entity(parent);
        live.set(515, Parent(parent));
        live.set(515, LocalToParent::identity());
        assert_eq!(send(&mut live).messages, messages);
    }
    settled(&mut live);
}

#[test]
fn an_edit_that_says_the_same_is_shown_as_the_scene_says_it() {
    let mut live = family();
    // The same bytes, but the mirror shows a unit.
    let long = SceneTransform { rotation: [0.0, 0.0, 2.0, 0.0], ..at(0.0, 1.0, 0.0, 512) };
    remote(&mut live, 513, 5, long);
    let quaternion = nalgebra::Quaternion::new(0.0, 0.0, 0.0, 2.0);
    live.set(513, Rotation(nalgebra::UnitQuaternion::new_unchecked(quaternion)));
    assert_eq!(send(&mut live), EditReport::default());
    // Nothing that reads the table in between takes the user's value for the scene's.
    live.mirror.place(&mut live.world, local(513));
    settled(&mut live);
    assert_eq!(live.get::<Rotation>(513).unwrap().0.coords.norm(), 1.0);
}

#[test]
fn an_edit_of_the_dead_is_refused_with_every_new_value() {
    // Whether the death was applied: then the entity is there for its child only.
    for applied in [false, true] {
        let mut live = family();
        live.replica.delete_entity(local(512)).unwrap();
        if applied {
            live.update();
        }
        for x in [5.0, 9.0] {
            live.set(512, Translation::new(x, 0.0, 0.0));
            for refused in [1, 0] {
                let report = send(&mut live);
                assert_eq!((report.sent, report.refused.len()), (0, refused), "{applied} {x}");
            }
        }
        settled(&mut live);
        assert_eq!(live.position(513), [0.0, 1.0, 0.0]);
        for _ in 0..2 {
            live.set(512, Translation::new(9.0, 0.0, 0.0));
            assert_eq!(send(&mut live).refused.len(), 1);
            live.update();
            assert_eq!(live.position(513), [0.0, 1.0, 0.0]);
        }
        live.set(512, Translation::new(9.0, 0.0, 0.0));
        assert_eq!(send(&mut live).refused.len(), 1);
        // Undone by hand.
        live.set(512, Translation::new(0.0, 0.0, 0.0));
        assert_eq!(send(&mut live), EditReport::default());
        settled(&mut live);
    }
}

#[test]
fn an_edit_refused_for_its_timestamp_is_sent_where_a_new_value_can_be() {
    let mut live = family();
    remote(&mut live, 513, u32::MAX, at(5.0, 1.0, 0.0, 512));
    live.set(513, Translation::new(5.0, 1.0, 0.0));
    assert_eq!(send(&mut live), EditReport::default());
    for refused in [1, 0] {
        live.set(513, Translation::new(9.0, 1.0, 0.0));
        assert_eq!(send(&mut live).refused.len(), refused);
    }
    // Back to what the scene says.
    live.set(513, Translation::new(5.0, 1.0, 0.0));
    assert_eq!(send(&mut live), EditReport::default());
    live.set(513, Translation::new(9.0, 1.0, 0.0));
    assert_eq!(send(&mut live).refused.len(), 1);
}
