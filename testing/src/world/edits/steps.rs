//! One edit of a world, as a line of a program.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::Arc,
};

use legion::{Entity, Resources, World, any, component, world::Entry};
use legion_transform::{components::PreviousParent, prelude::*};

use crate::{
    kind::{Kind, Numbers},
    world::{
        program::{self, Name, Program, Rows},
        value::Value,
    },
};

/// How programs name `PreviousParent`: the prelude does not have it.
const RECORD: &str = "legion_transform::components::PreviousParent";

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
    /// Many entities at once.
    Extend(Rows),
    /// Many entities at once, out of another world, with these components, too.
    Merge(Rows, Vec<Value>),
    /// The entity is removed. Its children become roots.
    Despawn(Name),
    /// The first entity hangs off the second one.
    Parent(Name, Name),
    /// The entity gets `Parent` and nothing else. The parent may be dead.
    Link(Name, Name),
    /// The entity loses `Parent` and `LocalToParent`.
    Unparent(Name),
    /// The entity loses `Parent`, and keeps `LocalToParent`.
    Unlink(Name),
    /// A component is written, or added.
    Put(Name, Value),
    /// A component is written in place.
    Write(Name, Value),
    /// A component gets the value that it has: Legion counts that as written.
    Touch(Name, Kind),
    /// Each component of a type is written, by a query: one in so many gets this value, the others
    /// keep theirs.
    Each(Value, usize),
    /// A component is removed, whatever its value.
    Remove(Name, Value),
    /// `PreviousParent`, which only the bundle writes, is written or removed.
    Record(Name, Option<Option<Name>>),
    /// `Children`, which only the bundle writes, is written or removed.
    List(Name, Option<Vec<Name>>),
    /// The entity gets a component that means nothing: it moves to another archetype.
    Tag(Name),
    /// The entity loses that component.
    Untag(Name),
    /// All entities with `Translation` move to another world, and back.
    Travel,
    /// All entities are removed.
    Clear,
    /// Your own edit: see [`Histories::edit`](crate::Histories::edit).
    Own(Arc<dyn OwnEdit>),
}

/// Your own edit. Its `Debug` is the line that stands for it in a program.
pub trait OwnEdit: fmt::Debug + Send + Sync {
    /// Makes the edit. The entities in `cast` may be dead.
    fn play(&self, world: &mut World, resources: &mut Resources, cast: &mut Cast);
}

/// Which entity of a world has which number.
#[derive(Clone, Debug, Default)]
pub struct Cast {
    entities: BTreeMap<Name, Entity>,
    names: HashMap<Entity, Name>,
}

impl Cast {
    /// The entity of a number, dead or alive.
    #[must_use]
    pub fn entity(&self, name: usize) -> Option<Entity> {
        self.entities.get(&name).copied()
    }

    /// The number of an entity.
    #[must_use]
    pub fn name(&self, entity: Entity) -> Option<usize> {
        self.names.get(&entity).copied()
    }

    /// The number of an entity. One that no step has spawned gets a number that no step uses.
    pub fn number(&mut self, entity: Entity) -> usize {
        const FOREIGN: Name = Name::MAX / 2;
        self.name(entity).unwrap_or_else(|| {
            let last = self.entities.last_key_value().map_or(0, |(last, _)| last + 1);
            let number = last.max(FOREIGN);
            self.add(number, &[entity]);
            number
        })
    }

    /// One of all entities that were spawned so far, dead or alive: the one whose turn it is when
    /// they are counted round and round.
    #[must_use]
    pub fn pick(&self, index: usize) -> Option<Entity> {
        let all = self.entities();
        all.get(index.checked_rem(all.len())?).copied()
    }

    /// All entities that were spawned so far, dead or alive, in the order of their numbers.
    #[must_use]
    pub fn entities(&self) -> Vec<Entity> {
        self.entities.values().copied().collect()
    }

    /// Call where the world was loaded or cloned, so that its entities have other ids: those of
    /// `renamed`. The others keep theirs.
    pub fn rename(&mut self, renamed: impl Fn(Entity) -> Option<Entity>) {
        self.names.clear();
        for (name, entity) in &mut self.entities {
            *entity = renamed(*entity).unwrap_or(*entity);
            self.names.insert(*entity, *name);
        }
    }

