//! Large worlds are right in every state. From run to run entities are moved, overwritten, spawned,
//! despawned and given other parents. After each run every matrix has the bits of a new world's
//! first run, which takes no short cut.
//!
//! The ticks drive archetypes through all states: everything moves (matrices are written unseen),
//! little does (inputs are compared with copies), nothing does though all was touched, a user
//! writes derived matrices, entities come and go. Worlds are large enough for several threads, with
//! archetypes above and below the size from which one is spread by itself.

use std::{
    collections::{BTreeMap, HashMap},
    hash::{DefaultHasher, Hash, Hasher},
};

use harness::{Rng, TestWorld};
use legion::{Entity, EntityStore, IntoQuery, query::Query};
use legion_transform::{components::PreviousParent, prelude::*};
use nalgebra::Matrix4;

/// What a node is made of; rotations go without saying.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scaling {
    None,
    Uniform(Scale),
    Axes(NonUniformScale),
}

impl Scaling {
    fn kind(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Uniform(_) => 1,
            Self::Axes(_) => 2,
        }
    }
}

#[derive(Clone, Debug)]
struct Node {
    translation: Translation,
    rotation: Option<Rotation>,
    scaling: Scaling,
    /// By number.
    parent: Option<usize>,
    entity: Option<Entity>,
}

/// A world, and what it should be made of.
struct LargeWorld {
    test: TestWorld,
    nodes: Vec<Node>,
    rng: Rng,
}

/// What a tick does before the run.
#[derive(Clone, Copy, Debug)]
enum Tick {
    /// One node in `n` gets new values.
    Move(usize),
    /// One rotation in `n` changes, and nothing but rotations is written.
    Turn(usize),
    /// One scale in `n` changes, and nothing but scales is written.
    Resize(usize),
    /// All values are written unchanged.
    Touch,
    /// A user writes some matrices, and one node in `n` moves.
    Overwrite(usize),
    /// Some childless nodes are despawned, and the same number spawned elsewhere.
    Respawn,
    /// Some get another parent.
    Reparent,
    /// Some lose theirs, and stand where they stood, with all that is below them.
    Detach,
}

use Tick::{Detach, Move, Overwrite, Reparent, Resize, Respawn, Touch, Turn};

/// How many nodes the trees of [`trees`] have.
const TREE: usize = 2000;

/// Every state after every other that matters.
const TICKS: &[Tick] = &[
    Move(1),
    Move(1),
    Move(1),
    Overwrite(1),
    Respawn,
    Move(1),
    Touch,
    Touch,
    Move(1),
    Move(2),
    Move(3),
    Move(100),
    Move(100),
    Move(100),
    Move(50_000),
    Turn(100),
    Resize(100),
    Resize(100),
    Move(100),
    Turn(50_000),
    Overwrite(100),
    Move(100),
    Touch,
    Turn(1),
    Resize(2),
    Turn(100),
    Resize(100),
    Turn(100),
    Move(7),
    Respawn,
    Respawn,
    Move(100),
    Overwrite(50_000),
    Move(100),
    Move(100),
    Move(100),
    Reparent,
    Move(100),
    Reparent,
    Respawn,
    Move(1),
    Reparent,
    Move(1),
    Overwrite(2),
    Move(100),
    Move(1),
    Detach,
    Move(1),
    Move(1),
    Detach,
    Reparent,
    Move(100),
    Move(1),
];

impl LargeWorld {
    fn new(
        bundle: TransformSystemBundle,
        shape: impl Fn(usize, &mut Rng) -> Option<usize>,
        nodes: usize,
    ) -> Self {
        let mut rng = Rng::new(nodes as u64);
        let node = |number| Node {
            translation: translation(&mut rng),
            // Each combination of components is an archetype; the first two are large.
            rotation: (number % 40 != 3).then(|| Rotation(rng.quaternion())),
            scaling: match number % 40 {
                5 => Scaling::None,
                7 => Scaling::Axes(NonUniformScale::new(1.5, 0.5, 1.0)),
                _ => Scaling::Uniform(Scale(0.5 + rng.below(16) as f32 / 16.0)),
            },
            parent: shape(number, &mut rng),
            entity: None,
        };
        let nodes = (0..nodes).map(node).collect();
        let mut judged = Self { test: TestWorld::new(bundle), nodes, rng };
        let numbers = 0..judged.nodes.len();
        spawn(&mut judged.test, &mut judged.nodes, numbers);
        judged.run("the first run");
        judged
    }

