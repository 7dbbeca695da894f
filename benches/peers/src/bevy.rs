//! bevy_transform: its own plugin's systems, in the schedule they come in.

use bevy_app::{App, PostUpdate};
use bevy_ecs::{prelude::*, schedule::Schedules};
use bevy_math::{Quat, Vec3};
use bevy_tasks::{AsyncComputeTaskPool, ComputeTaskPool, IoTaskPool, TaskPoolBuilder};
use bevy_transform::{TransformPlugin, prelude::*};

use crate::{
    competitor::Competitor,
    places::Places,
    workloads::{Edit, NO_PARENT, Scene, Trs},
};

/// What this build calls itself.
pub const BUILD: &str = if cfg!(feature = "bevy_parallel") { "bevy-parallel" } else { "bevy-serial" };

/// A Bevy world with the schedule in which its transform systems run.
pub struct Bevy {
    world: World,
    schedule: Schedule,
    entities: Vec<Entity>,
    groups: Vec<Vec<u32>>,
    /// The node of each entity, by the entity's index.
    nodes: Vec<u32>,
}

#[derive(Component)]
struct Mover;

impl Competitor for Bevy {
    /// Its systems run on another thread than the caller's, which does best where that has just been.
    const PLACES: Places = Places::Any;

    fn new(scene: &Scene) -> Self {
        start_task_pools();
        let mut app = App::new();
        app.add_plugins(TransformPlugin);
        let mut world = std::mem::take(app.world_mut());
        let schedule = world.resource_mut::<Schedules>().remove(PostUpdate).expect("the plugin's systems run there");
        let entities = vec![Entity::PLACEHOLDER; scene.len()];
        Self { world, schedule, entities, groups: scene.spawn_groups(), nodes: Vec::new() }
    }

    fn spawn(&mut self, scene: &Scene) {
        let groups = std::mem::take(&mut self.groups);
        groups.iter().for_each(|group| self.spawn_group(scene, group));
        self.groups = groups; // what is measured as the world's memory is not to come out of theirs
        for &node in scene.movers_apart() {
            self.world.entity_mut(self.entities[node as usize]).insert(Mover);
        }
    }

    fn edit(&mut self, scene: &Scene, edit: &Edit) {
        match edit {
            Edit::Nothing => {}
            Edit::MoveAll => self.move_all(scene),
            Edit::Move(nodes) => {
                let mut query = self.world.query::<&mut Transform>();
                for &node in nodes {
                    let mut transform = query.get_mut(&mut self.world, self.entities[node as usize]).expect("alive");
                    *transform = transform_of(&scene.trs[node as usize]);
                }
            }
            Edit::Reparent(nodes) => {
                for &node in nodes {
                    let parent = self.entities[scene.parents[node as usize] as usize];
                    self.world.entity_mut(self.entities[node as usize]).insert(ChildOf(parent));
                }
            }
            Edit::Respawn(subtrees) => {
                for (top, _) in subtrees {
                    self.world.despawn(self.entities[*top as usize]); // and its children with it
                }
                let tops: Vec<u32> = subtrees.iter().map(|subtree| subtree.0).collect();
                let below: Vec<u32> = subtrees.iter().flat_map(|subtree| subtree.1.clone()).collect();
                for group in [tops, below].iter().filter(|group| !group.is_empty()) {
                    self.spawn_group(scene, group);
                }
            }
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

    fn way(&self) -> String {
        BUILD.into()
    }
}

impl Bevy {
    fn spawn_group(&mut self, scene: &Scene, group: &[u32]) {
        let Self { world, entities, .. } = self;
        let transform = |node: &u32| transform_of(&scene.trs[*node as usize]);
        if scene.parents[group[0] as usize] == NO_PARENT {
            let spawned = world.spawn_batch(group.iter().map(transform));
            group.iter().zip(spawned).for_each(|(&node, entity)| entities[node as usize] = entity);
        } else {
            let parent = |node: &u32| ChildOf(entities[scene.parents[*node as usize] as usize]);
            let spawned: Vec<Entity> = world.spawn_batch(group.iter().map(|node| (transform(node), parent(node)))).collect();
            group.iter().zip(spawned).for_each(|(&node, entity)| entities[node as usize] = entity);
        }
    }

    fn move_all(&mut self, scene: &Scene) {
        if self.nodes.is_empty() {
            let last = self.entities.iter().map(|entity| entity.index_u32()).max().unwrap_or(0);
            self.nodes.resize(last as usize + 1, 0);
            for (node, entity) in self.entities.iter().enumerate() {
                self.nodes[entity.index_u32() as usize] = node as u32;
            }
        }
        let mut query = self.world.query::<(Entity, &mut Transform)>();
        for (entity, mut transform) in query.iter_mut(&mut self.world) {
            *transform = transform_of(&scene.trs[self.nodes[entity.index_u32() as usize] as usize]);
        }
    }
}

fn transform_of(trs: &Trs) -> Transform {
    Transform {
        translation: Vec3::from(trs.translation),
        rotation: Quat::from_array(trs.rotation),
        scale: Vec3::splat(trs.scale),
    }
}

/// As many threads as everybody has: the compute pool's, and the calling one, which works along. (On two cores that is what
/// Bevy's own plugin starts.) The other pools have nothing to do here, but are asked for.
fn start_task_pools() {
    let pool = |threads: usize| TaskPoolBuilder::new().num_threads(threads).build();
    ComputeTaskPool::get_or_init(|| pool((crate::worker::threads() - 1).max(1)));
    AsyncComputeTaskPool::get_or_init(|| pool(1));
    IoTaskPool::get_or_init(|| pool(1));
}
