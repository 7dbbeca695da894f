//! A world with its schedule, and what comes and goes in it.

use std::collections::VecDeque;

use legion::{
    Entity, Resources, Schedule, World,
    systems::{Builder, CommandBuffer},
};
use legion_transform::{components::PreviousParent, prelude::*};

use crate::{
    harness::is_full,
    row::Stamps,
    workloads::{LegionWorld, NO_PARENT, Random, Scene, Shape, Workload},
};

/// Marks entities that the program has in an archetype of their own.
#[derive(Clone, Copy, Debug)]
pub struct Marker;

/// A user's component of entities that have no transform.
pub struct Hp(pub f32);

/// The scenes that several rows have.
#[derive(Clone, Copy)]
pub enum Place {
    /// 100,000 roots.
    Flat,
    /// 1,000 roots with 100 children each.
    Families,
    /// 4,000 skeletons of 67 bones.
    Hum,
}

impl Place {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Flat, Self::Families, Self::Hum];

    /// As the table calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Families => "families",
            Self::Hum => "hum",
        }
    }

    /// Its world.
    pub fn game(self) -> Game {
        match self {
            Self::Flat => Game::of(Shape::Flat, 100_000),
            Self::Families => Game::of(Shape::Families(100), 101_000),
            Self::Hum => Game::of(Shape::Skeletons, 268_000),
        }
    }
}

/// A tenth of it, unless all is to be measured.
pub fn sized(full: usize) -> usize {
    if is_full() { full } else { full / 10 }
}

/// A world and all that runs on it.
pub struct Game {
    /// The world.
    pub world: World,
    /// Other worlds that run with the same resources.
    pub others: Vec<World>,
    /// Where the bundle keeps its state.
    pub resources: Resources,
    /// What is run.
    pub schedule: Schedule,
    /// When the bundle ran, where the schedule has other systems besides.
    pub stamps: Option<Stamps>,
    /// The entities that were there from the beginning.
    pub entities: Vec<Entity>,
    /// Those of them that have children.
    pub parents: Vec<Entity>,
}

impl Game {
    /// This world, these entities of it, and the bundle.
    pub fn new(world: World, entities: Vec<Entity>, parents: Vec<Entity>) -> Self {
        let (others, resources, schedule) = (Vec::new(), Resources::default(), transforms());
        Self { world, others, resources, schedule, stamps: None, entities, parents }
    }

    /// A scene of this shape with so many nodes, or a tenth of them.
    pub fn of(shape: Shape, nodes: usize) -> Self {
        let workload = Workload { shape, ..*Workload::named("hum_static").expect("in the table") };
        let scene = Scene::new(&workload, sized(nodes));
        let (world, entities) = LegionWorld::new(&scene).into_parts();
        let mut is_parent = vec![false; scene.len()];
        let parents = scene.parents.iter().filter(|&&parent| parent != NO_PARENT);
        parents.for_each(|&parent| is_parent[parent as usize] = true);
        let parents = entities.iter().zip(is_parent).filter(|pair| pair.1).map(|pair| *pair.0);
        let parents = parents.collect();
        Self::new(world, entities, parents)
    }

