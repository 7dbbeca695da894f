//! Values that children inherit, side by side: `inherit` of this crate and
//! `HierarchyPropagatePlugin` of bevy_app. `cargo run --release --manifest-path
//! benches/peers/Cargo.toml --bin inherited`.
//!
//! 4,000 skeletons of 67 bones, each root with a value of its own; in the last rows 1,000 other
//! bones have one, too. A bone has the value of the nearest bone above it, or its own. Microseconds
//! of an edit and a tick, the fastest of 30; in the first ticks and the last one both are checked
//! against values that are computed from the parents.
//!
//! Ours takes all threads that it may have, Bevy's systems have one. A tick of ours also brings
//! matrices up to date, where there are any to compute. Bevy runs the plugin's systems and no
//! others.

use std::time::Instant;

use bevy_app::{App, HierarchyPropagatePlugin, PostUpdate, Propagate, TaskPoolPlugin};
use bevy_ecs::{prelude::*, schedule::SingleThreadedExecutor};
use legion::{IntoQuery, Query, Write, systems::Resources};
use legion_transform::{
    TransformBuilderExt, TransformSystemBundle,
    components::{Effective, Inherited, Parent, Translation},
    spawn::SpawnTransforms,
};

#[path = "../../../workloads/skeleton.rs"]
mod skeleton;
use skeleton::BONES;

const SKELETONS: usize = 4_000;
const NODES: usize = SKELETONS * BONES;
/// How many bones below roots have values of their own.
const OWNERS: usize = 1_000;
/// A shoulder, with 23 bones below it, and the bone that it is attached to.
const SHOULDER: usize = 9;
const CHEST: usize = 3;

/// The skeletons and the values that bones have of their own, as plain data.
struct Scene {
    parents: Vec<Option<usize>>,
    own: Vec<Option<u32>>,
}

impl Scene {
    fn new(owners: usize) -> Self {
        let bones = skeleton::parents();
        let parent = |node: usize| bones[node % BONES].map(|bone| node - node % BONES + bone);
        let own = |node: usize| node.is_multiple_of(BONES).then_some(node as u32);
        let mut scene =
            Self { parents: (0..NODES).map(parent).collect(), own: (0..NODES).map(own).collect() };
        for owner in Self::owners().take(owners) {
            scene.own[owner] = Some(1);
        }
        scene
    }

    /// The shoulders of every fourth skeleton.
    fn owners() -> impl Iterator<Item = usize> {
        (0..OWNERS).map(|i| i * (SKELETONS / OWNERS) * BONES + SHOULDER)
    }

    /// The value of each bone.
    fn values(&self) -> Vec<u32> {
        let value = |mut node: usize| loop {
            if let Some(value) = self.own[node] {
                break value;
            }
            node = self.parents[node].expect("a root has a value");
        };
        (0..NODES).map(value).collect()
    }

    /// Changes the scene. Returns the bones whose value or parent is another one.
    fn edit(&mut self, edit: Edit, tick: usize) -> Vec<usize> {
        let changed: Vec<usize> = match edit {
            Edit::Nothing => Vec::new(),
            Edit::Roots => (0..NODES).step_by(BONES).collect(),
            Edit::Root => vec![77 * BONES],
            Edit::Owners => Self::owners().collect(),
            Edit::Reparent => vec![78 * BONES + SHOULDER],
        };
        for &node in &changed {
            match edit {
                // To the neighbour's chest, and back.
                Edit::Reparent => self.parents[node] = Some((78 + (tick + 1) % 2) * BONES + CHEST),
                _ => self.own[node] = self.own[node].map(|value| value + NODES as u32),
            }
        }
        changed
    }
}

/// What happens in a frame.
#[derive(Clone, Copy, PartialEq)]
enum Edit {
    Nothing,
    Roots,
    Root,
    /// The bones below roots that have values of their own.
    Owners,
    Reparent,
}

trait World {
    fn new(scene: &Scene) -> Self;
    /// Writes the values, or parents, of these bones.
    fn edit(&mut self, scene: &Scene, edit: Edit, nodes: &[usize]);
    fn tick(&mut self);
    fn values(&self) -> Vec<u32>;
}

/// The value, in Bevy's world the component that is inherited.
#[derive(Clone, Component, PartialEq)]
struct Team(u32);

impl Inherited for Team {
    type Value = u32;
    fn combine(parent: Option<&u32>, own: Option<&Self>) -> u32 {
        own.map_or_else(|| *parent.unwrap_or(&0), |own| own.0)
    }
}

struct Ours {
    world: legion::World,
    resources: Resources,
    schedule: legion::Schedule,
    entities: Vec<legion::Entity>,
    own: Query<Write<Team>>,
    parents: Query<Write<Parent>>,
}

