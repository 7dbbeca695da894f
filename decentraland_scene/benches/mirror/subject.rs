//! What is measured: a replica, and the world that follows it.

use decentraland_scene::{
    apply::{Mirror, MirrorOptions},
    merge::{Connection, MergeReport, Replica, Role},
    wire::Reader,
};
use legion::{Resources, Schedule, World};
use legion_transform::{TransformBuilderExt, TransformSystemBundle, components::LocalToWorld};

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

    /// Brings the components up to date.
    pub fn apply(&mut self) {
        self.mirror.apply(&mut self.replica, &mut self.world);
    }

    /// Brings the matrices up to date.
    pub fn run(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }
}
