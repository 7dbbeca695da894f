//! Only what the user did is sent: nothing that the mirror or the bundle did, in whatever order
//! they ran.

use crate::common::{encode, live::*};
use decentraland_scene::{apply::*, merge::*, wire::*};
use legion_transform::{components::PreviousParent, prelude::*};

fn delete_entity(id: u32) -> Vec<u8> {
    encode(&[Message::DeleteEntity { network: None, entity: EntityId(id) }])
}

#[test]
fn what_the_mirror_removed_is_no_deletion() {
    for sent_between in [false, true] {
        let mut live = Live::default();
        live.put(512, at(1.0, 2.0, 3.0, 0));
        live.put(513, at(0.0, 0.0, 0.0, 512));
        live.update();
        remove_values(&mut live, 513);
        if sent_between {
            // Without them it is the identity, which it was before.
            assert_eq!(send(&mut live), EditReport::default());
        }
        remote(&mut live, 513, 9, at(0.0, 0.0, 0.0, 0));
        live.update();
        assert_eq!(send(&mut live), EditReport::default());
        assert!(matches!(
            live.replica.transform(local(513)),
            TransformState::Live { timestamp: 9, .. }
        ));
        settled(&mut live);
    }
}

#[test]
fn a_despawned_parent_sends_nothing_for_its_children_whenever_the_bundle_runs() {
    // The order of: r the bundle runs, s edits are sent, a the state is applied.
    for order in ["rsar", "sar", "srar", "arsar", "rarsar", "rsrarsar", "rrssaarr"] {
        let mut live = family();
        let parent = live.entity(512);
        live.world.remove(parent);
        let mut messages = Vec::new();
        for step in order.chars() {
            match step {
                'r' => live.run(),
                's' => messages.extend(send(&mut live).messages),
                _ => _ = live.mirror.apply(&mut live.replica, &mut live.world),
            }
        }
        messages.extend(send(&mut live).messages);
        assert_eq!(messages, delete_entity(512), "{order}");
        assert!(
            matches!(live.replica.transform(local(513)), TransformState::Live { timestamp: 1, .. }),
            "{order}"
        );
        settled(&mut live);
        assert_eq!(live.get::<Parent>(513), Some(Parent(parent)), "{order}");
    }
}

#[test]
fn a_parent_that_comes_back_before_its_death_was_sent_finds_its_children_again() {
    let mut live = family();
    let parent = live.entity(512);
    live.world.remove(parent);
    live.run();
    remote(&mut live, 512, 9, at(5.0, 0.0, 0.0, 0));
    live.update();
    assert_eq!(send(&mut live), EditReport::default());
    assert_eq!(live.position(513), [5.0, 1.0, 0.0]);
    settled(&mut live);
}

#[test]
fn children_of_a_despawned_parent_that_were_edited_send_their_own_edit_only() {
    let mut live = family();
    let parent = live.entity(512);
    live.set(513, Translation::new(7.0, 0.0, 0.0));
    live.world.remove(parent);
    live.run();
    let data = at(7.0, 0.0, 0.0, 512).to_bytes();
    let put = Message::PutComponent {
        network: None,
        entity: EntityId(513),
        component: 1,
        timestamp: 2,
        data: &data,
    };
    assert_eq!(send(&mut live).messages, [encode(&[put]), delete_entity(512)].concat());
    settled(&mut live);
}

#[test]
fn the_root_of_the_scene_may_go_too() {
    let mut world = legion::World::default();
    let root = world.push((LocalToWorld::identity(),));
    let mut options = MirrorOptions::default();
    options.root = Some(root);
    let mut live = Live::new(options);
    live.world = world;
    live.put(512, at(1.0, 2.0, 3.0, 513));
    live.put(513, at(0.0, 1.0, 0.0, 512));
    live.put(514, at(0.0, 1.0, 0.0, 0));
    live.update();
    live.world.remove(root);
    live.run();
    assert_eq!(send(&mut live), EditReport::default());
}

#[test]
fn a_refused_parent_that_dies_sends_nothing() {
    for scene_parent in [512, 0] {
        let mut live = family();
        live.put(514, at(0.0, 0.0, 1.0, scene_parent));
        live.update();
        let stranger = live.world.push((LocalToWorld::identity(),));
        live.set(514, Parent(stranger));
        live.set(514, LocalToParent::identity());
        assert_eq!(send(&mut live).refused.len(), 1);
        live.run();
        live.world.remove(stranger);
        live.run();
        assert_eq!(live.get::<Parent>(514), None);
        assert_eq!(send(&mut live), EditReport::default());
        assert!(matches!(
            live.replica.transform(local(514)),
            TransformState::Live { timestamp: 1, .. }
        ));
        // It hangs where the scene says again.
        settled(&mut live);
    }
}