impl World for Ours {
    fn new(scene: &Scene) -> Self {
        let (mut world, resources) = (legion::World::default(), Resources::default());
        let bundle = TransformSystemBundle::default().inherit::<Team>();
        let schedule = legion::Schedule::builder().add_transforms(bundle).build();
        let mut entities: Vec<legion::Entity> = Vec::new();
        for (&parent, own) in scene.parents.iter().zip(&scene.own) {
            let it = (Translation::new(0.0, 1.0, 0.0), Effective::<Team>::default());
            let entity = match (parent.map(|parent| entities[parent]), own) {
                (None, Some(value)) => world.push_transform((it.0, it.1, Team(*value))),
                (Some(parent), Some(value)) => world.push_child(parent, (it.0, it.1, Team(*value))),
                (Some(parent), None) => world.push_child(parent, it),
                (None, None) => unreachable!("a root has a value"),
            };
            entities.push(entity);
        }
        let (own, parents) = (IntoQuery::query(), IntoQuery::query());
        Self { world, resources, schedule, entities, own, parents }
    }

    fn edit(&mut self, scene: &Scene, edit: Edit, nodes: &[usize]) {
        let Self { world, entities, own, parents, .. } = self;
        for &node in nodes {
            match edit {
                Edit::Reparent => {
                    let parent = entities[scene.parents[node].unwrap()];
                    parents.get_mut(world, entities[node]).unwrap().0 = parent;
                }
                _ => own.get_mut(world, entities[node]).unwrap().0 = scene.own[node].unwrap(),
            }
        }
    }

    fn tick(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    fn values(&self) -> Vec<u32> {
        let mut values = <&Effective<Team>>::query();
        self.entities.iter().map(|&it| values.get(&self.world, it).unwrap().0).collect()
    }
}

struct Bevy {
    app: App,
    entities: Vec<Entity>,
}

impl World for Bevy {
    fn new(scene: &Scene) -> Self {
        let mut app = App::new();
        app.add_plugins(TaskPoolPlugin::default());
        app.add_plugins(HierarchyPropagatePlugin::<Team>::new(PostUpdate));
        let world = app.world_mut();
        let mut entities: Vec<Entity> = Vec::new();
        for (&parent, own) in scene.parents.iter().zip(&scene.own) {
            let own = own.map(|value| Propagate(Team(value)));
            let entity = match (parent.map(|parent| ChildOf(entities[parent])), own) {
                (None, Some(own)) => world.spawn(own),
                (Some(parent), Some(own)) => world.spawn((parent, own)),
                (Some(parent), None) => world.spawn(parent),
                (None, None) => unreachable!("a root has a value"),
            };
            entities.push(entity.id());
        }
        // The plugin's systems wait for each other, so threads would only hand them over.
        app.edit_schedule(PostUpdate, |schedule| {
            schedule.set_executor(SingleThreadedExecutor::new());
        });
        app.finish();
        Self { app, entities }
    }

    fn edit(&mut self, scene: &Scene, edit: Edit, nodes: &[usize]) {
        let world = self.app.world_mut();
        for &node in nodes {
            let entity = self.entities[node];
            match edit {
                Edit::Reparent => {
                    let parent = self.entities[scene.parents[node].unwrap()];
                    world.entity_mut(entity).insert(ChildOf(parent));
                }
                _ => {
                    let mut own = world.get_mut::<Propagate<Team>>(entity).unwrap();
                    own.0 = Team(scene.own[node].unwrap());
                }
            }
        }
    }

    fn tick(&mut self) {
        self.app.world_mut().run_schedule(PostUpdate);
        self.app.world_mut().clear_trackers();
    }

    fn values(&self) -> Vec<u32> {
        let value = |&it: &Entity| self.app.world().get::<Team>(it).map_or(0, |team| team.0);
        self.entities.iter().map(value).collect()
    }
}

/// The fastest of 30 edits with their ticks, in microseconds.
fn fastest<W: World>(owners: usize, edit: Edit) -> f64 {
    let mut scene = Scene::new(owners);
    let mut world = W::new(&scene);
    (0..3).for_each(|_| world.tick());
    let mut best = f64::MAX;
    for tick in 0..30 {
        let changed = scene.edit(edit, tick);
        let start = Instant::now();
        world.edit(&scene, edit, &changed);
        world.tick();
        best = best.min(start.elapsed().as_secs_f64() * 1e6);
        if tick < 2 || tick == 29 {
            assert!(world.values() == scene.values(), "the values of tick {tick} are wrong");
        }
    }
    best
}

fn main() {
    println!("| {NODES} bones | follow | bevy_app | ours | ratio | ns each: bevy_app, ours |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    // How many bones get another value.
    let rows = [
        (0, Edit::Nothing, 0, "nothing changes"),
        (0, Edit::Root, BONES, "one root's value changes"),
        (0, Edit::Roots, NODES, "all roots' values change"),
        (0, Edit::Reparent, 24, "one subtree is re-parented"),
        (OWNERS, Edit::Owners, 24 * OWNERS, "1,000 bones' own values change"),
        (OWNERS, Edit::Roots, NODES - 24 * OWNERS, "all roots', with 1,000 bones' own"),
    ];
    for (owners, edit, follow, name) in rows {
        let (theirs, ours) = (fastest::<Bevy>(owners, edit), fastest::<Ours>(owners, edit));
        let each = |us: f64| us * 1e3 / follow as f64;
        let each = match follow {
            0 => "-".to_string(),
            _ => format!("{:.1}, {:.1}", each(theirs), each(ours)),
        };
        println!("| {name} | {follow} | {theirs:.1} | {ours:.1} | {:.1} | {each} |", theirs / ours);
    }
}
