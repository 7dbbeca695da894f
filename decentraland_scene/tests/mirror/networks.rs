//! Entities of networks in the world: parents, entities that are one, and edits of them.

use crate::common::{encode, live::*};
use decentraland_scene::{merge::*, wire::*};
use legion_transform::prelude::*;

fn there(id: u32) -> SceneEntity {
    SceneEntity::networked(9, EntityId(id))
}

fn reference(id: u32) -> [u8; 12] {
    NetworkEntity { network: 9, entity: EntityId(id) }.to_bytes()
}

fn merge(live: &mut Live, messages: &[Message<'_>]) {
    let report = live.replica.merge_bytes(&encode(messages), Role::Peer).unwrap();
    assert_eq!(report.accepted, messages.len() as u64);
}

/// A synced hierarchy as a scene sends it to its renderer: three plain entities of a network, tied
/// by `NetworkParent`s, whose Transforms all name the root.
fn synced() -> Live {
    let mut live = Live::default();
    let translation = at(1.0, 0.0, 0.0, 0).to_bytes();
    for id in [700, 701, 702] {
        let name = reference(id - 200);
        merge(&mut live, &[put(local(id), TRANSFORM, 1, &translation)]);
        merge(&mut live, &[put(local(id), NETWORK_ENTITY, 1, &name)]);
        if id > 700 {
            merge(&mut live, &[put(local(id), NETWORK_PARENT, 1, &reference(id - 201))]);
        }
    }
    live.update();
    live
}

#[test]
fn a_synced_hierarchy_is_not_flat() {
    let mut live = synced();
    let places = |live: &Live| [700, 701, 702].map(|id| live.position(id)[0]);
    assert_eq!(places(&live), [1.0, 2.0, 3.0]);
    // The parent of the whole is another entity from now on.
    live.replica.delete(local(701).key(NETWORK_PARENT)).unwrap();
    live.update();
    assert_eq!(places(&live), [1.0, 1.0, 2.0]);
    // The entity that stands for the parent changes.
    live.put(600, at(10.0, 0.0, 0.0, 0));
    merge(&mut live, &[put(local(600), NETWORK_ENTITY, 1, &reference(501))]);
    live.update();
    assert_eq!(places(&live), [1.0, 1.0, 11.0]);
    live.replica.delete_entity(local(600)).unwrap();
    live.update();
    assert_eq!(places(&live), [1.0, 1.0, 2.0]);
}

#[test]
fn two_that_are_one_are_one_entity() {
    let mut live = synced();
    let entities = live.mirror.entities().count();
    let moved = at(4.0, 0.0, 0.0, 0).to_bytes();
    merge(&mut live, &[put(there(500), TRANSFORM, 2, &moved)]);
    live.update();
    assert_eq!(live.mirror.entities().count(), entities);
    assert_eq!([700, 701, 702].map(|id| live.position(id)[0]), [4.0, 5.0, 6.0]);
    // An edit of the plain one is the later.
    live.set(700, Translation::new(9.0, 0.0, 0.0));
    let edited = live.mirror.transform_of(&live.world, local(700)).unwrap();
    live.put(700, edited);
    assert_eq!(live.replica.effective(local(700)).source, local(700));
    live.update();
    assert_eq!(live.position(702), [11.0, 0.0, 0.0]);
    // Deleted in its network, it dies here.
    live.replica.delete_entity(there(500)).unwrap();
    live.update();
    assert_eq!([701, 702].map(|id| live.position(id)[0]), [1.0, 2.0]);
}