    fn tick(&mut self, tick: Tick) {
        match tick {
            Move(every) => self.shift(every),
            Turn(every) => self.turn(every),
            Resize(every) => self.resize(every),
            Touch => {
                <&mut Translation>::query().iter_mut(&mut self.test.world).for_each(rewrite);
                <&mut Rotation>::query().iter_mut(&mut self.test.world).for_each(rewrite);
            }
            Overwrite(every) => {
                self.shift(every);
                for _ in 0..5 {
                    let entity = self.any();
                    self.test.set(entity, LocalToWorld(Matrix4::repeat(f32::NAN)));
                    let entity = self.any();
                    if self.test.has::<LocalToParent>(entity) {
                        self.test.set(entity, LocalToParent(Matrix4::repeat(7.0)));
                    }
                }
            }
            Respawn => {
                let leaves = self.leaves();
                // All but the first node, to which all others are bound when they are spawned.
                let picked: Vec<usize> = leaves
                    .into_iter()
                    .step_by(2 + self.nodes.len() / 200)
                    .filter(|&number| number != 0)
                    .collect();
                for &number in &picked {
                    self.test.world.remove(self.nodes[number].entity.take().expect("alive"));
                    self.nodes[number].translation = translation(&mut self.rng);
                }
                spawn(&mut self.test, &mut self.nodes, picked.into_iter());
            }
            Detach => {
                for _ in 0..50 {
                    // Near the top of a tree, so that they take much with them.
                    let number = self.rng.below(self.nodes.len());
                    let number = number - number % TREE + self.rng.below(8);
                    if self.nodes[number].parent.take().is_some() {
                        let entity = self.nodes[number].entity.expect("alive");
                        self.test.take::<Parent>(entity);
                        self.test.take::<LocalToParent>(entity);
                    }
                }
            }
            Reparent => {
                for _ in 0..50 {
                    // The new parent comes before the child, like all parents, so there is no
                    // cycle.
                    let number = 1 + self.rng.below(self.nodes.len() - 1);
                    if self.nodes[number].parent.is_some() {
                        let parent = self.rng.below(number);
                        self.nodes[number].parent = Some(parent);
                        let entity = self.nodes[number].entity.expect("alive");
                        self.test.set(entity, Parent(self.nodes[parent].entity.expect("alive")));
                    }
                }
            }
        }
    }

    fn any(&mut self) -> Entity {
        let number = self.rng.below(self.nodes.len());
        self.nodes[number].entity.expect("alive")
    }

    fn leaves(&self) -> Vec<usize> {
        let mut is_leaf = vec![true; self.nodes.len()];
        self.nodes.iter().filter_map(|node| node.parent).for_each(|parent| is_leaf[parent] = false);
        (0..self.nodes.len()).filter(|&number| is_leaf[number]).collect()
    }

    /// The nodes' numbers by their entities.
    fn numbers(&self) -> HashMap<Entity, usize> {
        self.nodes
            .iter()
            .enumerate()
            .map(|(number, node)| (node.entity.expect("alive"), number))
            .collect()
    }

    fn turn(&mut self, every: usize) {
        for node in &mut self.nodes {
            if self.rng.below(every) == 0 {
                node.rotation = node.rotation.map(|_| Rotation(self.rng.quaternion()));
            }
        }
        let (nodes, numbers) = (&self.nodes, self.numbers());
        <(Entity, &mut Rotation)>::query().for_each_mut(
            &mut self.test.world,
            |(entity, rotation)| {
                *rotation = nodes[numbers[entity]].rotation.expect("it has one");
            },
        );
    }

    fn resize(&mut self, every: usize) {
        for node in &mut self.nodes {
            if self.rng.below(every) == 0 {
                let factor = 0.5 + self.rng.below(16) as f32 / 16.0;
                node.scaling = match node.scaling {
                    Scaling::None => Scaling::None,
                    Scaling::Uniform(_) => Scaling::Uniform(Scale(factor)),
                    Scaling::Axes(_) => Scaling::Axes(NonUniformScale::new(1.5, factor, 1.0)),
                };
            }
        }
        let (nodes, numbers) = (&self.nodes, self.numbers());
        <(Entity, &mut Scale)>::query().for_each_mut(&mut self.test.world, |(entity, scale)| {
            *scale = uniform(&nodes[numbers[entity]]);
        });
        <(Entity, &mut NonUniformScale)>::query().for_each_mut(
            &mut self.test.world,
            |(entity, scale)| {
                *scale = axes(&nodes[numbers[entity]]);
            },
        );
    }

