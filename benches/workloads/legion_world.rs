//! A scene as a Legion world with the bundle.

use std::hash::{Hash, Hasher};

use legion::{Entity, IntoQuery, Resources, Schedule, World};
use legion_transform::prelude::*;
use nalgebra::{Quaternion, UnitQuaternion};

use super::{
    catalogue::Layout,
    markers::{Mover, scatter},
    poses::Trs,
    scene::{Edit, NO_PARENT, Scene},
};

/// The competitor `ours`: entities in a Legion world, and a schedule that holds the bundle and nothing else.
pub struct LegionWorld {
    /// The world.
    pub world: World,
    /// Where the findings are.
    pub resources: Resources,
    schedule: Schedule,
    entities: Vec<Entity>,
    kinds: Vec<Kind>,
    batches: Vec<Batch>,
    nodes: Nodes,
}

/// Which components a node is spawned with, besides its matrices, translation, rotation and scale.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Root,
    RootWithChildren,
    Child,
    LinkedChild,
    LinkedChildWithChildren,
}

/// What one `extend` spawns.
struct Batch {
    kind: Kind,
    nodes: Vec<u32>,
}

impl LegionWorld {
    /// Spawns the scene; nothing has run yet.
    #[must_use]
    pub fn new(scene: &Scene) -> Self {
        let mut built = Self::empty(scene);
        built.spawn(scene);
        built
    }

    /// All but the entities.
    #[must_use]
    pub fn empty(scene: &Scene) -> Self {
        let kinds = kinds(scene);
        // Any entity will do until the right one is known: a batch refers to batches before it alone.
        let mut world = World::default();
        let somebody = world.push(());
        world.remove(somebody);
        Self {
            world,
            resources: Resources::default(),
            schedule: Schedule::builder().add_transforms(TransformSystemBundle::default()).build(),
            entities: vec![somebody; scene.len()],
            batches: scene.spawn_groups().into_iter().flat_map(|group| batches(&kinds, group)).collect(),
            kinds,
            nodes: Nodes::default(),
        }
    }

    /// Spawns the scene's nodes, parents first.
    pub fn spawn(&mut self, scene: &Scene) {
        let batches = std::mem::take(&mut self.batches);
        batches.iter().for_each(|batch| self.spawn_batch(scene, batch));
        self.batches = batches; // what is measured as the world's memory is not to come out of theirs
        for &node in scene.movers_apart() {
            let entity = self.entities[node as usize];
            self.world.entry(entity).expect("just spawned").add_component(Mover);
        }
        if scene.workload.layout == Layout::ManyArchetypes {
            scatter(&mut self.world, &self.entities);
        }
    }