    /// Runs the schedule.
    pub fn run(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    /// Another schedule: systems before the bundle, or after it, which count as edits.
    pub fn systems(&mut self, before: impl FnOnce(&mut Builder), after: impl FnOnce(&mut Builder)) {
        let stamps = Stamps::new();
        let (began, ended) = (stamps.clone(), stamps.clone());
        self.stamps = Some(stamps);
        let mut builder = Schedule::builder();
        before(&mut builder);
        builder.add_thread_local_fn(move |_, _| began.set(0));
        builder.add_transforms(TransformSystemBundle::default());
        builder.add_thread_local_fn(move |_, _| ended.set(1));
        after(&mut builder);
        self.schedule = builder.build();
    }

    /// Spawns 1,000 entities without transform.
    pub fn spawn_users(&mut self) -> Vec<Entity> {
        self.world.extend((0..1_000).map(|i| (Hp(i as f32),))).to_vec()
    }

    /// Writes the entity's translation.
    pub fn move_one(&mut self, entity: Entity, number: usize) {
        *self.component(entity) = pose(number).0;
    }

    /// A component of an entity that has it.
    pub fn component<T: legion::storage::Component>(&mut self, entity: Entity) -> &mut T {
        self.world.entry(entity).expect("alive").into_component_mut().expect("has it")
    }
}

/// A schedule of the bundle alone.
pub fn transforms() -> Schedule {
    Schedule::builder().add_transforms(TransformSystemBundle::default()).build()
}

/// One of many poses.
pub fn pose(number: usize) -> (Translation, Rotation, Scale) {
    let turn = (number % 628) as f32 * 0.01;
    let translation = Translation::new(turn, 3.0 - turn, 0.5);
    (translation, Rotation::from_euler_angles(turn, 0.0, 0.5), Scale(1.1 - turn * 0.03))
}

/// With which components bullets come.
#[derive(Clone, Copy)]
pub enum Kind {
    /// As the scene's leaves: children, or roots where there are none.
    Leaf,
    /// Likewise, with a marker.
    Marked,
    /// Likewise, with `WorldToLocal`.
    Inverse,
}

/// Entities that come each tick, and go some ticks later.
pub struct Bullets {
    kind: Kind,
    parents: Vec<Entity>,
    live: VecDeque<Entity>,
    most: usize,
    each: usize,
    count: usize,
    random: Random,
}

impl Bullets {
    /// Shoots for as many ticks as a bullet lives.
    pub fn new(game: &mut Game, kind: Kind, each: usize, ticks: usize) -> Self {
        let (parents, live, most) = (game.parents.clone(), VecDeque::new(), each * ticks);
        let mut bullets =
            Self { kind, parents, live, most, each, count: 0, random: Random::new(3) };
        (0..ticks).for_each(|_| bullets.shoot(&mut game.world));
        bullets
    }

    /// Those come that come in a tick.
    pub fn shoot(&mut self, target: &mut impl SpawnTransforms) {
        (0..self.each).for_each(|_| self.shoot_one(target));
    }

    fn shoot_one(&mut self, target: &mut impl SpawnTransforms) {
        let (parent, (t, r, s)) = self.next();
        let inverse = WorldToLocal::identity();
        let bullet = match (parent, self.kind) {
            (Some(parent), Kind::Leaf) => target.push_child(parent, (t, r, s)),
            (Some(parent), Kind::Marked) => target.push_child(parent, (t, r, s, Marker)),
            (Some(parent), Kind::Inverse) => target.push_child(parent, (t, r, s, inverse)),
            (None, Kind::Leaf) => target.push_transform((t, r, s)),
            (None, Kind::Marked) => target.push_transform((t, r, s, Marker)),
            (None, Kind::Inverse) => target.push_transform((t, r, s, inverse)),
        };
        self.live.push_back(bullet);
    }

    fn next(&mut self) -> (Option<Entity>, (Translation, Rotation, Scale)) {
        self.count += 1;
        let picked = self.random.below(self.parents.len());
        (self.parents.get(picked).copied(), pose(self.count))
    }

    /// Those that have lived long enough.
    pub fn oldest(&mut self) -> impl Iterator<Item = Entity> + '_ {
        let count = (self.live.len() + self.each).saturating_sub(self.most);
        self.live.drain(..count)
    }

    /// The oldest go, and others come, by Legion's own `push`.
    pub fn push(&mut self, world: &mut World) {
        self.oldest().for_each(|bullet| _ = world.remove(bullet));
        for _ in 0..self.each {
            let (parent, (t, r, s)) = self.next();
            let matrix = LocalToWorld::identity();
            let bullet = match parent {
                Some(parent) => {
                    let (below, parent) = (LocalToParent::identity(), Parent(parent));
                    world.push((matrix, t, r, s, below, parent, PreviousParent::default()))
                }
                None => world.push((matrix, t, r, s)),
            };
            self.live.push_back(bullet);
        }
    }

    /// Likewise, by the crate's `push_child` or `push_transform`.
    pub fn tick(&mut self, world: &mut World) {
        self.oldest().for_each(|bullet| _ = world.remove(bullet));
        self.shoot(world);
    }

    /// Likewise, by commands.
    pub fn command(&mut self, commands: &mut CommandBuffer) {
        self.oldest().for_each(|bullet| commands.remove(bullet));
        self.shoot(commands);
    }
}
