//! What is measured: a replica, and the world that follows it.

use decentraland_scene::{
    apply::{Mirror, MirrorOptions},
    merge::{Connection, MergeReport, Replica, Role},
    wire::{EntityId, Reader, SceneEntity, SceneTransform},
};
use legion::{EntityStore, Resources, Schedule, World};
use legion_transform::{
    TransformBuilderExt, TransformSystemBundle,
    components::{LocalToWorld, Translation},
};
use std::time::{Duration, Instant};

pub struct Subject {
    replica: Replica,
    from: Connection,
    mirror: Mirror,
    world: World,
    resources: Resources,
    schedule: Schedule,
}

impl Subject {
    /// One that has merged `before` and shows it.
    pub fn after(before: &[u8]) -> Self {
        Self::new(World::default(), MirrorOptions::default(), before)
    }

    /// Likewise, below an entity of the host's.
    pub fn below_root(before: &[u8]) -> Self {
        let mut world = World::default();
        let mut options = MirrorOptions::default();
        options.root = Some(world.push((LocalToWorld::identity(),)));
        Self::new(world, options, before)
    }

    fn new(world: World, options: MirrorOptions, before: &[u8]) -> Self {
        let mut subject = Self {
            replica: Replica::default(),
            from: Connection::new(Role::Peer),
            mirror: Mirror::new(options),
            world,
            resources: Resources::default(),
            schedule: Schedule::builder().add_transforms(TransformSystemBundle::default()).build(),
        };
        subject.merge(before, &mut MergeReport::default());
        subject.apply();
        subject.run();
        subject
    }

    /// Parses and merges; the corrections are written too.
    ///
    /// The report is the caller's to keep, as it is in a program that merges again and again.
    pub fn merge(&mut self, batch: &[u8], report: &mut MergeReport) {
        report.corrections.clear();
        for piece in batch.chunks(Reader::DEFAULT_LIMIT) {
            self.replica.receive(&mut self.from, piece, report).expect("a good stream");
        }
    }

    /// Moves entities in the world, reads them, writes them into the replica and applies that.
    /// Returns the times for the last three.
    pub fn edit(&mut self, count: u32, x: f32, by_hand: bool) -> [Duration; 3] {
        let Self { replica, mirror, world, .. } = self;
        let scenes = || (512..512 + count).map(|id| SceneEntity::local(EntityId(id)));
        for scene in scenes() {
            let entity = mirror.entity(scene).expect("it is there");
            let mut entry = world.entry(entity).expect("it is there");
            *entry.get_component_mut().expect("it has one") = Translation::new(x, 1.0, 0.0);
        }
        let start = Instant::now();
        let read = |scene| {
            if !by_hand {
                return mirror.transform_of(world, scene).expect("it is there");
            }
            let entry = mirror.entity(scene).and_then(|entity| world.entry_ref(entity).ok());
            let entry = entry.expect("it is there");
            let place = entry.get_component::<Translation>().expect("it has one");
            let position = place.0.vector.into();
            SceneTransform { position, ..SceneTransform::IDENTITY }
        };
        let transforms: Vec<SceneTransform> = scenes().map(read).collect();
        let read = start.elapsed();
        for (scene, transform) in scenes().zip(&transforms) {
            replica.put_transform(scene, transform).expect("the scene's own");
        }
        let put = start.elapsed();
        mirror.apply(replica, world);
        [read, put - read, start.elapsed() - put]
    }

    /// Brings the components up to date.
    pub fn apply(&mut self) {
        self.mirror.apply(&mut self.replica, &mut self.world);
    }

    /// Brings the matrices up to date.
    pub fn run(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }
}
