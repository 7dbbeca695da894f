//! A world that goes a way of its own through a program.

use std::collections::{BTreeMap, BTreeSet};

use harness::TestWorld;
use legion::{IntoQuery, Schedule, system, systems::CommandBuffer, world::SubWorld};
use legion_transform::{components::Visible, findings::Finding, frames::Origin, prelude::*};
use legion_transform_testing::{
    Cast, Kind, ListMirror, Numbers, Numeric, Snapshot, Step,
    kind::Shape,
    snapshot::{Row, bits},
};
use serde::{Deserialize, Serialize};

use super::{
    asked::{Answer, Told},
    detours,
};

/// A component that takes over its entity's `LocalToWorld`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim(pub f32);

impl Numeric for Claim {
    const SHAPE: Shape = Shape::Scalar;
    fn numbers(&self) -> Numbers {
        std::array::from_fn(|index| if index == 0 { self.0 } else { 0.0 })
    }
    fn from_numbers(numbers: &Numbers) -> Self {
        Self(numbers[0])
    }
}

pub const OWN: &[Kind] = &[Kind::own::<Claim>()];

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    Plain,
    /// The edits are commands of a system in front of the bundle.
    InFront,
    BeforeComposition,
    BeforePropagation,
    /// Systems everywhere that lend columns for writing, and write nothing.
    Idle,
    /// A new bundle for each run.
    NewBundle,
    NewResources,
    /// All entities move to a new world.
    Moved,
    Cloned,
    Saved,
    /// The inputs are saved alone, and the matrices that no rule derives. The others are inserted.
    SavedInputs,
}

impl Way {
    pub const OTHERS: [Self; 10] = [
        Self::InFront,
        Self::BeforeComposition,
        Self::BeforePropagation,
        Self::Idle,
        Self::NewBundle,
        Self::NewResources,
        Self::Moved,
        Self::Cloned,
        Self::Saved,
        Self::SavedInputs,
    ];

    /// Whether the edits of a program are made in the run.
    fn commands(self) -> bool {
        matches!(self, Self::InFront | Self::BeforeComposition | Self::BeforePropagation)
    }

    /// Whether archetypes stand in the order of the plain way.
    fn keeps_order(self) -> bool {
        !matches!(self, Self::Moved | Self::Cloned | Self::Saved | Self::SavedInputs)
    }

    fn schedule(self, inserts: bool) -> Schedule {
        let (mut builder, mut bundle) = (Schedule::builder(), bundle());
        bundle = if inserts { bundle.insert_missing() } else { bundle };
        match self {
            Self::InFront => drop(builder.add_system(play_script_system())),
            Self::BeforeComposition => bundle = bundle.before_composition(play_script_system()),
            Self::BeforePropagation => bundle = bundle.before_propagation(play_script_system()),
            Self::Idle => {
                builder.add_system(lend_all_system());
                bundle = bundle
                    .before_composition(lend_all_system())
                    .before_propagation(lend_all_system());
            }
            _ => {}
        }
        builder.add_transforms(bundle);
        if self == Self::Idle {
            builder.add_system(lend_all_system());
        }
        builder.build()
    }
}

pub fn bundle() -> TransformSystemBundle {
    TransformSystemBundle::default()
        .write_group::<LocalToWorld, Claim>()
        .large_worlds()
        .inherit::<Visible>()
        .track_changes()
        .print_findings(false)
}

/// Edits that wait for the run.
struct Script(Vec<Step>, Cast);

#[system]
fn play_script(commands: &mut CommandBuffer) {
    commands.exec_mut(|world, resources| {
        let Some(Script(steps, mut cast)) = resources.remove::<Script>() else { return };
        steps.iter().for_each(|step| step.play(world, resources, &mut cast));
        resources.insert(Script(Vec::new(), cast));
    });
}

#[system]
#[write_component(LocalToWorld)]
#[write_component(LocalToParent)]
#[write_component(Translation)]
#[write_component(Scale)]
fn lend_all(world: &mut SubWorld<'_>) {
    let mut all = <(
        Option<&mut LocalToWorld>,
        Option<&mut LocalToParent>,
        Option<&mut Translation>,
        Option<&mut Scale>,
    )>::query();
    all.for_each_mut(world, |_| {});
}

pub struct Traveller {
    way: Way,
    /// Whether its bundles insert what is missing.
    inserts: bool,
    pub test: TestWorld,
    /// The edits since the last run, of a way by commands.
    waiting: Vec<Step>,
    /// Checks that each change is listed. What is listed without need depends on Legion's counter
    /// of versions, which all of these worlds share.
    mirror: ListMirror,
    seen: Seen,
    /// Which children had which parent in the last run.
    had: BTreeMap<Option<usize>, usize>,
}

/// What is seen of a world after a run. Entities are called by their numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    entities: BTreeMap<usize, Being>,
    findings: BTreeSet<(String, Option<usize>, Option<Option<usize>>)>,
    told: Vec<Answer>,
}

#[derive(Clone, Debug, PartialEq)]
struct Being {
    numbers: Vec<(Kind, Vec<u32>)>,
    parent: Option<Option<usize>>,
    previous: Option<Option<Option<usize>>>,
    children: Option<Vec<Option<usize>>>,
    is_visible: Option<bool>,
}

