//! bevy_transform: its own plugin's systems, in the schedule they come in.

mod archetypes;
mod spawn;
mod writes;

use bevy_app::{App, PostUpdate};
use bevy_ecs::{prelude::*, schedule::Schedules};
use bevy_tasks::{AsyncComputeTaskPool, ComputeTaskPool, IoTaskPool, TaskPoolBuilder};
use bevy_transform::{StaticTransformOptimizations, TransformPlugin, prelude::*};

use crate::{
    competitor::Competitor,
    places::Places,
    workloads::{Batch, Edit, Layout, Respawn, Scene, Workload},
};
use archetypes::Archetypes;
use writes::Writes;

/// Whether this program has Bevy's parallel systems.
pub const PARALLEL: bool = cfg!(feature = "bevy_parallel");

/// Says how many threads the pool has.
pub const POOL: &str = "PEERS_BEVY_POOL";

/// A Bevy world with the schedule in which its transform systems run.
pub struct Bevy {
    world: World,
    schedule: Schedule,
    entities: Vec<Entity>,
    batches: Vec<Batch>,
    writes: Writes,
    archetypes: Archetypes,
}

/// Marks the entities that move, or come and go, where they are to have archetypes of their own.
#[derive(Component)]
struct Mover;

/// A user's component, of entities that have no transform.
#[derive(Clone, Component)]
struct Hp(f32);

/// One of three components of a user.
#[derive(Component)]
struct Payload<const N: usize>(#[allow(dead_code)] [f32; 8]);

impl Bevy {
    /// Whether it has what the workload is about.
    pub fn takes(workload: &Workload) -> bool {
        workload.layout != Layout::Visible
    }
}

impl Competitor for Bevy {
    /// Its systems run on another thread than the caller's, which does best where that has just
    /// been.
    const PLACES: Places = Places::Any;

    fn new(scene: &Scene) -> Self {
        start_task_pools();
        let mut app = App::new();
        app.add_plugins(TransformPlugin);
        let mut world = std::mem::take(app.world_mut());
        let schedule = world
            .resource_mut::<Schedules>()
            .remove(PostUpdate)
            .expect("the plugin's systems run there");
        let (writes, archetypes) = (Writes::new(&mut world), Archetypes::new(&mut world));
        let (entities, batches) = (vec![Entity::PLACEHOLDER; scene.len()], scene.spawn_batches());
        Self { world, schedule, entities, batches, writes, archetypes }
    }

    fn spawn(&mut self, scene: &Scene) {
        let batches = std::mem::take(&mut self.batches);
        batches.iter().for_each(|batch| self.spawn_batch(scene, batch, scene.is_linked_late()));
        if scene.is_linked_late() {
            self.link(scene, &batches);
        }
        self.world.spawn_batch(vec![Hp(0.0); scene.users()]);
        // What is measured as the world's memory is not to come out of theirs.
        self.batches = batches;
        for &node in scene.movers_apart() {
            self.world.entity_mut(self.entities[node as usize]).insert(Mover);
        }
    }

    fn prepare(&mut self, scene: &Scene, edit: &Edit) {
        self.writes.prepare(&self.world, &self.entities, scene, edit);
    }

    fn edit(&mut self, scene: &Scene, edit: &Edit) {
        let Self { world, entities, writes, .. } = self;
        match edit {
            Edit::Nothing => {}
            Edit::MoveAll => writes.all(world, scene),
            Edit::Move(_) if !scene.movers_apart().is_empty() => writes.marked(world, scene),
            Edit::Move(nodes) => writes.some(world, entities, scene, nodes),
            Edit::Reparent(nodes) => {
                for &node in nodes {
                    let parent = entities[scene.parents[node as usize] as usize];
                    world.entity_mut(entities[node as usize]).insert(ChildOf(parent));
                }
            }
            Edit::Respawn(Respawn { tops, batches, .. }) => {
                for &top in tops {
                    world.despawn(entities[top as usize]); // and what is below it
                }
                batches.iter().for_each(|batch| self.spawn_batch(scene, batch, false));
            }
            Edit::WriteUsers => writes.users(world),
            Edit::Both(edits) => edits.iter().for_each(|edit| self.edit(scene, edit)),
        }
    }

    fn run(&mut self) {
        self.schedule.run(&mut self.world);
    }

    fn end_frame(&mut self) {
        self.world.clear_trackers();
    }

    fn matrix(&self, node: usize) -> [f32; 16] {
        let global = self.world.get::<GlobalTransform>(self.entities[node]).expect("alive");
        global.to_matrix().to_cols_array()
    }

    fn choose(&mut self, way: usize) -> Option<String> {
        // With the optimisation for static scenes, which is the default, and without.
        let (name, optimisation) = match way {
            0 => ("with", StaticTransformOptimizations::Enabled),
            1 => ("without", StaticTransformOptimizations::Disabled),
            _ => return None,
        };
        self.world.insert_resource(optimisation);
        Some(name.into())
    }
}

/// A compute pool with the driver's number of threads. The other pools do nothing here, but Bevy
/// needs them.
fn start_task_pools() {
    let pool = |threads: usize| TaskPoolBuilder::new().num_threads(threads).build();
    let threads = std::env::var(POOL).ok().and_then(|threads| threads.parse().ok()).unwrap_or(1);
    ComputeTaskPool::get_or_init(|| pool(threads));
    AsyncComputeTaskPool::get_or_init(|| pool(1));
    IoTaskPool::get_or_init(|| pool(1));
}
