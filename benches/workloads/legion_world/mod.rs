//! A scene as a Legion world with the bundle.

mod spawn;
mod writes;

use legion::{Entity, IntoQuery, Resources, Schedule, World};
use legion_transform::prelude::*;

use super::{
    kind::Batch,
    scene::{Edit, Respawn, Scene},
    workload::Layout,
};
use writes::{Writes, transform};

/// The competitor `ours`: entities in a Legion world, and a schedule that holds the bundle and
/// nothing else.
pub struct LegionWorld {
    /// The world.
    pub world: World,
    /// Where the findings are.
    pub resources: Resources,
    /// How the next edits are made: one of [`all_means`](Self::all_means).
    pub means: Means,
    all_means: &'static [Means],
    schedule: Schedule,
    entities: Vec<Entity>,
    batches: Vec<Batch>,
    writes: Writes,
    linked: bool,
}

/// How a program goes about an edit, where it has a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// Entity by entity, in the world itself.
    Directly,
    /// Nodes that stay in their archetypes are known by their places in the columns.
    Columns,
    /// Nodes are moved by `set_transforms`, and go by `despawn_subtrees`.
    Calls,
    /// Nodes are moved by `update_transforms`.
    Updates,
}

/// Marks the entities that move, or come and go, where they are to have archetypes of their own.
#[derive(Clone, Copy, Debug)]
struct Mover;

/// A user's component.
struct Hp(f32);

/// A bundle without options. `LEGION_TRANSFORM_ISA=portable` names its instruction set, and
/// `LEGION_TRANSFORM_WITHOUT=closing,inputs` the mechanisms that it does without.
pub fn bundle() -> TransformSystemBundle {
    let named = |variable| std::env::var(variable).unwrap_or_default();
    TransformSystemBundle::default()
        .instruction_set(&named("LEGION_TRANSFORM_ISA"))
        .without(&named("LEGION_TRANSFORM_WITHOUT"))
}

impl LegionWorld {
    /// Spawns the scene; nothing has run yet.
    pub fn new(scene: &Scene) -> Self {
        let mut built = Self::empty(scene);
        built.spawn(scene);
        built
    }

    /// All but the entities.
    pub fn empty(scene: &Scene) -> Self {
        // Any entity will do until the right one is known.
        let mut world = World::default();
        let unknown = world.push(());
        world.remove(unknown);
        Self {
            world,
            resources: Resources::default(),
            schedule: Schedule::builder().add_transforms(bundle()).build(),
            entities: vec![unknown; scene.len()],
            batches: scene.spawn_batches(),
            writes: Writes::default(),
            linked: scene.workload.layout != Layout::Unlinked,
            means: all_means(scene)[0],
            all_means: all_means(scene),
        }
    }

    /// Runs another bundle from now on.
    pub fn with_bundle(mut self, bundle: TransformSystemBundle) -> Self {
        self.schedule = Schedule::builder().add_transforms(bundle).build();
        self
    }

    /// Spawns the scene's nodes.
    pub fn spawn(&mut self, scene: &Scene) {
        let batches = std::mem::take(&mut self.batches);
        batches.iter().for_each(|batch| self.spawn_batch(scene, batch));
        if scene.is_linked_late() {
            let children =
                batches.iter().filter(|batch| batch.kind.below).flat_map(|batch| &batch.nodes);
            self.writes.parents(&mut self.world, &self.entities, scene, children);
        }
        self.world.extend((0..scene.users()).map(|_| (Hp(0.0),)));
        // What is measured as the world's memory is not to come out of theirs.
        self.batches = batches;
        for &node in scene.movers_apart() {
            self.world
                .entry(self.entities[node as usize])
                .expect("just spawned")
                .add_component(Mover);
        }
    }

    /// The entity of each node.
    pub fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// How this scene's edits can be made.
    pub fn all_means(&self) -> &'static [Means] {
        self.all_means
    }

    /// Runs the schedule once.
    pub fn run(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    /// Runs the schedule of the first once in each of the worlds.
    pub fn run_all(worlds: &mut [Self]) {
        let Some((first, others)) = worlds.split_first_mut() else { return };
        first.run();
        for other in others {
            first.schedule.execute(&mut other.world, &mut other.resources);
        }
    }

    /// Gets ready for changes like this one, as a program does that makes it every tick.
    pub fn prepare(&mut self, scene: &Scene, edit: &Edit) {
        let Self { world, entities, writes, .. } = self;
        match edit {
            Edit::MoveAll => writes.find_order(world, entities, false),
            Edit::Move(_) if !scene.movers_apart().is_empty() => {
                writes.find_order(world, entities, true)
            }
            Edit::Move(_) if self.means == Means::Columns => writes.find_places(world, entities),
            _ => {}
        }
    }

    /// Changes the world as the scene changed.
    pub fn edit(&mut self, scene: &Scene, edit: &Edit) {
        let Self { world, entities, writes, .. } = self;
        match edit {
            Edit::Nothing => {}
            Edit::MoveAll => writes.together(world, scene, false),
            Edit::Move(_) if !scene.movers_apart().is_empty() => {
                writes.together(world, scene, true)
            }
            Edit::Move(nodes) if self.means == Means::Columns => {
                writes.some_in_columns(world, scene, nodes)
            }
            Edit::Move(nodes) if self.means == Means::Calls => {
                let to = |&node: &u32| (entities[node as usize], transform(&scene.trs(node)));
                world.set_transforms(nodes.iter().map(to)).expect("alive");
            }
            Edit::Move(nodes) if self.means == Means::Updates => {
                let mut to = nodes.iter().map(|&node| transform(&scene.trs(node)));
                let all = nodes.iter().map(|&node| entities[node as usize]);
                let update = |_, it: &mut Transform| *it = to.next().expect("one for each");
                world.update_transforms(all, update).expect("alive");
            }
            Edit::Move(nodes) => writes.some(world, entities, scene, nodes),
            Edit::Reparent(nodes) => writes.parents(world, entities, scene, nodes),
            Edit::Respawn(respawn) => self.respawn(scene, respawn),
            Edit::WriteUsers => writes.users(world),
            Edit::Both(edits) => edits.iter().for_each(|edit| self.edit(scene, edit)),
        }
    }

    /// The node's `LocalToWorld`, column by column.
    pub fn matrix(&self, node: usize) -> [f32; 16] {
        let matrix =
            <&LocalToWorld>::query().get(&self.world, self.entities[node]).expect("alive").0;
        std::array::from_fn(|k| matrix[(k % 4, k / 4)])
    }

    fn respawn(&mut self, scene: &Scene, Respawn { tops, below, batches }: &Respawn) {
        let Self { world, entities, means, .. } = self;
        if *means == Means::Calls {
            world.despawn_subtrees(tops.iter().map(|&node| entities[node as usize]));
        } else {
            for &node in below.iter().chain(tops) {
                world.remove(entities[node as usize]);
            }
        }
        batches.iter().for_each(|batch| self.spawn_batch(scene, batch));
    }
}

fn all_means(scene: &Scene) -> &'static [Means] {
    let workload = &scene.workload;
    let some_move = scene.movers.first().is_some_and(|movers| movers.len() > 1);
    match workload.layout {
        _ if workload.by_calls => &[Means::Calls, Means::Updates],
        Layout::Archetypes(_) | Layout::Visible if workload.is_structural() => &[Means::Directly],
        _ if workload.is_structural() => &[Means::Directly, Means::Calls],
        _ if some_move && workload.layout != Layout::MoversApart => {
            &[Means::Directly, Means::Columns, Means::Calls]
        }
        _ => &[Means::Directly],
    }
}