    /// Gives new values to one node in `every`, picked at random.
    fn shift(&mut self, every: usize) {
        let numbers = self.numbers();
        for number in 0..self.nodes.len() {
            if self.rng.below(every) == 0 {
                let node = &mut self.nodes[number];
                node.translation = translation(&mut self.rng);
                node.rotation = node.rotation.map(|_| Rotation(self.rng.quaternion()));
            }
        }
        let nodes = &self.nodes;
        let mut query: Query<(Entity, &mut Translation, Option<&mut Rotation>)> = Query::new();
        query.for_each_mut(&mut self.test.world, |(entity, translation, rotation)| {
            let node = &nodes[numbers[entity]];
            *translation = node.translation;
            if let (Some(rotation), Some(turned)) = (rotation, node.rotation) {
                *rotation = turned;
            }
        });
    }

    /// Runs, and compares with a world made afresh.
    fn run(&mut self, what: &str) {
        self.test.run();
        let mut fresh = TestWorld::default();
        let mut nodes = self.nodes.clone();
        spawn(&mut fresh, &mut nodes, 0..self.nodes.len());
        fresh.run();
        for (number, (node, other)) in self.nodes.iter().zip(&nodes).enumerate() {
            let alive = |node: &Node| node.entity.expect("alive");
            let (found, expected) =
                (matrices(&self.test, alive(node)), matrices(&fresh, alive(other)));
            assert_eq!(found, expected, "number {number} after {what}: {node:?}");
        }
    }

    /// Goes through all ticks. Returns a digest of all matrices after each.
    fn live(mut self) -> Vec<u64> {
        let life = TICKS.iter().enumerate().map(|(number, &tick)| {
            self.tick(tick);
            self.run(&format!("tick {number}, {tick:?}"));
            self.digest()
        });
        life.collect()
    }

    /// The same without being judged by anything but the digests.
    fn live_again(mut self, digests: &[u64]) {
        for (number, (&tick, &digest)) in TICKS.iter().zip(digests).enumerate() {
            self.tick(tick);
            self.test.run();
            assert_eq!(self.digest(), digest, "tick {number}, {tick:?}");
        }
    }

    fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.nodes
            .iter()
            .for_each(|node| matrices(&self.test, node.entity.expect("alive")).hash(&mut hasher));
        hasher.finish()
    }
}

/// Writes a value as it was.
fn rewrite<T: Copy>(component: &mut T) {
    *component = std::hint::black_box(*component);
}

fn translation(rng: &mut Rng) -> Translation {
    let mut number = || rng.below(2000) as f32 / 100.0 - 10.0;
    Translation::new(number(), number(), number())
}

/// Spawns nodes whose parents are there or among them, those of each set of components together.
///
/// Large worlds have everything they need from the start, so that the tests do not spend their time
/// in Legion; small ones leave `PreviousParent` and `Children` to the bundle.
fn spawn(test: &mut TestWorld, nodes: &mut [Node], numbers: impl Iterator<Item = usize>) {
    let complete = nodes.len() >= 1000;
    let mut has_children = vec![false; nodes.len()];
    nodes.iter().filter_map(|node| node.parent).for_each(|parent| has_children[parent] = complete);
    let mut kinds: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for number in numbers {
        let node = &nodes[number];
        let kind = (
            node.parent.is_some(),
            has_children[number],
            node.rotation.is_some(),
            node.scaling.kind(),
        );
        kinds.entry(kind).or_default().push(number);
    }
    for (&(linked, with_children, ..), numbers) in &kinds {
        // Roots come first; the parent of every other node is the first root until all are there.
        let parent = linked.then(|| nodes[0].entity.expect("the first node is a root"));
        let group: Vec<&Node> = numbers.iter().map(|&number| &nodes[number]).collect();
        let entities = extend(test, &group, parent, complete, with_children);
        numbers
            .iter()
            .zip(entities)
            .for_each(|(&number, entity)| nodes[number].entity = Some(entity));
    }
    for node in kinds.into_values().flatten().map(|number| &nodes[number]) {
        if let (Some(parent), Some(entity)) = (node.parent, node.entity) {
            test.set(entity, Parent(nodes[parent].entity.expect("spawned")));
        }
    }
}

fn uniform(node: &Node) -> Scale {
    let Scaling::Uniform(scale) = node.scaling else { unreachable!("the same components") };
    scale
}

fn axes(node: &Node) -> NonUniformScale {
    let Scaling::Axes(scale) = node.scaling else { unreachable!("the same components") };
    scale
}

