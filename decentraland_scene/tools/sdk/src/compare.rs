//! Whether all who talk have the same.

use std::collections::{BTreeMap, BTreeSet};

use decentraland_scene::{merge::*, wire::*};

use crate::{
    program::{BYTES, Program, SCENES},
    sdk::unhex,
};

/// What a scene of the SDK has: the writes of its components, and the entity that stands for each
/// of a network.
struct State {
    writes: BTreeMap<Key, (u32, Vec<u8>)>,
    locals: BTreeMap<SceneEntity, EntityId>,
}

impl State {
    fn of(program: &mut Program<'_>, at: usize) -> Self {
        let answer = program.sdk.say(&format!("dump {at}"));
        let (dump, removed) = answer.split_once(' ').expect("two parts");
        let ids = removed.split(',').filter_map(|id| id.parse().ok());
        let removed: BTreeSet<EntityId> = ids.map(EntityId).collect();
        let (mut writes, mut locals) = (BTreeMap::new(), BTreeMap::new());
        let dump = unhex(dump);
        for message in Reader::new(usize::MAX).read(&dump).expect("a dump") {
            let message = message.expect("a dump of the SDK");
            if let Message::PutComponent { entity, component, timestamp, data, .. } = message
                && !removed.contains(&entity)
            {
                let key = SceneEntity::local(entity).key(component);
                writes.insert(key, (timestamp, data.to_vec()));
                if component == NETWORK_ENTITY {
                    let named = NetworkEntity::from_bytes(data).expect("12 bytes");
                    locals.insert(named.into(), entity);
                }
            }
        }
        Self { writes, locals }
    }

    fn write(&self, entity: EntityId, component: u32) -> Option<&(u32, Vec<u8>)> {
        self.writes.get(&SceneEntity::local(entity).key(component))
    }
}

/// The entity that stands for one of a network in a scene of the SDK.
pub fn local(program: &mut Program<'_>, at: usize, name: SceneEntity) -> Option<u32> {
    State::of(program, at).locals.get(&name).map(|entity| entity.0)
}

/// Compares all. Returns how many values there were.
pub fn all(program: &mut Program<'_>) -> Result<usize, String> {
    let states = [0, 1].map(|at| State::of(program, at));
    let mut values = 0;
    for (at, state) in states.iter().enumerate() {
        let scene = &program.scenes[at];
        values += renderer(&scene.renderer, &scene.left_over, state)
            .map_err(|difference| format!("renderer {at}: {difference}"))?;
    }
    values += network(program, &states)?;
    Ok(values)
}

/// The last writes of a replica, deletions of components too.
fn writes(replica: &Replica) -> BTreeMap<Key, (u32, Option<Vec<u8>>)> {
    let dump = replica.dump();
    let mut reader = Reader::new(usize::MAX);
    let messages = reader.read(&dump).expect("a dump").map(|message| message.expect("a dump"));
    let write = |message: Message<'_>| {
        let is_put = matches!(message, Message::PutComponent { .. });
        let value = is_put.then(|| message.data().to_vec());
        Some((message.key()?, (message.timestamp()?, value)))
    };
    messages.filter_map(write).collect()
}

/// A scene and its renderer: the same components, with the same timestamps. The parents in
/// `Transform`s are those that are shown: a `NetworkParent` decides.
fn renderer(
    replica: &Replica,
    left_over: &BTreeSet<EntityId>,
    scene: &State,
) -> Result<usize, String> {
    let mut ours: BTreeMap<Key, (u32, Vec<u8>)> = BTreeMap::new();
    for (key, (timestamp, value)) in writes(replica) {
        ours.extend(value.map(|value| (key, (timestamp, value))));
    }
    ours.retain(|key, _| !left_over.contains(&key.entity));
    if let Some(key) = ours.keys().find(|key| !scene.writes.contains_key(key)) {
        return Err(format!("{key} is there, and not in the scene"));
    }
    for (key, theirs) in &scene.writes {
        let mut wanted = theirs.clone();
        let mut found = ours.get(key).cloned();
        if key.component == TRANSFORM {
            let parents = [&mut wanted, found.get_or_insert_default()].map(|(_, bytes)| {
                let parent = bytes.get(40..).and_then(|bytes| bytes.try_into().ok());
                bytes.truncate(40);
                parent.map(u32::from_le_bytes)
            });
            let named = scene.write(key.entity, NETWORK_PARENT).and_then(|(_, data)| {
                scene.write(key.entity, NETWORK_ENTITY)?;
                Some(SceneEntity::from(NetworkEntity::from_bytes(data)?))
            });
            let shown = replica.effective(key.scene_entity()).parent;
            let parent = match named {
                // Deleted since: the SDK has no parent for it that would be one.
                Some(named) if !scene.locals.contains_key(&named) => None,
                Some(named) => scene.locals.get(&named).map(|local| local.0),
                None => parents[0],
            };
            if parent.is_some_and(|parent| shown != SceneEntity::local(EntityId(parent))) {
                return Err(format!("{key} has the parent {shown}, and not {parent:?}"));
            }
        }
        if found.as_ref() != Some(&wanted) {
            return Err(format!("{key} is {found:?}, and in the scene {wanted:?}"));
        }
    }
    Ok(scene.writes.len())
}

/// The entities of networks: the same in both scenes and in our peer.
fn network(program: &Program<'_>, states: &[State; SCENES]) -> Result<usize, String> {
    let ours = writes(&program.peer);
    let mut values = 0;
    for &name in &program.synced {
        let locals = states.each_ref().map(|state| state.locals.get(&name).copied());
        let [Some(first), Some(second)] = locals else {
            return Err(format!("{name} is not in both scenes: {locals:?}"));
        };
        let plain = program.peer.local_entity(name);
        for component in [TRANSFORM, BYTES, NETWORK_PARENT] {
            let theirs = states[0].write(first, component);
            if theirs != states[1].write(second, component) {
                return Err(format!("component {component} of {name} differs in the two scenes"));
            }
            // Of the two names that an entity has in our peer, the later write counts.
            let names = [Some(name), plain].into_iter().flatten();
            let found = names.filter_map(|name| ours.get(&name.key(component)));
            let rank = |(timestamp, value): &&(u32, Option<Vec<u8>>)| {
                (*timestamp, value.clone().map(|value| (value.len(), value)))
            };
            let later = found.max_by_key(rank).cloned();
            let later = later.and_then(|(timestamp, value)| Some((timestamp, value?)));
            if later.as_ref() != theirs {
                return Err(format!(
                    "component {component} of {name} is {later:?}, and in the scenes {theirs:?}"
                ));
            }
            values += usize::from(theirs.is_some());
        }
    }
    Ok(values)
}
