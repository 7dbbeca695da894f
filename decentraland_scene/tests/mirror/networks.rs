//! Entities of networks in the world: parents, entities that are one, and edits of them.

use crate::common::{encode, live::*};
use decentraland_scene::{apply::*, merge::*, wire::*};
use legion_transform::prelude::*;

fn there(id: u32) -> SceneEntity {
    SceneEntity::networked(9, EntityId(id))
}

fn reference(id: u32) -> [u8; 12] {
    NetworkEntity { network: 9, entity: EntityId(id) }.to_bytes()
}

fn position(live: &Live, scene: SceneEntity) -> [f32; 3] {
    [12, 13, 14].map(|place| f32::from_bits(live.matrices()[&scene][place]))
}

fn send(live: &mut Live) -> EditReport {
    live.mirror.send_edits(&mut live.replica, &live.world)
}

fn edit<T: legion::storage::Component>(live: &mut Live, scene: SceneEntity, component: T) {
    let entity = live.mirror.entity(scene).unwrap();
    live.world.entry(entity).unwrap().add_component(component);
}

fn put(scene: SceneEntity, component: u32, timestamp: u32, data: &[u8]) -> Message<'_> {
    let SceneEntity { network, entity } = scene;
    Message::PutComponent { network, entity, component, timestamp, data }
}