/// Spawns nodes that are made of the same components.
fn extend(
    test: &mut TestWorld,
    nodes: &[&Node],
    parent: Option<Entity>,
    complete: bool,
    with_children: bool,
) -> Vec<Entity> {
    // A macro, because each set of components is a type of its own.
    macro_rules! extend {
        ($node:ident: $($component:expr),*) => {{
            let nodes = nodes.iter();
            let identity = LocalToWorld::identity();
            let local = LocalToParent::identity();
            let (previous, children) = (PreviousParent::default, Children::new);
            match (parent, complete, with_children) {
                (Some(parent), true, true) => test.world.extend(nodes.map(|$node| {
                    let link = Parent(parent);
                    (
                        identity, $node.translation, local, link, previous(), children()
                        $(, $component)*
                    )
                })),
                (Some(parent), true, false) => test.world.extend(nodes.map(|$node| {
                    let link = Parent(parent);
                    (identity, $node.translation, local, link, previous() $(, $component)*)
                })),
                (Some(parent), false, _) => test.world.extend(nodes.map(|$node| {
                    (identity, $node.translation, local, Parent(parent) $(, $component)*)
                })),
                (None, _, true) => test.world.extend(nodes.map(|$node| {
                    (identity, $node.translation, children() $(, $component)*)
                })),
                (None, _, false) => test.world.extend(nodes.map(|$node| {
                    (identity, $node.translation $(, $component)*)
                })),
            }
        }};
    }
    let rotation = |node: &Node| node.rotation.expect("the same components");
    let entities = match (nodes[0].rotation.is_some(), nodes[0].scaling) {
        (true, Scaling::None) => extend!(node: rotation(node)),
        (true, Scaling::Uniform(_)) => extend!(node: rotation(node), uniform(node)),
        (true, Scaling::Axes(_)) => extend!(node: rotation(node), axes(node)),
        (false, Scaling::None) => extend!(node:),
        (false, Scaling::Uniform(_)) => extend!(node: uniform(node)),
        (false, Scaling::Axes(_)) => extend!(node: axes(node)),
    };
    entities.to_vec()
}

/// The bits of an entity's `LocalToWorld` and `LocalToParent`, if it has them.
fn matrices(test: &TestWorld, entity: Entity) -> [Option<[u32; 16]>; 2] {
    let entry = test.world.entry_ref(entity).expect("a live entity");
    let bits = |matrix: &Matrix4<f32>| std::array::from_fn(|k| matrix.as_slice()[k].to_bits());
    [
        entry.get_component::<LocalToWorld>().ok().map(|matrix| bits(matrix)),
        entry.get_component::<LocalToParent>().ok().map(|matrix| bits(matrix)),
    ]
}

/// One life for each number of threads and each instruction set: the first judged by worlds made
/// afresh, the others by the first.
fn lives(shape: impl Fn(usize, &mut Rng) -> Option<usize> + Copy, nodes: usize) {
    let life = |threads: usize, isa: &str| {
        #[cfg(feature = "parallel")]
        let bundle = {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("a thread pool");
            TransformSystemBundle::default().thread_pool(pool.into())
        };
        #[cfg(not(feature = "parallel"))]
        let bundle = {
            let _ = threads; // there is but one
            TransformSystemBundle::default()
        };
        LargeWorld::new(bundle.instruction_set(isa), shape, nodes)
    };
    let isas = TransformSystemBundle::instruction_sets();
    let (best, others) = isas.split_last().expect("there is one that every machine has");
    let digests = life(2, best).live();
    others.iter().for_each(|isa| life(2, isa).live_again(&digests));
    #[cfg(feature = "parallel")]
    [1, 7].into_iter().for_each(|threads| life(threads, best).live_again(&digests));
    assert_eq!(digests.len(), TICKS.len());
}

#[test]
fn roots() {
    lives(|_, _| None, 40_000);
}

#[test]
fn a_small_world() {
    lives(|number, rng| (number % 50 != 0).then(|| rng.below(number)), 500);
}

#[test]
fn skeletons() {
    lives(
        |number, rng| (number % 67 != 0).then(|| number - 1 - rng.below((number % 67).min(3))),
        40_000,
    );
}

#[test]
fn trees() {
    lives(
        |number, rng| {
            (number % TREE != 0).then(|| number - number % TREE + rng.below(number % TREE))
        },
        40_000,
    );
}

#[test]
fn one_wide_family() {
    lives(|number, _| (number != 0).then_some(0), 20_000);
}
