//! What a check has tried, and whether that was anything at all.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use legion::{
    Schedule, World,
    storage::{Component, ComponentTypeId},
    systems::{ResourceTypeId, Runnable, Step, SystemBuilder},
};
use legion_transform::query::ReadTransforms;

use crate::{kind::Kind, numeric::short, snapshot::archetypes};

/// What a check has seen: a promise about entities that never were holds for nothing.
///
/// ```
/// use legion::*;
/// use legion_transform::prelude::*;
/// use legion_transform_testing::{check_system, edits};
///
/// let bundle = TransformSystemBundle::default;
/// let seen = check_system(
///     edits(),
///     || Schedule::builder().add_transforms(bundle()).build(),
///     |_, _| Ok(()),
/// );
/// assert!(seen.worlds > 256 && seen.entities_with::<Translation>() > 10_000);
/// println!("{seen}");
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Seen {
    /// How many worlds.
    pub worlds: usize,
    /// How many edits of them.
    pub edits: usize,
    /// How many runs of the schedule.
    pub runs: usize,
    /// How many entities had each component, summed over all runs.
    entities: BTreeMap<ComponentTypeId, usize>,
}

impl Seen {
    /// How many entities had a component after a run, summed over all runs.
    #[must_use]
    pub fn entities_with<T: Component>(&self) -> usize {
        self.entities.get(&ComponentTypeId::of::<T>()).copied().unwrap_or_default()
    }

    /// Counts the entities of a world after a run.
    pub(crate) fn count(&mut self, world: &World) {
        self.runs += 1;
        for archetype in archetypes(world) {
            let rows = archetype.entities().len();
            for &component in archetype.layout().component_types() {
                *self.entities.entry(component).or_default() += rows;
            }
        }
    }

    /// Each of these components must have been on some entity after some run.
    #[track_caller]
    pub(crate) fn assert_all(&self, wanted: &BTreeSet<ComponentTypeId>) {
        let is_missing = |it: &&ComponentTypeId| self.entities.get(it).is_none_or(|&n| n == 0);
        let missing: Vec<String> = wanted.iter().filter(is_missing).map(|it| name(*it)).collect();
        assert!(
            missing.is_empty() || self.worlds == 0,
            "nothing was tested of {}: no entity had it after any run. Add it by \
             `edits().own(..)` if it is your own, and by `edits().and(&[Kind::..])` or more \
             `.cases(..)` if it is not. Seen were {self}",
            missing.join(", ")
        );
    }
}

/// One line, and one for each component.
impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { worlds, edits, runs, entities } = self;
        write!(f, "{worlds} worlds, {edits} edits, {runs} runs; entities, summed over the runs:")?;
        for (component, count) in entities {
            write!(f, "\n  {count:>8} with {}", name(*component))?;
        }
        Ok(())
    }
}

/// The name of a component, without its path. (Legion knows names in debug builds.)
fn name(component: ComponentTypeId) -> String {
    let own = Kind::ALL.iter().find(|kind| kind.type_id() == component);
    own.map_or_else(|| short(&component.to_string()).to_owned(), |kind| kind.name().to_owned())
}

/// What the systems of a schedule ask for.
#[derive(Default)]
pub(crate) struct Asked {
    /// The components that they read or write.
    pub components: BTreeSet<ComponentTypeId>,
    /// The resources, by name.
    pub resources: BTreeSet<String>,
}

impl Asked {
    /// Of all systems of a schedule. Functions of the world alone say nothing about what they ask
    /// for. A system that declares every component of the crate, as
    /// [`read_transforms`](legion_transform::read_transforms) does, names none of them.
    pub fn by(schedule: Schedule) -> Self {
        let mut asked = Self::default();
        let whole = SystemBuilder::new("all").read_transforms().build(|_, _, _, _| {});
        let all: BTreeSet<ComponentTypeId> = whole.reads().1.iter().copied().collect();
        for step in schedule.into_vec() {
            match step {
                Step::Systems(executor) => {
                    let systems = executor.into_vec();
                    systems.iter().for_each(|it| asked.add(it.reads(), it.writes(), &all));
                }
                Step::ThreadLocalSystem(system) => {
                    asked.add(system.reads(), system.writes(), &all);
                }
                Step::FlushCmdBuffers | Step::ThreadLocalFn(_) => {}
            }
        }
        asked
    }

    fn add(&mut self, reads: Access<'_>, writes: Access<'_>, all: &BTreeSet<ComponentTypeId>) {
        let components: BTreeSet<ComponentTypeId> =
            reads.1.iter().chain(writes.1).copied().collect();
        let is_whole = all.is_subset(&components);
        self.components.extend(components.into_iter().filter(|it| !is_whole || !all.contains(it)));
        let resources = reads.0.iter().chain(writes.0);
        self.resources.extend(resources.map(|it| short(&it.to_string()).to_owned()));
    }
}

type Access<'a> = (&'a [ResourceTypeId], &'a [ComponentTypeId]);
