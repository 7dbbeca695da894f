//! Edits of components, sent as messages.

use crate::common::{encode, live::*};
use decentraland_scene::{apply::*, merge::*, wire::*};
use legion_transform::prelude::*;

/// Two at the root, a child below the first, everything sent and applied.
fn scene() -> Live {
    scene_in(MirrorOptions::default())
}

fn scene_in(options: MirrorOptions) -> Live {
    let mut live = Live::new(options);
    live.put(512, at(1.0, 2.0, 3.0, 0));
    live.put(513, SceneTransform { rotation: [0.0, 0.0, 2.0, 0.0], ..at(0.0, 1.0, 0.0, 512) });
    live.put(514, at(0.0, 0.0, 1.0, 0));
    live.update();
    let _ = live.replica.delta(&mut live.peer);
    assert_eq!(send(&mut live), EditReport::default());
    live
}

fn put(id: u32, timestamp: u32, transform: SceneTransform) -> Vec<u8> {
    let data = transform.to_bytes();
    encode(&[Message::PutComponent {
        network: None,
        entity: EntityId(id),
        component: 1,
        timestamp,
        data: &data,
    }])
}

fn sent(messages: Vec<u8>) -> EditReport {
    EditReport { messages, sent: 1, ..EditReport::default() }
}

#[test]
fn an_edit_is_sent_once_and_what_was_not_edited_as_it_came() {
    let mut live = scene();
    live.set(513, Translation::new(0.0, 9.0, 0.0));
    // The rotation in the world is a unit, the one on the wire is not, and stays.
    let expected = SceneTransform { rotation: [0.0, 0.0, 2.0, 0.0], ..at(0.0, 9.0, 0.0, 512) };
    assert_eq!(send(&mut live), sent(put(513, 2, expected)));
    assert_eq!(send(&mut live), EditReport::default());
    assert_eq!(live.replica.delta(&mut live.peer), put(513, 2, expected));
    // Our own edit comes back from the merge and changes nothing.
    assert_eq!(live.update(), ApplyReport { changed: 1, ..ApplyReport::default() });
    assert_eq!(live.position(513), [1.0, 11.0, 3.0]);
}

#[test]
fn every_part_can_be_edited() {
    let mut live = scene();
    live.set(514, Rotation::from_euler_angles(0.0, std::f32::consts::PI, 0.0));
    live.set(514, NonUniformScale::new(2.0, 3.0, 4.0));
    let rotation = live.get::<Rotation>(514).unwrap().0.coords.into();
    let expected = SceneTransform { rotation, scale: [2.0, 3.0, 4.0], ..at(0.0, 0.0, 1.0, 0) };
    assert_eq!(send(&mut live), sent(put(514, 2, expected)));
    // A uniform scale wins over the other, as in the bundle, until the scene has another one.
    live.set(514, Scale(5.0));
    assert_eq!(send(&mut live), sent(put(514, 3, SceneTransform { scale: [5.0; 3], ..expected })));
    live.put(514, SceneTransform { scale: [7.0; 3], ..expected });
    live.update();
    assert_eq!((live.get::<Scale>(514), live.matrix(514).m22), (None, 7.0));
    assert_eq!(send(&mut live), EditReport::default());
}

#[test]
fn a_new_parent_is_sent() {
    let mut live = scene();
    let parent = live.entity(513);
    live.set(514, Parent(parent));
    live.set(514, LocalToParent::identity());
    assert_eq!(send(&mut live), sent(put(514, 2, at(0.0, 0.0, 1.0, 513))));
    assert_eq!(live.update().written, 0);
    // To the root.
    let child = live.entity(514);
    let mut entry = live.world.entry(child).unwrap();
    entry.remove_component::<Parent>();
    entry.remove_component::<LocalToParent>();
    assert_eq!(send(&mut live), sent(put(514, 3, at(0.0, 0.0, 1.0, 0))));
    live.update();
    assert_eq!(live.position(514), [0.0, 0.0, 1.0]);
}

#[test]
fn a_parent_outside_the_scene_is_refused_and_the_rest_is_sent() {
    let mut live = scene();
    let stranger = live.world.push((LocalToWorld::identity(),));
    live.set(514, Parent(stranger));
    live.set(514, LocalToParent::identity());
    live.set(514, Translation::new(5.0, 0.0, 0.0));
    let kind = SendErrorKind::ParentOutsideScene { parent: stranger };
    let refused = SendError { scene: local(514), entity: live.entity(514), kind };
    let report = send(&mut live);
    assert_eq!(
        report,
        EditReport { refused: vec![refused], ..sent(put(514, 2, at(5.0, 0.0, 0.0, 0))) }
    );
    assert!(refused.to_string().contains("entity 514"), "{refused}");
    // It is told once, and nothing is sent again.
    assert_eq!(send(&mut live), EditReport::default());
}

