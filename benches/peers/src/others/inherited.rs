//! Values that children inherit: `inherit` of this crate and `HierarchyPropagatePlugin` of
//! bevy_app.
//!
//! 4,000 skeletons of 67 bones, each root with a value of its own; in the last rows 1,000 other
//! bones have one, too. A bone has the value of the nearest bone above it, or its own. In the first
//! ticks and the last one both are checked against values that are computed from the parents.
//!
//! Ours takes all threads that it may have, Bevy's systems have one. A tick of ours also brings
//! matrices up to date, where there are any to compute. Bevy runs the plugin's systems and no
//! others.

use std::time::Duration;

use bevy_app::{App, HierarchyPropagatePlugin, PostUpdate, Propagate, TaskPoolPlugin};
use bevy_ecs::{prelude::*, schedule::SingleThreadedExecutor};
use legion::{EntityStore, IntoQuery, Query, Write};
use legion_transform::{
    TransformSystemBundle,
    components::{Effective, Inherited, Parent},
};

use super::{TIMES, Times, fastest};
use crate::{
    bench::timed,
    workloads::{BONES, LegionWorld, Scene, Workload},
};

const SKELETONS: usize = 4_000;
const NODES: usize = SKELETONS * BONES;
/// How many bones below roots have values of their own.
const OWNERS: usize = 1_000;
/// A shoulder, with 23 bones below it, and the bone that it is attached to.
const SHOULDER: usize = 9;
const CHEST: usize = 3;

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

/// The skeletons and the values that bones have of their own, as plain data.
struct Model {
    scene: Scene,
    own: Vec<Option<u32>>,
}

impl Model {
    fn new(owners: usize) -> Self {
        let own = |node: usize| node.is_multiple_of(BONES).then_some(node as u32);
        let mut own: Vec<Option<u32>> = (0..NODES).map(own).collect();
        Self::owners().take(owners).for_each(|owner| own[owner] = Some(1));
        let workload = Workload::named("hum_static").expect("a name of the catalogue");
        Self { scene: Scene::new(workload, NODES), own }
    }

    /// The shoulders of every fourth skeleton.
    fn owners() -> impl Iterator<Item = usize> {
        (0..OWNERS).map(|i| i * (SKELETONS / OWNERS) * BONES + SHOULDER)
    }

    /// The bones that have a value of their own.
    fn own(&self) -> impl Iterator<Item = (usize, u32)> {
        self.own.iter().enumerate().filter_map(|(node, own)| Some((node, (*own)?)))
    }

    fn value(&self, mut node: usize) -> u32 {
        while self.own[node].is_none() {
            node = self.scene.parents[node] as usize; // a root has a value
        }
        self.own[node].unwrap_or_default()
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
                Edit::Reparent => {
                    self.scene.parents[node] = ((78 + (tick + 1) % 2) * BONES + CHEST) as u32;
                }
                _ => self.own[node] = self.own[node].map(|value| value + NODES as u32),
            }
        }
        changed
    }
}

trait World {
    fn new(model: &Model) -> Self;
    fn set(&mut self, node: usize, value: u32);
    fn set_parent(&mut self, node: usize, parent: usize);
    fn tick(&mut self);
    fn value(&self, node: usize) -> u32;
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
    built: LegionWorld,
    own: Query<Write<Team>>,
    parents: Query<Write<Parent>>,
}

impl World for Ours {
    fn new(model: &Model) -> Self {
        let bundle = TransformSystemBundle::default().inherit::<Team>();
        let mut built = LegionWorld::new(&model.scene).with_bundle(bundle);
        for (node, value) in model.own() {
            let entity = built.entities()[node];
            built.world.entry(entity).unwrap().add_component(Team(value));
        }
        Self { built, own: IntoQuery::query(), parents: IntoQuery::query() }
    }

    fn set(&mut self, node: usize, value: u32) {
        let entity = self.built.entities()[node];
        self.own.get_mut(&mut self.built.world, entity).unwrap().0 = value;
    }

    fn set_parent(&mut self, node: usize, parent: usize) {
        let [entity, parent] = [node, parent].map(|node| self.built.entities()[node]);
        self.parents.get_mut(&mut self.built.world, entity).unwrap().0 = parent;
    }

    fn tick(&mut self) {
        self.built.run();
    }

    fn value(&self, node: usize) -> u32 {
        let entry = self.built.world.entry_ref(self.built.entities()[node]).unwrap();
        entry.into_component::<Effective<Team>>().unwrap().0
    }
}

struct Bevy {
    app: App,
    entities: Vec<Entity>,
}

impl World for Bevy {
    fn new(model: &Model) -> Self {
        let mut app = App::new();
        app.add_plugins(TaskPoolPlugin::default());
        app.add_plugins(HierarchyPropagatePlugin::<Team>::new(PostUpdate));
        let world = app.world_mut();
        let mut entities: Vec<Entity> = Vec::new();
        for &parent in &model.scene.parents {
            let entity = match entities.get(parent as usize) {
                Some(&parent) => world.spawn(ChildOf(parent)),
                None => world.spawn_empty(),
            };
            entities.push(entity.id());
        }
        for (node, value) in model.own() {
            world.entity_mut(entities[node]).insert(Propagate(Team(value)));
        }
        // The plugin's systems wait for each other, so threads would only hand them over.
        app.edit_schedule(PostUpdate, |schedule| {
            schedule.set_executor(SingleThreadedExecutor::new());
        });
        app.finish();
        Self { app, entities }
    }

    fn set(&mut self, node: usize, value: u32) {
        let entity = self.entities[node];
        self.app.world_mut().get_mut::<Propagate<Team>>(entity).unwrap().0 = Team(value);
    }

    fn set_parent(&mut self, node: usize, parent: usize) {
        let [entity, parent] = [node, parent].map(|node| self.entities[node]);
        self.app.world_mut().entity_mut(entity).insert(ChildOf(parent));
    }

    fn tick(&mut self) {
        self.app.world_mut().run_schedule(PostUpdate);
        self.app.world_mut().clear_trackers();
    }

    fn value(&self, node: usize) -> u32 {
        self.app.world().get::<Team>(self.entities[node]).map_or(0, |team| team.0)
    }
}

/// A world, and what it is to have.
struct Side<W> {
    model: Model,
    world: W,
}

impl<W: World> Side<W> {
    fn new(owners: usize) -> Self {
        let model = Model::new(owners);
        let mut world = W::new(&model);
        (0..3).for_each(|_| world.tick());
        Self { model, world }
    }

    fn step(&mut self, edit: Edit, tick: usize) -> Duration {
        let Self { model, world } = self;
        let changed = model.edit(edit, tick);
        let time = timed(|| {
            for &node in &changed {
                match edit {
                    Edit::Reparent => world.set_parent(node, model.scene.parents[node] as usize),
                    _ => world.set(node, model.own[node].unwrap()),
                }
            }
            world.tick();
        });
        if tick < 2 || tick == TIMES - 1 {
            let is_right = |node| world.value(node) == model.value(node);
            assert!((0..NODES).all(is_right), "the values of tick {tick} are wrong");
        }
        time
    }
}

pub fn print() {
    let mut table = Times::new(&format!("{NODES} bones"), "follow", "bevy_app");
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
        let (mut theirs, mut ours) = (Side::<Bevy>::new(owners), Side::<Ours>::new(owners));
        let times =
            fastest([&mut |tick| theirs.step(edit, tick), &mut |tick| ours.step(edit, tick)]);
        table.row(name, follow, times);
    }
    println!("{}", table.0.text());
}