    /// Runs the schedule once: all that is measured.
    pub fn run(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    /// Changes the world as the scene changed.
    pub fn edit(&mut self, scene: &Scene, edit: &Edit) {
        match edit {
            Edit::Nothing => {}
            Edit::MoveAll => self.move_all(scene),
            Edit::Move(nodes) => {
                let mut query = <(&mut Translation, &mut Rotation, &mut Scale)>::query();
                for &node in nodes {
                    let row = query.get_mut(&mut self.world, self.entities[node as usize]).expect("alive");
                    (*row.0, *row.1, *row.2) = trs(&scene.trs[node as usize]);
                }
            }
            Edit::Reparent(nodes) => {
                let mut query = <&mut Parent>::query();
                for &node in nodes {
                    let parent = self.parent(scene, node);
                    *query.get_mut(&mut self.world, self.entities[node as usize]).expect("alive") = parent;
                }
            }
            Edit::Respawn(subtrees) => {
                let tops: Vec<u32> = subtrees.iter().map(|subtree| subtree.0).collect();
                let below: Vec<u32> = subtrees.iter().flat_map(|subtree| subtree.1.clone()).collect();
                for &node in below.iter().chain(&tops) {
                    self.world.remove(self.entities[node as usize]);
                }
                for group in [tops, below] {
                    batches(&self.kinds, group).iter().for_each(|batch| self.spawn_batch(scene, batch));
                }
            }
        }
    }

    /// The node's `LocalToWorld`, column by column.
    #[must_use]
    pub fn matrix(&self, node: usize) -> [f32; 16] {
        let matrix = <&LocalToWorld>::query().get(&self.world, self.entities[node]).expect("alive").0;
        std::array::from_fn(|k| matrix[(k % 4, k / 4)])
    }

    fn move_all(&mut self, scene: &Scene) {
        let nodes = self.nodes.of(&self.entities);
        let mut query = <(Entity, &mut Translation, &mut Rotation, &mut Scale)>::query();
        query.for_each_mut(&mut self.world, |(&entity, translation, rotation, scale)| {
            (*translation, *rotation, *scale) = trs(&scene.trs[nodes.node(entity)]);
        });
    }

    fn spawn_batch(&mut self, scene: &Scene, batch: &Batch) {
        let Self { world, entities, .. } = self;
        // A macro, since each set of components is a type of its own that only `extend` names.
        macro_rules! extend {
            ($($component:expr),*) => {{
                let spawned = world.extend(batch.nodes.iter().map(|&node| {
                    let (translation, rotation, scale) = trs(&scene.trs[node as usize]);
                    let _parent = scene.parents[node as usize] as usize;
                    (LocalToWorld::identity(), translation, rotation, scale $(, $component(&entities[..], _parent))*)
                }));
                batch.nodes.iter().zip(spawned).for_each(|(&node, &entity)| entities[node as usize] = entity);
            }};
        }
        let parent = |entities: &[Entity], parent: usize| Parent(entities[parent]);
        let to_parent = |_: &[Entity], _: usize| LocalToParent::identity();
        let previous = |_: &[Entity], _: usize| PreviousParent::default();
        let children = |_: &[Entity], _: usize| Children::new();
        match batch.kind {
            Kind::Root => extend!(),
            Kind::RootWithChildren => extend!(children),
            Kind::Child => extend!(to_parent, parent),
            Kind::LinkedChild => extend!(to_parent, parent, previous),
            Kind::LinkedChildWithChildren => extend!(to_parent, parent, previous, children),
        }
    }

    fn parent(&self, scene: &Scene, node: u32) -> Parent {
        Parent(self.entities[scene.parents[node as usize] as usize])
    }
}

fn kinds(scene: &Scene) -> Vec<Kind> {
    let linked = scene.workload.layout != Layout::Unlinked;
    let kind = |(inner, &parent): (bool, &u32)| match (parent == NO_PARENT, linked, inner) {
        (true, true, true) => Kind::RootWithChildren,
        (true, ..) => Kind::Root,
        (false, false, _) => Kind::Child,
        (false, true, false) => Kind::LinkedChild,
        (false, true, true) => Kind::LinkedChildWithChildren,
    };
    scene.inner().into_iter().zip(&scene.parents).map(kind).collect()
}

/// One batch for each kind among the nodes.
fn batches(kinds: &[Kind], nodes: Vec<u32>) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    for node in nodes {
        let kind = kinds[node as usize];
        match batches.iter_mut().find(|batch| batch.kind == kind) {
            Some(batch) => batch.nodes.push(node),
            None => batches.push(Batch { kind, nodes: vec![node] }),
        }
    }
    batches
}

fn trs(trs: &Trs) -> (Translation, Rotation, Scale) {
    let [x, y, z] = trs.translation;
    let [i, j, k, w] = trs.rotation;
    let rotation = UnitQuaternion::new_unchecked(Quaternion::new(w, i, j, k));
    (Translation::new(x, y, z), Rotation(rotation), Scale(trs.scale))
}

/// Which node an entity is: a table by the entity's number, made when first asked for, since only worlds in which everything
/// moves need it (and in none of them entities come and go).
#[derive(Default)]
struct Nodes {
    first: u64,
    nodes: Vec<u32>,
}

impl Nodes {
    fn of(&mut self, entities: &[Entity]) -> &Self {
        if self.nodes.is_empty() {
            let numbers = || entities.iter().map(|&entity| number(entity));
            self.first = numbers().min().unwrap_or(0);
            self.nodes.resize(numbers().max().map_or(0, |last| (last - self.first + 1) as usize), 0);
            numbers().enumerate().for_each(|(node, number)| self.nodes[(number - self.first) as usize] = node as u32);
        }
        self
    }

    fn node(&self, entity: Entity) -> usize {
        self.nodes[(number(entity) - self.first) as usize] as usize
    }
}

/// The number inside an entity, which Legion shows to hashers only.
fn number(entity: Entity) -> u64 {
    struct Number(u64);
    impl Hasher for Number {
        fn write(&mut self, _: &[u8]) {
            unreachable!("an entity hashes as one u64")
        }
        fn write_u64(&mut self, number: u64) {
            self.0 = number;
        }
        fn finish(&self) -> u64 {
            self.0
        }
    }
    let mut hasher = Number(0);
    entity.hash(&mut hasher);
    hasher.finish()
}
