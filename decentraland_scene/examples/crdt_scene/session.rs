//! A replica and the world that shows it.

use decentraland_scene::{
    apply::{Handedness, Mirror, MirrorOptions},
    merge::{Connection, MergeReport, Replica, Role},
    wire::{Fault, Reader, SceneEntity},
};
use legion::*;
use legion_transform::{components::PreviousParent, prelude::*};
use nalgebra::Matrix4;

pub struct Session {
    pub world: World,
    pub resources: Resources,
    pub replica: Replica,
    pub mirror: Mirror,
    schedule: Schedule,
}

impl Default for Session {
    fn default() -> Self {
        // The page's space is right-handed.
        let mut options = MirrorOptions::default();
        options.handedness = Handedness::Right;
        Self {
            world: World::default(),
            resources: Resources::default(),
            replica: Replica::default(),
            mirror: Mirror::new(options),
            schedule: Schedule::builder().add_transforms(TransformSystemBundle::default()).build(),
        }
    }
}

impl Session {
    /// Merges a file, up to where its messages end if they are broken off.
    pub fn merge(&mut self, file: &[u8]) -> (MergeReport, Option<Fault>) {
        let mut report = MergeReport::default();
        // A file has what the scene is made of, players too.
        let from = &mut Connection::with_reader(Role::Host, Reader::new(usize::MAX));
        let ended = self.replica.receive(from, file, &mut report).err();
        (report, ended)
    }

    /// Brings the world and its matrices up to date.
    pub fn show(&mut self) {
        self.mirror.apply(&mut self.replica, &mut self.world);
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    /// The entities in the world, in order.
    pub fn scene_entities(&self) -> Vec<SceneEntity> {
        let mut entities: Vec<SceneEntity> =
            self.mirror.entities().map(|(scene, _)| scene).collect();
        entities.sort_unstable();
        entities
    }

    /// The parent that an entity has in the world: none on a cycle.
    pub fn parent(&self, scene: SceneEntity) -> Option<SceneEntity> {
        let parent = self.component::<PreviousParent>(scene)?.parent()?;
        let entry = self.world.entry_ref(parent).ok()?;
        entry.get_component::<decentraland_scene::apply::SceneNode>().ok().map(|node| node.scene)
    }

    /// The world matrix; zero where there is no such entity (yet).
    pub fn matrix(&self, scene: SceneEntity) -> Matrix4<f32> {
        self.component::<LocalToWorld>(scene).map_or_else(Matrix4::zeros, |matrix| matrix.0)
    }

    fn component<T: storage::Component + Clone>(&self, scene: SceneEntity) -> Option<T> {
        let entry = self.world.entry_ref(self.mirror.entity(scene)?).ok()?;
        entry.get_component::<T>().ok().cloned()
    }
}