#[test]
fn a_parent_removed_by_hand_is_an_edit_after_a_refused_one_too() {
    let mut live = family();
    let stranger = live.world.push((LocalToWorld::identity(),));
    live.set(513, Parent(stranger));
    assert_eq!(send(&mut live).refused.len(), 1);
    live.remove::<Parent>(513);
    live.remove::<LocalToParent>(513);
    assert_eq!(send(&mut live).sent, 1);
    settled(&mut live);
    assert_eq!(live.position(513), [0.0, 1.0, 0.0]);
}

#[test]
fn an_implicit_parent_gets_back_what_is_removed_by_hand() {
    let mut live = Live::default();
    live.put(513, at(0.0, 1.0, 0.0, 512));
    live.update();
    live.set(512, Translation::new(5.0, 0.0, 0.0));
    live.run();
    assert_eq!(live.position(513), [5.0, 1.0, 0.0]);
    remove_values(&mut live, 512);
    live.run();
    assert_eq!(send(&mut live), EditReport::default());
    settled(&mut live);
    assert_eq!(live.position(513), [0.0, 1.0, 0.0]);
}

#[test]
fn everything_of_the_mirror_s_comes_back() {
    type Removal = fn(&mut Live, u32);
    let removals: [(&str, Removal); 7] = [
        ("LocalToWorld", Live::remove::<LocalToWorld>),
        ("LocalToParent", Live::remove::<LocalToParent>),
        ("Translation", Live::remove::<Translation>),
        ("Rotation", Live::remove::<Rotation>),
        ("NonUniformScale", Live::remove::<NonUniformScale>),
        ("PreviousParent", Live::remove::<PreviousParent>),
        ("Children", Live::remove::<Children>),
    ];
    for (name, remove) in removals {
        // 512 is implicit; its child has values of the identity, so that nothing is edited.
        for id in [512, 513] {
            for run_first in [false, true] {
                let mut live = Live::default();
                live.put(513, at(0.0, 0.0, 0.0, 512));
                live.put(514, at(1.0, 0.0, 0.0, 513));
                live.update();
                remove(&mut live, id);
                if run_first {
                    live.run();
                }
                assert_eq!(send(&mut live), EditReport::default(), "{name} of {id}");
                settled(&mut live);
                assert_eq!(
                    live.get::<Parent>(514),
                    Some(Parent(live.entity(513))),
                    "{name} of {id}"
                );
            }
        }
    }
}

#[test]
fn a_removed_value_is_the_identity_on_both_sides() {
    let mut live = family();
    live.remove::<Translation>(513);
    live.run();
    assert_eq!(send(&mut live).sent, 1);
    settled(&mut live);
    assert_eq!(live.get::<Translation>(513), Some(Translation::new(0.0, 0.0, 0.0)));

    // All of them, where a parent stays.
    remove_values(&mut live, 513);
    live.run();
    settled(&mut live);
    assert_eq!(live.position(513), [1.0, 2.0, 3.0]);
}

#[test]
fn an_implicit_parent_that_is_despawned_comes_back() {
    let mut live = Live::default();
    live.put(513, at(0.0, 1.0, 0.0, 512));
    live.update();
    let implicit = live.entity(512);
    live.world.remove(implicit);
    live.run();
    assert_eq!(send(&mut live), EditReport::default());
    settled(&mut live);
    assert_eq!(live.get::<Parent>(513), Some(Parent(implicit)));
}

#[test]
fn a_refused_edit_is_told_once() {
    let mut live = family();
    let [stranger, other] = [0, 1].map(|_| live.world.push((LocalToWorld::identity(),)));
    for parent in [stranger, other] {
        live.set(513, Parent(parent));
        let kind = SendErrorKind::ParentOutsideScene { parent };
        let refused = SendError { scene: local(513), entity: live.entity(513), kind };
        assert_eq!(send(&mut live), EditReport { refused: vec![refused], ..EditReport::default() });
        assert_eq!(send(&mut live), EditReport::default());
        live.run();
        assert_eq!(send(&mut live), EditReport::default());
    }
    // Taken back and made again, it is told again.
    let parent = live.entity(512);
    live.set(513, Parent(parent));
    assert_eq!(send(&mut live), EditReport::default());
    live.set(513, Parent(stranger));
    assert_eq!(send(&mut live).refused.len(), 1);
    live.set(513, Parent(parent));

    // Timestamps that are used up.
    remote(&mut live, 513, u32::MAX, at(0.0, 1.0, 0.0, 512));
    live.update();
    for x in [5.0, 6.0] {
        live.set(513, Translation::new(x, 0.0, 0.0));
        assert_eq!(send(&mut live).refused.len(), 1);
        assert_eq!(send(&mut live), EditReport::default());
    }
}