impl Traveller {
    pub fn new(way: Way, inserts: bool) -> Self {
        let mut test = TestWorld { schedule: way.schedule(inserts), ..TestWorld::default() };
        // From now on it is known what the bundle will do.
        test.run();
        let (mirror, seen) = (ListMirror::default(), Seen::default());
        Self { way, inserts, test, waiting: Vec::new(), mirror, seen, had: BTreeMap::new() }
    }

    pub fn take(&mut self, step: &Step) {
        if !matches!(step, Step::Run) {
            match self.way.commands() {
                true => self.waiting.push(step.clone()),
                false => self.test.play(step),
            }
            return;
        }
        self.go_around();
        if self.way.commands() {
            let cast = std::mem::take(&mut self.test.cast);
            self.test.resources.insert(Script(std::mem::take(&mut self.waiting), cast));
        }
        self.test.run();
        if let Some(Script(_, cast)) = self.test.resources.remove::<Script>() {
            self.test.cast = cast;
        }
        self.mirror.follow(&self.test.world, &self.test.resources);
        self.seen = self.look();
    }

    /// What lies between the edits and the run.
    fn go_around(&mut self) {
        let test = &mut self.test;
        match self.way {
            Way::NewBundle => test.schedule = self.way.schedule(self.inserts),
            Way::NewResources => {
                let mut old = std::mem::take(&mut test.resources);
                old.remove::<Told>().into_iter().for_each(|told| test.resources.insert(told));
                old.remove::<Origin>().into_iter().for_each(|it| test.resources.insert(it));
            }
            Way::Moved => detours::moves(test),
            Way::Cloned => detours::is_cloned(test),
            Way::Saved => detours::is_saved(test),
            Way::SavedInputs if self.inserts => detours::is_saved_by_inputs(test),
            _ => {}
        }
    }

    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    /// Panics if this world is another one than the plain one.
    pub fn compare(&mut self, plain: &Seen) {
        self.order_new_children(plain);
        let (way, seen) = (self.way, &self.seen);
        let answers = |seen: &Seen| -> Vec<String> {
            let answer =
                |it: &Answer| if way.keeps_order() { &it.given } else { &it.sorted }.clone();
            seen.told.iter().map(answer).collect()
        };
        assert_eq!(answers(seen), answers(plain), "answers, {way:?}");
        let names = |seen: &Seen| Vec::from_iter(seen.entities.keys().copied());
        assert_eq!(names(seen), names(plain), "who is there, {way:?}");
        for (name, being) in &plain.entities {
            assert_eq!(&seen.entities[name], being, "entity {name}, {way:?}");
        }
        assert_eq!(seen.findings, plain.findings, "findings, {way:?}");
    }

    /// The order of children that come in one run is not specified, and in another world archetypes
    /// stand in another one: writes that of the plain way. Those that were there keep theirs.
    fn order_new_children(&mut self, plain: &Seen) {
        if self.way.keeps_order() {
            return;
        }
        for (name, being) in &mut self.seen.entities {
            let children = plain.entities.get(name).and_then(|it| it.children.as_ref());
            let Some((own, children)) = being.children.as_mut().zip(children) else { continue };
            let was = |child: &&Option<usize>| self.had.get(child).is_some_and(|it| it == name);
            let sorted = |all: &[Option<usize>]| {
                let mut all = all.to_vec();
                all.sort_unstable();
                all
            };
            let is_same = own.iter().filter(was).eq(children.iter().filter(was));
            if own == children || !is_same || sorted(own) != sorted(children) {
                continue;
            }
            let entity = |name: &Option<usize>| self.test.cast.entity((*name)?);
            let list = children.iter().filter_map(entity).collect();
            let at = self.test.cast.entity(*name).expect("it is there");
            self.test.world.entry(at).unwrap().add_component::<Children>(list);
            own.clone_from(children);
        }
        let beings = self.seen.entities.iter();
        let lists = beings.filter_map(|(name, it)| Some((name, it.children.as_ref()?)));
        self.had = lists.flat_map(|(name, all)| all.iter().map(|it| (*it, *name))).collect();
    }

    fn look(&mut self) -> Seen {
        let test = &mut self.test;
        let told = test.resources.remove::<Told>().unwrap_or_default().0;
        let snapshot = Snapshot::with(&test.world, OWN);
        let name = |entity: legion::Entity| test.cast.name(entity);
        let being = |row: &Row| Being {
            numbers: row
                .numbers
                .iter()
                .map(|(kind, it)| (*kind, it.iter().copied().map(bits).collect()))
                .collect(),
            parent: row.parent.map(name),
            previous: row.previous.map(|it| it.map(name)),
            children: row.children.as_ref().map(|all| all.iter().map(|it| name(*it)).collect()),
            is_visible: test.get::<Effective<Visible>>(row.entity).map(|it| it.0),
        };
        let entities = snapshot.rows.iter().filter_map(|row| Some((name(row.entity)?, being(row))));
        let finding =
            |it: Finding| (format!("{:?}", it.kind), name(it.entity), it.related.map(name));
        let findings = test.findings().into_iter().map(finding);
        Seen { entities: entities.collect(), findings: findings.collect(), told }
    }
}
