//! What is measured: a replica, and the world that follows it. Steps return their nanoseconds.

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

use crate::{
    batches::spread,
    clock::{nanoseconds, timed},
};

pub struct Subject {
    replica: Replica,
    from: Connection,
    /// Kept, as it is in a program that merges again and again.
    report: MergeReport,
    mirror: Mirror,
    world: World,
    resources: Resources,
    schedule: Schedule,
}

impl Subject {
    /// One that follows a scene of this size.
    pub fn sized(entities: u32) -> Self {
        Self::new(&spread(entities, entities, 1), false)
    }

    /// One that has merged `before` and shows it, below an entity of the host's or not.
    pub fn new(before: &[u8], is_below: bool) -> Self {
        let (mut world, mut options) = (World::default(), MirrorOptions::default());
        options.root = is_below.then(|| world.push((LocalToWorld::identity(),)));
        let mut subject = Self {
            replica: Replica::default(),
            from: Connection::new(Role::Peer),
            report: MergeReport::default(),
            mirror: Mirror::new(options),
            world,
            resources: Resources::default(),
            schedule: Schedule::builder().add_transforms(TransformSystemBundle::default()).build(),
        };
        subject.merge(before);
        subject.apply();
        subject.run();
        subject
    }

    /// Parses and merges; the corrections are written too.
    pub fn merge(&mut self, batch: &[u8]) -> f64 {
        let Self { replica, from, report, .. } = self;
        report.corrections.clear();
        nanoseconds(|| {
            for piece in batch.chunks(Reader::DEFAULT_LIMIT) {
                replica.receive(from, piece, report).expect("a good stream");
            }
        })
    }

    /// Brings the components up to date.
    pub fn apply(&mut self) -> f64 {
        nanoseconds(|| _ = self.mirror.apply(&mut self.replica, &mut self.world))
    }

    /// Brings the matrices up to date.
    pub fn run(&mut self) -> f64 {
        nanoseconds(|| self.schedule.execute(&mut self.world, &mut self.resources))
    }

    /// Moves entities in the world, reads them, writes them into the replica and applies that.
    /// Returns the times of the last three.
    pub fn edit(&mut self, count: u32, x: f32, by_hand: bool) -> [f64; 3] {
        let Self { replica, mirror, world, .. } = self;
        let scenes = || (512..512 + count).map(|id| SceneEntity::local(EntityId(id)));
        for scene in scenes() {
            let entity = mirror.entity(scene).expect("it is there");
            let mut entry = world.entry(entity).expect("it is there");
            *entry.get_component_mut().expect("it has one") = Translation::new(x, 1.0, 0.0);
        }
        let read = |scene| {
            if !by_hand {
                return mirror.transform_of(world, scene).expect("it is there");
            }
            let entry = mirror.entity(scene).and_then(|entity| world.entry_ref(entity).ok());
            let entry = entry.expect("it is there");
            let place = entry.get_component::<Translation>().expect("it has one");
            SceneTransform { position: place.0.vector.into(), ..SceneTransform::IDENTITY }
        };
        let mut times = [0.0; 3];
        let transforms: Vec<_> = timed(&mut times[0], || scenes().map(read).collect());
        times[1] = nanoseconds(|| {
            for (scene, transform) in scenes().zip(&transforms) {
                replica.put_transform(scene, transform).expect("the scene's own");
            }
        });
        times[2] = self.apply();
        times
    }
}
