//! Components that were removed by hand: what never was in the world is not deleted, and what the
//! bundle took away is nobody's edit.

use crate::common::{encode, live::*};
use decentraland_scene::{apply::*, merge::*, wire::*};
use legion_transform::prelude::*;

/// A scene below an entity of the host's: 512 has a `Transform` that was deleted, 513 is there only
/// as the parent of 514.
fn below_a_root() -> Live {
    let mut world = legion::World::default();
    let mut options = MirrorOptions::default();
    options.root = Some(world.push((LocalToWorld::identity(), Translation::new(9.0, 0.0, 0.0))));
    let mut live = Live { world, ..Live::new(options) };
    live.put(512, at(1.0, 0.0, 0.0, 0));
    live.put(514, at(0.0, 1.0, 0.0, 513));
    live.update();
    remote_delete(&mut live, 512, 2);
    live.update();
    live
}

#[test]
fn a_node_without_transform_hangs_off_the_root_again() {
    for id in [512, 513] {
        let mut live = below_a_root();
        strip(&mut live, id);
        live.run();
        assert_eq!(send(&mut live), EditReport::default(), "{id}");
        live.update();
        assert_eq!(live.position(id), [9.0, 0.0, 0.0], "{id}");
        assert_eq!(send(&mut live), EditReport::default(), "{id}");
    }
}

#[test]
fn a_parent_that_others_write_is_not_overwritten_by_one_that_was_stripped() {
    // The order of: s edits are sent, a the state is applied, m the others' message is merged.
    for order in ["sms", "smas", "sams", "samas", "ma", "mas", "amas", "sasmsas"] {
        for id in [512, 513] {
            // With values of the identity, only missing components differ.
            for (x, parent) in [(0.0, 0), (0.0, 514), (7.0, 0), (7.0, 515)] {
                let mut live = below_a_root();
                strip(&mut live, id);
                for step in order.chars() {
                    match step {
                        's' => assert_eq!(send(&mut live), EditReport::default(), "{order} {id}"),
                        'm' => remote(&mut live, id, 9, at(x, 0.0, 0.0, parent)),
                        _ => _ = live.update(),
                    }
                }
                live.update();
                assert_eq!(send(&mut live), EditReport::default(), "{order} {id} {x} {parent}");
                let mut fresh = below_a_root();
                fresh.replica.merge_bytes(&live.replica.dump(), Role::Peer).unwrap();
                fresh.update();
                assert_eq!(live.matrices(), fresh.matrices(), "{order} {id} {x} {parent}");
            }
        }
    }
}

#[test]
fn a_parent_removed_below_the_root_is_still_the_root() {
    let mut live = below_a_root();
    live.put(515, at(1.0, 0.0, 0.0, 0));
    live.update();
    for id in [512, 513, 515] {
        live.remove::<Parent>(id);
        live.remove::<LocalToParent>(id);
        // Before it is sent, others move it below another.
        remote(&mut live, id, 9, at(2.0, 0.0, 0.0, 600));
    }
    assert_eq!(send(&mut live), EditReport::default());
    live.update();
    assert_eq!(send(&mut live), EditReport::default());
    for id in [512, 513, 515] {
        assert_eq!(live.get::<Parent>(id), Some(Parent(live.entity(600))));
    }
}

#[test]
fn what_others_deleted_cannot_be_deleted_by_hand() {
    // The order of: x the others' deletion is merged, p their new value, h everything is removed by
    // hand, s edits are sent, a the state is applied.
    for order in [
        "xhsps", "xhspas", "xahsps", "xahspas", "xhasps", "xhaspas", "xahps", "xahpas", "xhsaps",
        "xhsapas", "xhaps", "xhapas", "hxaps", "hxapas", "hxsps", "hxspas",
    ] {
        for (x, parent) in [(0.0, 0), (0.0, 512), (7.0, 0), (7.0, 512)] {
            let mut live = Live::default();
            live.put(512, at(1.0, 2.0, 3.0, 0));
            live.put(513, at(0.0, 1.0, 0.0, parent));
            live.update();
            for step in order.chars() {
                match step {
                    'x' => remote_delete(&mut live, 513, 5),
                    'p' => remote(&mut live, 513, 9, at(x, 0.0, 0.0, parent)),
                    'h' => strip(&mut live, 513),
                    's' => assert_eq!(send(&mut live), EditReport::default(), "{order} {x}"),
                    _ => _ = live.update(),
                }
            }
            settled(&mut live);
            let state = live.replica.transform(local(513));
            assert!(matches!(state, TransformState::Live { timestamp: 9, .. }), "{order} {x}");
        }
    }
}

#[test]
fn stripped_after_the_deletion_was_seen_it_is_deleted_again() {
    let mut live = Live::default();
    live.put(513, at(0.0, 1.0, 0.0, 0));
    live.update();
    remote_delete(&mut live, 513, 5);
    strip(&mut live, 513);
    assert_eq!(send(&mut live), EditReport::default());
    remote(&mut live, 513, 9, at(2.0, 0.0, 0.0, 0));
    live.update();
    // This one was in the world.
    strip(&mut live, 513);
    let delete = Message::DeleteComponent {
        network: None,
        entity: EntityId(513),
        component: 1,
        timestamp: 10,
    };
    assert_eq!(send(&mut live).messages, encode(&[delete]));
    settled(&mut live);
}

#[test]
fn children_of_a_parent_without_matrix_that_dies_send_nothing() {
    // The order of: r the bundle runs, s edits are sent, a the state is applied, d the parent's
    // death is merged.
    for order in ["rda", "rdas", "rsda", "drsa", "rsdras", "dra", "rdar", "rads"] {
        let mut live = Live::default();
        live.put(512, at(1.0, 2.0, 3.0, 0));
        live.put(513, at(0.0, 1.0, 0.0, 512));
        live.update();
        live.remove::<LocalToWorld>(512);
        for step in order.chars() {
            match step {
                'r' => live.run(),
                's' => assert_eq!(send(&mut live), EditReport::default(), "{order}"),
                'd' => {
                    let death = Message::DeleteEntity { network: None, entity: EntityId(512) };
                    assert_eq!(live.replica.merge(&death, Role::Peer), Outcome::Accepted);
                }
                _ => _ = live.mirror.apply(&mut live.replica, &mut live.world),
            }
        }
        assert_eq!(send(&mut live), EditReport::default(), "{order}");
        settled(&mut live);
        assert_eq!(live.get::<Parent>(513), Some(Parent(live.entity(512))), "{order}");
    }
}