fn merge(live: &mut Live, messages: &[Message<'_>]) {
    let report = live.replica.merge_bytes(&encode(messages), Role::Peer).unwrap();
    assert_eq!(report.accepted, messages.len() as u64);
}

#[test]
fn a_plain_parent_of_a_networked_entity_is_the_plain_entity() {
    let mut live = Live::default();
    live.put(512, at(1.0, 0.0, 0.0, 0));
    live.replica.put_transform(there(512), &at(7.0, 0.0, 0.0, 0)).unwrap();
    live.replica.put_transform(there(513), &at(0.0, 1.0, 0.0, 512)).unwrap();
    live.replica.put_transform(there(514), &at(0.0, 0.0, 1.0, 1)).unwrap();
    live.update();
    assert_ne!(live.mirror.entity(there(512)), live.mirror.entity(local(512)));
    assert_eq!(position(&live, there(513)), [1.0, 1.0, 0.0]);
    // A reserved parent is the player of this program.
    edit(&mut live, SceneEntity::PLAYER, Translation::new(5.0, 0.0, 0.0));
    live.update();
    assert_eq!(position(&live, there(514)), [5.0, 0.0, 1.0]);
    assert_eq!(send(&mut live), EditReport::default());
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
    assert_eq!(send(&mut live), EditReport::default());
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
    // An edit goes to the one whose Transform is the later, as others know it.
    live.set(700, Translation::new(9.0, 0.0, 0.0));
    let expected = at(9.0, 0.0, 0.0, 0).to_bytes();
    assert_eq!(send(&mut live).messages, encode(&[put(there(500), TRANSFORM, 3, &expected)]));
    live.update();
    assert_eq!(live.position(702), [11.0, 0.0, 0.0]);
    // Despawned, it dies for all.
    let entity = live.entity(700);
    live.world.remove(entity);
    let plain = Message::DeleteEntity { network: None, entity: EntityId(700) };
    let networked = Message::DeleteEntity { network: Some(9), entity: EntityId(500) };
    assert_eq!(send(&mut live).messages, encode(&[plain, networked]));
    live.update();
    assert_eq!([701, 702].map(|id| live.position(id)[0]), [1.0, 2.0]);
}

#[test]
fn an_edit_of_one_that_turns_out_to_be_another_keeps_the_rest() {
    let mut live = Live::default();
    let place = SceneTransform { scale: [2.0; 3], ..at(1.0, 0.0, 0.0, 3) };
    live.replica.put_transform(there(500), &place).unwrap();
    live.update();
    // Between the edit and its sending, a plain entity turns out to be the same one.
    edit(&mut live, there(500), Translation::new(9.0, 0.0, 0.0));
    merge(&mut live, &[put(local(700), NETWORK_ENTITY, 1, &reference(500))]);
    let moved = SceneTransform { position: [9.0, 0.0, 0.0], ..place }.to_bytes();
    assert_eq!(send(&mut live).messages, encode(&[put(there(500), TRANSFORM, 2, &moved)]));
    live.update();
    assert_eq!(live.position(700), [9.0, 0.0, 0.0]);
    assert!(live.mirror.entity(there(500)).is_none());
    // Likewise a deletion.
    let gone = Message::DeleteComponent {
        network: None,
        entity: EntityId(700),
        component: NETWORK_ENTITY,
        timestamp: 2,
    };
    merge(&mut live, &[gone]);
    live.update();
    let entity = live.mirror.entity(there(500)).unwrap();
    let mut entry = live.world.entry(entity).unwrap();
    entry.remove_component::<Translation>();
    entry.remove_component::<Rotation>();
    entry.remove_component::<NonUniformScale>();
    entry.remove_component::<Parent>();
    merge(&mut live, &[put(local(700), NETWORK_ENTITY, 3, &reference(500))]);
    assert_eq!(send(&mut live).sent, 1);
    live.update();
    assert_eq!(live.replica.transform(there(500)), TransformState::Deleted { timestamp: 3 });
}

#[test]
fn a_new_parent_is_sent_so_that_all_understand_it() {
    let mut live = synced();
    // Of an entity of the network: by NetworkParent.
    let to_first = live.entity(700);
    live.set(702, Parent(to_first));
    let first = reference(500);
    let by_network = put(local(702), NETWORK_PARENT, 2, &first);
    assert_eq!(send(&mut live).messages, encode(&[by_network]));
    live.update();
    assert_eq!(live.position(702)[0], 2.0);
    assert_eq!(send(&mut live), EditReport::default());
    // Of none: the NetworkParent goes.
    live.remove::<Parent>(702);
    let entity = EntityId(702);
    let (network, component) = (None, NETWORK_PARENT);
    let gone = Message::DeleteComponent { network, entity, component, timestamp: 3 };
    assert_eq!(send(&mut live).messages, encode(&[gone]));
    live.update();
    assert_eq!(live.position(702)[0], 1.0);
    // Below one that is not synced, a plain entity is so by number.
    live.put(512, at(20.0, 0.0, 0.0, 0));
    live.update();
    let unsynced = live.entity(512);
    live.set(702, Parent(unsynced));
    let below = at(1.0, 0.0, 0.0, 512).to_bytes();
    assert_eq!(send(&mut live).messages, encode(&[put(local(702), TRANSFORM, 2, &below)]));
    live.update();
    assert_eq!(live.position(702)[0], 21.0);
    // An entity of a network cannot be below it: others have another 512.
    live.replica.put_transform(there(40), &at(0.0, 0.0, 0.0, 0)).unwrap();
    live.update();
    edit(&mut live, there(40), Parent(unsynced));
    let report = send(&mut live);
    let outside = SendErrorKind::ParentOutsideScene { parent: unsynced };
    assert_eq!(report.refused.iter().map(|error| error.kind).collect::<Vec<_>>(), [outside]);
    assert_eq!(report.sent, 0);
}

#[test]
fn a_host_moves_players_by_their_components() {
    let mut options = ReplicaOptions::default();
    options.role = Role::Host;
    let mut live = Live { replica: Replica::new(options), ..Live::default() };
    live.mirror.place(&mut live.world, SceneEntity::PLAYER);
    live.put(40, at(1.0, 0.0, 0.0, 0));
    live.update();
    edit(&mut live, SceneEntity::PLAYER, Translation::new(5.0, 0.0, 0.0));
    live.set(40, Translation::new(6.0, 0.0, 0.0));
    let [player, other] = [5.0, 6.0].map(|x| at(x, 0.0, 0.0, 0).to_bytes());
    let expected = [put(local(1), TRANSFORM, 1, &player), put(local(40), TRANSFORM, 2, &other)];
    assert_eq!(send(&mut live).messages, encode(&expected));
    // The same stream in a scene: it follows, and sends no edits of players.
    let mut scene = Live::default();
    scene.replica.merge_bytes(&encode(&expected), Role::Host).unwrap();
    scene.update();
    assert_eq!(scene.position(40), [6.0, 0.0, 0.0]);
    scene.set(40, Translation::new(7.0, 0.0, 0.0));
    assert_eq!(send(&mut scene), EditReport::default());
    // Who leaves goes from both worlds.
    let gone = live.replica.delete_entity(local(40)).unwrap();
    let gone = encode(&[gone]);
    scene.replica.merge_bytes(&gone, Role::Host).unwrap();
    for live in [&mut live, &mut scene] {
        assert_eq!(live.update().despawned, 1);
        assert_eq!(live.mirror.entity(local(40)), None);
    }
}