    fn add(&mut self, first: Name, entities: &[Entity]) {
        for (name, &entity) in (first..).zip(entities) {
            self.entities.insert(name, entity);
            self.names.insert(entity, name);
        }
    }
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
    pub(super) fn print(&self, program: &mut Program) {
        match self {
            Self::Run => program.line("schedule.execute(&mut world, &mut resources);"),
            Self::Spawn { name, components, parent } => {
                program.spawn(*name, &numbers(components), *parent);
                own(components).for_each(|own| program.add(*name, &format!("{own:?}")));
            }
            Self::Extend(rows) => program.extend("world", rows),
            Self::Merge(rows, components) => program.merge(rows, components),
            Self::Despawn(name) => {
                let name = program.letter(*name);
                program.line(format!("world.remove({name});"));
            }
            Self::Parent(name, parent) | Self::Link(name, parent) => {
                let parent = program.letter(*parent);
                program.add(*name, &format!("Parent({parent})"));
            }
            Self::Unparent(name) => {
                program.remove(*name, "Parent");
                program.remove(*name, "LocalToParent");
            }
            Self::Unlink(name) => program.remove(*name, "Parent"),
            Self::Put(name, value) => program.add(*name, &format!("{value:?}")),
            Self::Write(name, value) => {
                program.write(*name, value.name(), &format!("{value:?}"));
            }
            Self::Each(value, every) => {
                let query = format!("<&mut {}>::query().iter_mut(&mut world)", value.name());
                let write = format!("for_each(|it| *it = {value:?})");
                program.line(format!("{query}.step_by({every}).{write};"));
            }
            Self::Touch(name, kind) => {
                program.write(*name, kind.name(), "{ let same = *it; same }")
            }
            Self::Remove(name, value) => program.remove(*name, value.name()),
            Self::Record(name, None) => program.remove(*name, RECORD),
            Self::Record(name, Some(parent)) => {
                let parent = parent.map(|parent| program.letter(parent));
                let parent = parent.map_or("None".to_owned(), |parent| format!("Some({parent})"));
                program.add(*name, &format!("{RECORD}({parent})"));
            }
            Self::List(name, None) => program.remove(*name, "Children"),
            Self::List(name, Some(list)) => {
                let list: Vec<_> = list.iter().map(|child| program.letter(*child)).collect();
                program.add(*name, &format!("Children::from_iter([{}])", list.join(", ")));
            }
            Self::Tag(name) => program.add(*name, "0_u8"),
            Self::Untag(name) => program.remove(*name, "u8"),
            Self::Travel => {
                program.line("let mut elsewhere = World::default();");
                program.line("elsewhere.move_from(&mut world, &component::<Translation>());");
                program.line("world.move_from(&mut elsewhere, &any());");
            }
            Self::Clear => program.line("world.clear();"),
            Self::Own(own) => program.line(format!("{own:?}")),
        }
    }

    /// The number of the entity whose components it changes, if it is an edit of one that is there.
    #[must_use]
    pub fn changed(&self) -> Option<usize> {
        match *self {
            Self::Parent(name, _)
            | Self::Link(name, _)
            | Self::Unparent(name)
            | Self::Unlink(name)
            | Self::Put(name, _)
            | Self::Write(name, _)
            | Self::Touch(name, _)
            | Self::Remove(name, _)
            | Self::Record(name, _)
            | Self::List(name, _)
            | Self::Tag(name)
            | Self::Untag(name) => Some(name),
            _ => None,
        }
    }

    /// Makes the edit. Does nothing for a run, and for an entity that is not there.
    pub fn play(&self, world: &mut World, resources: &mut Resources, cast: &mut Cast) {
        match self {
            Self::Run => {}
            Self::Spawn { name, components, parent } => {
                let parent = parent.and_then(|parent| cast.entity(parent));
                let spawned = program::spawn(world, &numbers(components), parent);
                let mut entry = world.entry(spawned).expect("just spawned");
                own(components).for_each(|own| own.add(&mut entry));
                cast.add(*name, &[spawned]);
            }
            Self::Extend(rows) => {
                let parent = rows.parent.and_then(|parent| cast.entity(parent));
                cast.add(rows.first, &rows.extend(world, parent));
            }
            Self::Merge(rows, components) => {
                let parent = rows.parent.and_then(|parent| cast.entity(parent));
                let mut other = World::default();
                let entities = rows.extend(&mut other, parent);
                for &entity in &entities {
                    let mut entry = other.entry(entity).expect("just spawned");
                    components.iter().for_each(|component| component.add(&mut entry));
                }
                world.move_from(&mut other, &any());
                cast.add(rows.first, &entities);
            }
            Self::Each(value, every) => value.write_each(world, *every),
            Self::Despawn(name) => {
                if let Some(entity) = cast.entity(*name) {
                    world.remove(entity);
                }
            }
            Self::Travel => {
                let mut elsewhere = World::default();
                elsewhere.move_from(world, &component::<Translation>());
                world.move_from(&mut elsewhere, &any());
            }
            Self::Clear => world.clear(),
            Self::Own(own) => own.play(world, resources, cast),
            _ => {
                let entity = self.changed().and_then(|name| cast.entity(name));
                if let Some(mut entry) = entity.and_then(|entity| world.entry(entity)) {
                    self.change(&mut entry, cast);
                }
            }
        }
    }

    /// Changes one entity.
    fn change(&self, entry: &mut Entry<'_>, cast: &Cast) {
        match self {
            Self::Parent(_, parent) | Self::Link(_, parent) => {
                let parent = cast.entity(*parent).map(Parent);
                parent.into_iter().for_each(|parent| entry.add_component(parent));
            }
            Self::Unparent(_) => {
                entry.remove_component::<Parent>();
                entry.remove_component::<LocalToParent>();
            }
            Self::Unlink(_) => entry.remove_component::<Parent>(),
            Self::Put(_, value) => value.add(entry),
            Self::Write(_, value) => value.write(entry),
            Self::Touch(_, kind) => {
                if let Some(numbers) = kind.get(entry) {
                    kind.set(entry, &numbers);
                }
            }
            Self::Remove(_, value) => value.remove(entry),
            Self::Record(_, None) => entry.remove_component::<PreviousParent>(),
            Self::Record(_, Some(parent)) => {
                let parent = parent.and_then(|parent| cast.entity(parent));
                entry.add_component(PreviousParent::from(parent));
            }
            Self::List(_, None) => entry.remove_component::<Children>(),
            Self::List(_, Some(list)) => {
                let list = list.iter().filter_map(|child| cast.entity(*child));
                entry.add_component(list.collect::<Children>());
            }
            Self::Tag(_) => entry.add_component(0_u8),
            Self::Untag(_) => entry.remove_component::<u8>(),
            _ => {} // not an edit of one entity
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
