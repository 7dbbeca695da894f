//! A sequence of edits and runs.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use legion::{Entity, World, world::Entry};
use legion_transform::prelude::*;

use super::model::Model;
use crate::{
    kind::{Kind, Numbers},
    program::{self, Name, Program, Value, letter},
};

/// An edit, or a run. Entities are numbered in the order in which they are spawned.
#[derive(Clone)]
#[non_exhaustive]
pub enum Step {
    /// A run of the schedule.
    Run,
    /// A new entity with `LocalToWorld` (and `LocalToParent` if it has a parent).
    Spawn {
        /// Its number.
        name: Name,
        /// Its other components.
        components: Vec<Value>,
        /// The entity that it hangs off.
        parent: Option<Name>,
    },
    /// The entity is removed. Its children become roots.
    Despawn(Name),
    /// The first entity hangs off the second one.
    Parent(Name, Name),
    /// The entity loses `Parent` and `LocalToParent`.
    Unparent(Name),
    /// A component is written, or added.
    Put(Name, Value),
    /// A component is removed, whatever its value.
    Remove(Name, Value),
    /// The entity gets a component that means nothing: it moves to another archetype.
    Tag(Name),
    /// The entity loses that component.
    Untag(Name),
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut program = Program::default();
        self.print(&mut program);
        write!(f, "{program}")
    }
}

impl Step {
    /// The lines that do what [`play`](Self::play) does.
    fn print(&self, program: &mut Program) {
        match self {
            Self::Run => program.line("schedule.execute(&mut world, &mut resources);"),
            Self::Spawn { name, components, parent } => {
                program.spawn(*name, &numbers(components), *parent);
                own(components).for_each(|own| program.add(*name, &format!("{own:?}")));
            }
            Self::Despawn(name) => program.line(format!("world.remove({});", letter(*name))),
            Self::Parent(name, parent) => {
                program.add(*name, &format!("Parent({})", letter(*parent)))
            }
            Self::Unparent(name) => {
                program.remove(*name, "Parent");
                program.remove(*name, "LocalToParent");
            }
            Self::Put(name, value) => program.add(*name, &format!("{value:?}")),
            Self::Remove(name, value) => program.remove(*name, value.name()),
            Self::Tag(name) => program.add(*name, "0_u8"),
            Self::Untag(name) => program.remove(*name, "u8"),
        }
    }

    /// Makes the edit.
    fn play(&self, world: &mut World, entities: &mut HashMap<Name, Entity>) {
        let entity = |name: &Name| entities[name];
        fn entry<'a>(world: &'a mut World, entity: Entity) -> Entry<'a> {
            world.entry(entity).expect("an entity that lives")
        }
        match self {
            Self::Run => {}
            Self::Spawn { name, components, parent } => {
                let parent = parent.as_ref().map(entity);
                let spawned = program::spawn(world, &numbers(components), parent);
                let mut entry = world.entry(spawned).expect("just spawned");
                own(components).for_each(|own| own.add(&mut entry));
                entities.insert(*name, spawned);
            }
            Self::Despawn(name) => drop(world.remove(entity(name))),
            Self::Parent(name, parent) => {
                let parent = Parent(entity(parent));
                entry(world, entity(name)).add_component(parent);
            }
            Self::Unparent(name) => {
                let mut entry = entry(world, entity(name));
                entry.remove_component::<Parent>();
                entry.remove_component::<LocalToParent>();
            }
            Self::Put(name, value) => value.add(&mut entry(world, entity(name))),
            Self::Remove(name, value) => value.remove(&mut entry(world, entity(name))),
            Self::Tag(name) => entry(world, entity(name)).add_component(0_u8),
            Self::Untag(name) => entry(world, entity(name)).remove_component::<u8>(),
        }
    }
}

fn numbers(components: &[Value]) -> Vec<(Kind, Numbers)> {
    let number = |value: &Value| match value {
        Value::Numbers(kind, numbers) => Some((*kind, *numbers)),
        Value::Own(_) => None,
    };
    components.iter().filter_map(number).collect()
}

fn own(components: &[Value]) -> impl Iterator<Item = &Value> {
    components.iter().filter(|value| matches!(value, Value::Own(_)))
}

/// A world from its first entity on: edits with runs in between, and one at the end.
///
/// `Debug` prints the program that [`play`](Self::play) plays.
#[derive(Clone)]
pub struct History {
    /// Each step, and how many of the generated ones have been taken with it.
    steps: Vec<(Step, usize)>,
    seen: Option<Arc<AtomicUsize>>,
}

impl History {
    pub(crate) fn new(
        mut model: Model,
        transitions: &[Step],
        seen: Option<Arc<AtomicUsize>>,
    ) -> Self {
        let start = std::mem::take(&mut model.start);
        let mut steps: Vec<_> = start.into_iter().map(|step| (step, 0)).collect();
        let end = Step::Run;
        for (taken, transition) in (1..).zip(transitions.iter().chain([&end])) {
            let taken = taken.min(transitions.len());
            steps.extend(model.apply(transition).into_iter().map(|step| (step, taken)));
        }
        Self { steps, seen }
    }

    /// The edits and runs.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().map(|(step, _)| step)
    }

    /// Makes all edits in a world, and calls `run` where a run stands. It ends where `run` returns
    /// false: while a failing case shrinks, what comes after that is left out at once.
    pub fn play(&self, world: &mut World, mut run: impl FnMut(&mut World) -> bool) {
        let mut entities = HashMap::new();
        for (step, taken) in &self.steps {
            if let Some(seen) = &self.seen {
                seen.store(*taken, Ordering::SeqCst);
            }
            match step {
                Step::Run if run(world) => {}
                Step::Run => return,
                edit => edit.play(world, &mut entities),
            }
        }
    }
}

impl fmt::Debug for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut program = Program::default();
        self.steps().for_each(|step| step.print(&mut program));
        write!(f, "{program}")
    }
}
