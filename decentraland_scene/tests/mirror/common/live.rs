//! A replica, its world and the bundle.

use std::collections::BTreeMap;

use decentraland_scene::{apply::*, merge::*, wire::*};
use legion::{systems::Schedule, *};
use legion_transform::prelude::*;
use nalgebra::Matrix4;

pub struct Live {
    pub world: World,
    pub resources: Resources,
    pub schedule: Schedule,
    pub replica: Replica,
    pub mirror: Mirror,
    /// Somebody who gets what changes.
    pub peer: Connection,
}

impl Default for Live {
    fn default() -> Self {
        Self::new(MirrorOptions::default())
    }
}

impl Live {
    pub fn new(options: MirrorOptions) -> Self {
        let mut keeping_all = ReplicaOptions::default();
        keeping_all.keep_other_components = true;
        Self {
            world: World::default(),
            resources: Resources::default(),
            schedule: Schedule::builder().add_transforms(TransformSystemBundle::default()).build(),
            replica: Replica::new(keeping_all),
            mirror: Mirror::new(options),
            peer: Connection::new(Role::Peer),
        }
    }

    /// Applies what changed, and runs the bundle once.
    pub fn update(&mut self) -> ApplyReport {
        let report = self.mirror.apply(&mut self.replica, &mut self.world);
        self.run();
        report
    }

    pub fn run(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    pub fn put(&mut self, id: u32, transform: SceneTransform) {
        self.replica.put_transform(local(id), &transform).unwrap();
    }

    pub fn entity(&self, id: u32) -> Entity {
        self.mirror.entity(local(id)).unwrap_or_else(|| panic!("nothing stands for {id}"))
    }

    /// The world matrix of a scene entity.
    pub fn matrix(&self, id: u32) -> Matrix4<f32> {
        self.get::<LocalToWorld>(id).unwrap().0
    }

    pub fn position(&self, id: u32) -> [f32; 3] {
        let matrix = self.matrix(id);
        [matrix.m14, matrix.m24, matrix.m34]
    }

    pub fn get<T: storage::Component + Clone>(&self, id: u32) -> Option<T> {
        let entry = self.world.entry_ref(self.entity(id)).unwrap();
        entry.get_component::<T>().ok().cloned()
    }

    pub fn set<T: storage::Component>(&mut self, id: u32, component: T) {
        let entity = self.entity(id);
        self.world.entry(entity).unwrap().add_component(component);
    }

    pub fn remove<T: storage::Component>(&mut self, id: u32) {
        let entity = self.entity(id);
        self.world.entry(entity).unwrap().remove_component::<T>();
    }

    /// The bits of all world matrices.
    pub fn matrices(&self) -> BTreeMap<SceneEntity, [u32; 16]> {
        let matrix = |entity| {
            let entry = self.world.entry_ref(entity).unwrap();
            let matrix = entry.get_component::<LocalToWorld>().unwrap().0;
            std::array::from_fn(|i| matrix.as_slice()[i].to_bits())
        };
        self.mirror.entities().map(|(scene, entity)| (scene, matrix(entity))).collect()
    }
}

pub fn local(id: u32) -> SceneEntity {
    SceneEntity::local(EntityId(id))
}

/// At this place, below this parent.
pub fn at(x: f32, y: f32, z: f32, parent: u32) -> SceneTransform {
    SceneTransform { position: [x, y, z], parent: EntityId(parent), ..SceneTransform::IDENTITY }
}

pub fn put(scene: SceneEntity, component: u32, timestamp: u32, data: &[u8]) -> Message<'_> {
    let SceneEntity { network, entity } = scene;
    Message::PutComponent { network, entity, component, timestamp, data }
}

/// What another replica writes.
#[track_caller]
pub fn remote(live: &mut Live, id: u32, timestamp: u32, transform: SceneTransform) {
    let data = transform.to_bytes();
    let put = put(local(id), TRANSFORM, timestamp, &data);
    assert_eq!(live.replica.merge(&put, Role::Peer), Outcome::Accepted);
}

/// A world that begins with this state shows the same matrices.
#[track_caller]
pub fn settled(live: &mut Live) {
    live.update();
    let mut fresh = Live::default();
    fresh.replica.merge_bytes(&live.replica.dump(), Role::Host).unwrap();
    fresh.update();
    assert_eq!(live.matrices(), fresh.matrices());
}