#[test]
fn two_scales_are_a_finding() {
    let mut live = family();
    live.set(513, Scale(5.0));
    assert_eq!(send(&mut live).sent, 1);
    live.update();
    let kinds =
        |live: &Live| live.mirror.findings().iter().map(|finding| finding.kind).collect::<Vec<_>>();
    assert_eq!(kinds(&live), [SceneFindingKind::TwoScales]);
    assert!(live.mirror.findings()[0].to_string().contains("entity 513"));
    // As long as both are there.
    assert_eq!(send(&mut live), EditReport::default());
    assert_eq!(kinds(&live), [SceneFindingKind::TwoScales]);
    live.set(513, NonUniformScale::new(5.0, 5.0, 5.0));
    live.remove::<Scale>(513);
    assert_eq!(send(&mut live), EditReport::default());
    assert_eq!(kinds(&live), []);
    // A new scale from elsewhere replaces both.
    live.set(513, Scale(6.0));
    assert_eq!(send(&mut live).sent, 1);
    assert_eq!(kinds(&live), [SceneFindingKind::TwoScales]);
    remote(&mut live, 513, 9, SceneTransform { scale: [2.0; 3], ..at(0.0, 1.0, 0.0, 512) });
    live.update();
    assert_eq!(kinds(&live), []);
}

#[test]
fn edits_of_a_dead_parent_are_refused_and_undone() {
    let mut live = family();
    live.replica.delete_entity(local(512)).unwrap();
    live.update();
    live.set(512, Translation::new(5.0, 0.0, 0.0));
    live.run();
    for refused in [1, 0] {
        let report = send(&mut live);
        assert_eq!((report.sent, report.refused.len()), (0, refused));
    }
    settled(&mut live);
    assert_eq!(live.position(513), [0.0, 1.0, 0.0]);
}

#[test]
fn a_despawned_entity_that_may_not_be_deleted_comes_back() {
    let mut live = family();
    let player = at(0.0, 0.0, 0.0, 513).to_bytes();
    let component = TRANSFORM;
    let (entity, network) = (EntityId(100), None);
    let put = Message::PutComponent { network, entity, component, timestamp: 1, data: &player };
    live.replica.merge(&put, Role::Host);
    live.update();
    let entity = live.entity(100);
    live.world.remove(entity);
    live.run();
    let report = send(&mut live);
    let [SendError { kind: SendErrorKind::Refused(error), .. }] = report.refused[..] else {
        panic!("{report:?}")
    };
    assert_eq!((report.sent, error.kind), (0, WriteErrorKind::Reserved));
    settled(&mut live);
    assert_eq!(live.entity(100), entity);
}

#[test]
fn an_edit_of_an_entity_that_dies_before_it_was_applied_is_undone() {
    let mut live = Live::default();
    live.mirror.place(&mut live.world, local(513));
    live.update();
    live.set(513, Translation::new(5.0, 0.0, 0.0));
    assert_eq!(send(&mut live).sent, 1);
    live.replica.delete_entity(local(513)).unwrap();
    live.put(512, at(0.0, 1.0, 0.0, 513));
    // Another replica, to which it never was anything else.
    live.replica = live.replica.clone();
    live.update();
    assert_eq!(live.get::<Translation>(513), Some(Translation::new(0.0, 0.0, 0.0)));
    assert_eq!(live.position(512), [0.0, 1.0, 0.0]);
    settled(&mut live);
}

#[test]
fn an_edit_that_others_made_too_is_theirs() {
    let mut live = family();
    live.set(513, Translation::new(7.0, 0.0, 0.0));
    remote(&mut live, 513, 5, at(7.0, 0.0, 0.0, 512));
    assert_eq!(send(&mut live), EditReport::default());
    // Before it was applied, they change their mind.
    remote(&mut live, 513, 6, at(8.0, 0.0, 0.0, 512));
    assert_eq!(send(&mut live), EditReport::default());
    settled(&mut live);
    assert_eq!(live.get::<Translation>(513), Some(Translation::new(8.0, 0.0, 0.0)));
}
