//! One of the two sides that the driver drives.

use std::collections::HashMap;

use decentraland_scene::{apply::*, merge::*, wire::*};
use legion::{
    Entity, IntoQuery, World, component,
    query::{Read, TryRead},
};
use legion_transform::prelude::*;

use super::{super::live::*, bytes::Bytes};

/// One of the two sides.
pub struct Side {
    pub live: Live,
    pub inbox: Vec<Vec<u8>>,
    pub below_root: bool,
}

impl Side {
    pub fn new(limits: Limits, below_root: bool) -> Self {
        let mut world = World::default();
        let mut options = MirrorOptions::default();
        if below_root {
            options.root = Some(world.push((LocalToWorld::identity(),)));
        }
        let mut keeping_all = ReplicaOptions::default();
        keeping_all.keep_other_components = true;
        keeping_all.limits = limits;
        let live = Live { world, replica: Replica::new(keeping_all), ..Live::new(options) };
        Self { live, inbox: Vec::new(), below_root }
    }

    /// Applies what changed: the user's values stay.
    pub fn apply(&mut self) {
        let before = self.overridden();
        self.live.mirror.apply(&mut self.live.replica, &mut self.live.world);
        for (entity, values) in self.overridden() {
            assert!(before.get(&entity).is_none_or(|before| *before == values), "{entity:?}");
        }
    }

    /// The values of what is moved by hand, as text. (What the host places is its own.)
    fn overridden(&self) -> HashMap<Entity, String> {
        type Values = (
            Entity,
            Read<SceneNode>,
            TryRead<Translation>,
            TryRead<Scale>,
            TryRead<NonUniformScale>,
        );
        let mut query = <Values>::query().filter(component::<LocalOverride>());
        let values = query.iter(&self.live.world);
        let values = values.filter(|(_, node, ..)| !node.scene.is_reserved());
        values.map(|(entity, _, x, s, n)| (*entity, format!("{x:?} {s:?} {n:?}"))).collect()
    }

    pub fn merge(&mut self, bytes: &[u8]) -> Vec<u8> {
        let merged = self.live.replica.merge_bytes(bytes, Role::Peer);
        let report = merged.unwrap_or_else(|broken| *broken.report);
        let usage = self.live.replica.usage();
        assert_eq!(usage.bytes, self.live.replica.dump().len());
        report.corrections
    }

    /// A Legion entity of the scene.
    fn any_entity(&self, bytes: &mut Bytes<'_>) -> Option<(SceneEntity, Entity)> {
        let scene = bytes.scene();
        let entity = self.live.mirror.entity(scene)?;
        self.live.world.contains(entity).then_some((scene, entity))
    }

    /// An edit by hand, which is written into the replica. Returns its message.
    pub fn edit(&mut self, bytes: &mut Bytes<'_>) -> Vec<u8> {
        let (what, entity) = (bytes.below(12), self.any_entity(bytes));
        let other = self.any_entity(bytes);
        let Some((scene, entity)) = entity else { return Vec::new() };
        let Live { mirror, replica, world, .. } = &mut self.live;
        let stranger =
            (what == 8 && bytes.below(2) == 0).then(|| world.push((LocalToWorld::identity(),)));
        let mut entry = world.entry(entity).expect("it is there");
        let was_overridden = entry.get_component::<LocalOverride>().is_ok();
        match what {
            0 | 1 => entry.add_component(Translation::new(bytes.number(), bytes.number(), 0.0)),
            2 => {
                entry.add_component(Rotation::from_euler_angles(0.0, f32::from(bytes.next()), 0.0))
            }
            3 => entry.add_component(NonUniformScale::new(bytes.number(), 1.0, 1.0)),
            4 => entry.add_component(Scale(bytes.number())),
            5 => entry.remove_component::<Translation>(),
            6 => {
                entry.remove_component::<NonUniformScale>();
                entry.remove_component::<Scale>();
            }
            7 => {
                entry.remove_component::<Parent>();
                entry.remove_component::<LocalToParent>();
            }
            8 | 9 => {
                if let Some(parent) = stranger.or(other.map(|(_, parent)| parent)) {
                    entry.add_component(Parent(parent));
                    entry.add_component(LocalToParent::identity());
                }
            }
            10 if was_overridden => {
                entry.remove_component::<LocalOverride>();
                return Vec::new();
            }
            10 => {
                entry.add_component(LocalOverride);
                return Vec::new();
            }
            _ => _ = world.remove(entity),
        }
        let mut out = Vec::new();
        let written = match mirror.transform_of(world, scene) {
            Ok(transform) => replica.put_transform(scene, &transform),
            Err(TransformError::NotInWorld { .. }) => replica.delete_entity(scene),
            Err(error) => {
                assert!(matches!(error, TransformError::ParentOutsideScene { .. }), "{error}");
                return out;
            }
        };
        if let Ok(message) = written {
            message.write(&mut out).expect("a short message");
        }
        out
    }

    /// A write through the replica; returns its message.
    pub fn write(&mut self, bytes: &mut Bytes<'_>) -> Vec<u8> {
        let (what, scene) = (bytes.below(10), bytes.scene());
        let SceneEntity { network, entity } = bytes.scene();
        let named = NetworkEntity { network: network.unwrap_or(1), entity }.to_bytes();
        let replica = &mut self.live.replica;
        let result = match what {
            0 => replica.delete_transform(scene),
            1 => replica.delete_entity(scene),
            2 => replica.put(scene.key(9), &[what; 5][..usize::from(bytes.below(6))]),
            3 => {
                let components = [9, NETWORK_ENTITY, NETWORK_PARENT];
                replica.delete(scene.key(components[usize::from(bytes.below(3))]))
            }
            4 => replica.append(scene.entity, 9, &[7]),
            5 => match replica.new_entity() {
                Ok(new) => replica.put_transform(
                    new,
                    &SceneTransform { parent: scene.entity, ..SceneTransform::IDENTITY },
                ),
                Err(_) => return Vec::new(),
            },
            6 => replica.put(scene.key(NETWORK_ENTITY), &named),
            7 => replica.put(scene.key(NETWORK_PARENT), &named),
            _ => replica.put_transform(scene, &bytes.transform()),
        };
        let mut out = Vec::new();
        if let Ok(message) = result {
            message.write(&mut out).expect("a short message");
        }
        out
    }

    /// Starts anew in some way.
    pub fn restart(&mut self, bytes: &mut Bytes<'_>) {
        let Live { mirror, replica, world, .. } = &mut self.live;
        match bytes.below(4) {
            0 => _ = mirror.clear(world),
            1 => *replica = replica.clone(),
            2 => _ = mirror.place(world, SceneEntity::PLAYER),
            _ => _ = mirror.place(world, bytes.scene()),
        }
    }

    /// Ends all overrides.
    pub fn tidy(&mut self) {
        self.apply();
        let mut query = <Entity>::query().filter(component::<LocalOverride>());
        let marked: Vec<Entity> = query.iter(&self.live.world).copied().collect();
        for entity in marked {
            self.live.world.entry(entity).expect("there").remove_component::<LocalOverride>();
        }
        self.live.update();
    }
}