#[test]
fn without_any_part_the_transform_is_deleted() {
    let mut live = scene();
    let entity = live.entity(513);
    let mut entry = live.world.entry(entity).unwrap();
    entry.remove_component::<Translation>();
    entry.remove_component::<Rotation>();
    entry.remove_component::<NonUniformScale>();
    entry.remove_component::<Parent>();
    entry.remove_component::<LocalToParent>();
    let delete = Message::DeleteComponent {
        network: None,
        entity: EntityId(513),
        component: 1,
        timestamp: 2,
    };
    assert_eq!(send(&mut live), sent(encode(&[delete])));
    assert_eq!(send(&mut live), EditReport::default());
    live.update();
    assert_eq!(live.position(513), [0.0; 3]);
    assert_eq!(send(&mut live), EditReport::default());
    // A part of it again, and it is written again.
    live.set(513, Translation::new(4.0, 0.0, 0.0));
    assert_eq!(send(&mut live), sent(put(513, 3, at(4.0, 0.0, 0.0, 0))));
}

#[test]
fn a_despawned_entity_is_deleted_from_the_scene() {
    let mut live = scene();
    let entity = live.entity(512);
    live.world.remove(entity);
    let delete = Message::DeleteEntity { network: None, entity: EntityId(512) };
    assert_eq!(send(&mut live), sent(encode(&[delete])));
    assert_eq!(send(&mut live), EditReport::default());
    live.update();
    // Its child has a parent with the identity now.
    assert_eq!(live.position(513), [0.0, 1.0, 0.0]);
    assert_eq!(send(&mut live), EditReport::default());
}

#[test]
fn a_despawned_entity_comes_back_with_the_next_change_if_it_was_not_sent() {
    let mut live = scene();
    let entity = live.entity(514);
    live.world.remove(entity);
    live.put(514, at(3.0, 0.0, 0.0, 512));
    live.update();
    assert_eq!((live.entity(514), live.position(514)), (entity, [4.0, 2.0, 3.0]));
}

#[test]
fn an_unclean_edit_is_sent_as_it_is_and_cleaned_here() {
    let mut live = scene();
    live.set(514, Translation::new(f32::NAN, 1.0, 1.0));
    let report = send(&mut live);
    assert_eq!(report.messages, put(514, 2, at(f32::NAN, 1.0, 1.0, 0)));
    live.update();
    assert_eq!(live.position(514), [0.0, 1.0, 1.0]);
    assert_eq!(live.mirror.findings().len(), 2);
    assert_eq!(send(&mut live), EditReport::default());
}

#[test]
fn edits_go_back_to_the_scene_s_hand() {
    let mut options = MirrorOptions::default();
    options.handedness = Handedness::Right;
    let mut live = scene_in(options);
    live.set(514, Translation::new(1.0, 2.0, 3.0));
    assert_eq!(send(&mut live), sent(put(514, 2, at(1.0, 2.0, -3.0, 0))));
    live.set(514, Rotation::from_euler_angles(0.0, 0.5, 0.0));
    let [x, y, z, w]: [f32; 4] = live.get::<Rotation>(514).unwrap().0.coords.into();
    let expected = SceneTransform { rotation: [-x, -y, z, w], ..at(1.0, 2.0, -3.0, 0) };
    assert_eq!(send(&mut live), sent(put(514, 3, expected)));
}

#[test]
fn the_entities_may_be_named() {
    let mut live = scene();
    for id in [512, 513] {
        live.set(id, Translation::new(9.0, 0.0, 0.0));
    }
    let edited = [local(512), local(514), local(999)];
    let report = live.mirror.send_edits_of(&mut live.replica, &live.world, edited);
    assert_eq!(report, sent(put(512, 2, at(9.0, 0.0, 0.0, 0))));
    let gone = live.entity(514);
    live.world.remove(gone);
    let report = live.mirror.send_edits_of(&mut live.replica, &live.world, [local(514)]);
    assert_eq!(report.sent, 1);
    assert_eq!(live.replica.transform(local(514)), TransformState::Dead);
}

#[test]
fn an_edit_that_cannot_be_counted_is_refused() {
    let mut live = scene();
    let bytes = at(0.0, 0.0, 1.0, 0).to_bytes();
    live.replica.merge(
        &Message::PutComponent {
            network: None,
            entity: EntityId(514),
            component: 1,
            timestamp: u32::MAX,
            data: &bytes,
        },
        Role::Peer,
    );
    live.update();
    live.set(514, Translation::new(5.0, 0.0, 0.0));
    let report = send(&mut live);
    let [SendError { kind: SendErrorKind::Refused(error), .. }] = report.refused[..] else {
        panic!("{report:?}")
    };
    assert_eq!((report.sent, error.kind), (0, WriteErrorKind::TimestampExhausted));
}

#[test]
fn edits_on_both_sides_merge() {
    let (mut ours, mut theirs) = (scene(), scene());
    ours.set(512, Translation::new(5.0, 0.0, 0.0));
    theirs.set(512, Translation::new(6.0, 0.0, 0.0));
    theirs.set(513, Translation::new(0.0, 7.0, 0.0));
    let (from_us, from_them) = (send(&mut ours), send(&mut theirs));
    ours.replica.merge_bytes(&from_them.messages, Role::Peer).unwrap();
    theirs.replica.merge_bytes(&from_us.messages, Role::Peer).unwrap();
    ours.update();
    theirs.update();
    assert_eq!(ours.replica.dump(), theirs.replica.dump());
    assert_eq!(ours.matrices(), theirs.matrices());
    // 5.0 is 0000a040 and 6.0 is 0000c040: the larger bytes win.
    assert_eq!(ours.position(512), [6.0, 0.0, 0.0]);
    assert_eq!(
        (send(&mut ours), send(&mut theirs)),
        (EditReport::default(), EditReport::default())
    );
}
