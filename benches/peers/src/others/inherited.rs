//! Values that children inherit: `inherit` of this crate and `HierarchyPropagatePlugin` of
//! bevy_app.
//!
//! 4,000 skeletons of 67 bones, each root with a value of its own; in the last rows 1,000 other
//! bones have one, too. A bone has the value of the nearest bone above it, or its own. Behind each
//! row the values of both sides are compared.
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

use super::{Side, Times};
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
#[derive(Clone, Copy)]
enum Edit {
    Nothing,
    Roots,
    Root,
    /// The bones below roots that have values of their own.
    Owners,
    Reparent,
}

/// The shoulders of every fourth skeleton.
fn owners() -> impl Iterator<Item = usize> {
    (0..OWNERS).map(|i| i * (SKELETONS / OWNERS) * BONES + SHOULDER)
}

fn roots() -> impl Iterator<Item = usize> {
    (0..NODES).step_by(BONES)
}

/// The bones that begin with a value of their own.
fn own(owned: bool) -> impl Iterator<Item = (usize, usize)> {
    let owners = owners().filter(move |_| owned).map(|node| (node, 1));
    roots().map(|node| (node, node)).chain(owners)
}

/// The bones that get another value or parent, each with that.
fn changes(edit: Edit, number: usize) -> Vec<(usize, usize)> {
    let value = |node| (node, node + (number + 1) * NODES);
    match edit {
        Edit::Nothing => Vec::new(),
        Edit::Roots => roots().map(value).collect(),
        Edit::Root => vec![value(77 * BONES)],
        Edit::Owners => owners().map(value).collect(),
        // To the neighbour's chest, and back.
        Edit::Reparent => {
            vec![(78 * BONES + SHOULDER, (78 + (number + 1) % 2) * BONES + CHEST)]
        }
    }
}

trait World {
    fn new(scene: &Scene, owned: bool) -> Self;
    fn set(&mut self, node: usize, value: usize);
    fn set_parent(&mut self, node: usize, parent: usize);
    fn tick(&mut self);
    fn value(&self, node: usize) -> usize;
}

/// The value, in Bevy's world the component that is inherited.
#[derive(Clone, Component, PartialEq)]
struct Team(usize);

impl Inherited for Team {
    type Value = usize;
    fn combine(parent: Option<&usize>, own: Option<&Self>) -> usize {
        own.map_or_else(|| *parent.unwrap_or(&0), |own| own.0)
    }
}

struct Ours {
    built: LegionWorld,
    own: Query<Write<Team>>,
    parents: Query<Write<Parent>>,
}

impl World for Ours {
    fn new(scene: &Scene, owned: bool) -> Self {
        let bundle = TransformSystemBundle::default().inherit::<Team>();
        let mut built = LegionWorld::new(scene).with_bundle(bundle);
        for (node, value) in own(owned) {
            let entity = built.entities()[node];
            built.world.entry(entity).unwrap().add_component(Team(value));
        }
        Self { built, own: IntoQuery::query(), parents: IntoQuery::query() }
    }

    fn set(&mut self, node: usize, value: usize) {
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

    fn value(&self, node: usize) -> usize {
        let entry = self.built.world.entry_ref(self.built.entities()[node]).unwrap();
        entry.into_component::<Effective<Team>>().unwrap().0
    }
}

struct Bevy {
    app: App,
    entities: Vec<Entity>,
}

impl World for Bevy {
    fn new(scene: &Scene, owned: bool) -> Self {
        let mut app = App::new();
        app.add_plugins(TaskPoolPlugin::default());
        app.add_plugins(HierarchyPropagatePlugin::<Team>::new(PostUpdate));
        let world = app.world_mut();
        let mut entities: Vec<Entity> = Vec::new();
        for &parent in &scene.parents {
            let entity = match entities.get(parent as usize) {
                Some(&parent) => world.spawn(ChildOf(parent)),
                None => world.spawn_empty(),
            };
            entities.push(entity.id());
        }
        for (node, value) in own(owned) {
            world.entity_mut(entities[node]).insert(Propagate(Team(value)));
        }
        // The plugin's systems wait for each other, so threads would only hand them over.
        app.edit_schedule(PostUpdate, |schedule| {
            schedule.set_executor(SingleThreadedExecutor::new());
        });
        app.finish();
        Self { app, entities }
    }

    fn set(&mut self, node: usize, value: usize) {
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

    fn value(&self, node: usize) -> usize {
        self.app.world().get::<Team>(self.entities[node]).map_or(0, |team| team.0)
    }
}

impl<W: World> Side<Edit> for W {
    fn step(&mut self, edit: Edit, number: usize) -> Duration {
        let changes = changes(edit, number);
        timed(|| {
            for &(node, to) in &changes {
                match edit {
                    Edit::Reparent => self.set_parent(node, to),
                    _ => self.set(node, to),
                }
            }
            self.tick();
        })
    }
}

pub fn print() {
    let workload = Workload::named("hum_static").expect("a name of the catalogue");
    let scene = Scene::new(workload, NODES);
    let mut table = Times::new(&format!("{NODES} bones"), "follow", "bevy_app");
    // How many bones get another value.
    let rows = [
        (false, "nothing changes", Edit::Nothing, 0),
        (false, "one root's value changes", Edit::Root, BONES),
        (false, "all roots' values change", Edit::Roots, NODES),
        (false, "one subtree is re-parented", Edit::Reparent, 24),
        (true, "1,000 bones' own values change", Edit::Owners, 24 * OWNERS),
        (true, "all roots', with 1,000 bones' own", Edit::Roots, NODES - 24 * OWNERS),
    ];
    for (owned, name, edit, follow) in rows {
        let (mut theirs, mut ours) = (Bevy::new(&scene, owned), Ours::new(&scene, owned));
        for _ in 0..3 {
            theirs.tick();
            ours.tick();
        }
        table.row((name, edit, follow), (&mut theirs, &mut ours));
        let is_same = |node| theirs.value(node) == ours.value(node);
        assert!((0..NODES).all(is_same), "values differ where {name}");
    }
    println!("{}", table.0.text());
}
