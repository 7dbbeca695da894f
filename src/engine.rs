//! What the bundle's systems share: one state a world, and the order in which it is brought up to
//! date.

use std::{collections::HashMap, sync::Arc};

use legion::{Resources, World, storage::ComponentTypeId, world::WorldId};

#[cfg(feature = "parallel")]
use crate::parallel;
use crate::{
    accelerators::Without,
    changes::{TransformChanges, WorldChanges},
    diagnostics::Diagnostics,
    findings::{FindingGroup, Findings},
    hierarchy::Hierarchy,
    inverse::Inverses,
    local::{Context, LocalSystems},
    overrides::Overrides,
    propagation::propagate,
    simd::Isa,
    stats::{RunStats, TransformStats},
    storage::{ChangeTracker, Columns, Damage, Mask, WorldLife},
    trace::{Trace, new_findings},
    write_group::WriteGroups,
};

/// What users choose.
pub(crate) struct Options {
    pub write_groups: WriteGroups,
    pub isa: Isa,
    pub without: Without,
    /// Whether world matrices that change are listed.
    pub tracks_changes: bool,
    pub prints_findings: bool,
    /// Whether entities get the matrices that they lack.
    pub inserts_missing: bool,
    #[cfg(feature = "parallel")]
    pub pool: Option<Arc<rayon::ThreadPool>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            write_groups: WriteGroups::default(),
            isa: Isa::default(),
            without: Without::default(),
            tracks_changes: false,
            prints_findings: true,
            inserts_missing: false,
            #[cfg(feature = "parallel")]
            pool: None,
        }
    }
}

/// The options of a bundle. What it remembers of worlds is in the schedule's resources.
pub(crate) struct Engine {
    options: Options,
    choices: Arc<Choices>,
}

/// What all bundles of these resources remember of worlds: a resource, one state a world.
#[derive(Default)]
struct Worlds {
    states: HashMap<WorldId, Kept>,
    /// How many worlds of the process had been dropped when their states were last freed.
    dropped: u64,
}

/// What is kept of one world.
struct Kept {
    /// `None` after a run that panicked or was refused: the next one begins anew.
    state: Option<Box<WorldState>>,
    world: WorldLife,
}

impl From<WorldState> for Kept {
    fn from(state: WorldState) -> Self {
        Self { world: state.tracker.world(), state: Some(Box::new(state)) }
    }
}

/// What the systems remember of one world. All of it is derived: lose it, and the next run builds
/// it again.
struct WorldState {
    choices: Arc<Choices>,
    isa: Isa,
    tracker: ChangeTracker,
    hierarchy: Hierarchy,
    local: LocalSystems,
    inverses: Inverses,
    diagnostics: Diagnostics,
    /// The findings as they were last told, while there are any.
    had_findings: bool,
    relinked: bool,
    /// Whether something was composed that has not been propagated.
    unfinished: bool,
    stats: RunStats,
    /// The list of what changed, during a run that makes one.
    changes: Option<WorldChanges>,
}

/// What a run has to tell.
#[derive(Default)]
struct Finished {
    /// If they may have changed.
    findings: Option<Vec<FindingGroup>>,
    stats: RunStats,
    changes: Option<WorldChanges>,
}

impl Engine {
    pub fn new(options: Options) -> Self {
        let choices = Arc::new(Choices::of(&options));
        Self { options, choices }
    }

    /// Looks at what systems have written, before commands insert: an insertion hides what was
    /// written before it.
    ///
    /// # Panics
    /// If a bundle with other options has run on this world with these resources.
    pub fn look(&self, world: &mut World, resources: &mut Resources) {
        let tracks = self.options.tracks_changes;
        let changes =
            tracks.then(|| resources.get_mut_or_default::<TransformChanges>().take(world.id()));
        let _ = self.with(world, resources, |state, world| {
            state.changes = changes;
            state.changes.iter_mut().for_each(WorldChanges::begin);
            state.tracker.detect(world).map(drop)
        });
    }

    /// Brings the hierarchy up to date, for systems that run before composition.
    pub fn hierarchy(&self, world: &mut World, resources: &mut Resources) {
        // A world that is refused is told about at the end of the run.
        let _ = self.with(world, resources, WorldState::hierarchy);
    }

    /// Brings hierarchy and local matrices up to date, for systems that run before propagation.
    pub fn compose(&self, world: &mut World, resources: &mut Resources) {
        let _ = self.with(world, resources, WorldState::compose);
    }

    /// Brings everything up to date, and tells what came of it in the resources.
    pub fn finish(&self, world: &mut World, resources: &mut Resources) {
        let id = world.id();
        let finished = match self.with(world, resources, WorldState::finish) {
            Ok(finished) => finished,
            Err(damage) => Finished {
                findings: Some(vec![Diagnostics::damaged(world, damage)]),
                ..Finished::default()
            },
        };
        let Finished { findings, stats, changes } = finished;
        if let Some(changes) = changes {
            resources.get_mut_or_default::<TransformChanges>().set(id, changes);
        }
        resources.get_mut_or_default::<TransformStats>().set(id, stats);
        let mut told = resources.get_mut_or_default::<Findings>();
        if let Some(groups) = findings {
            new_findings(&told, id, &groups, self.options.prints_findings);
            told.set(id, groups);
        }
        drop(told);
        forget_dropped(resources);
    }

    /// Runs a stage. The state is out of the map meanwhile, and comes back only if the stage comes
    /// to its end.
    fn with<R>(
        &self,
        world: &mut World,
        resources: &mut Resources,
        run: impl FnOnce(&mut WorldState, &mut World) -> Result<R, Damage>,
    ) -> Result<R, Damage> {
        let mut worlds = resources.get_mut_or_default::<Worlds>();
        let new = |world: &mut World| WorldState::new(&self.choices, world);
        let kept = worlds.states.entry(world.id()).or_insert_with(|| Kept::from(new(world)));
        if let Some(state) = &kept.state {
            state.choices.assert_same(&self.choices);
        }
        let mut state = kept.state.take().unwrap_or_else(|| Box::new(new(world)));
        state.isa = self.options.isa;
        let result = self.options.without.during(|| {
            #[cfg(feature = "parallel")]
            return parallel::on_pool(self.options.pool.clone(), || run(&mut state, world));
            #[cfg(not(feature = "parallel"))]
            run(&mut state, world)
        });
        if result.is_ok() {
            kept.state = Some(state);
        }
        result
    }
}

/// Frees the state of worlds that are no more.
fn forget_dropped(resources: &mut Resources) {
    let mut worlds = resources.get_mut_or_default::<Worlds>();
    let dropped = WorldLife::dropped();
    if std::mem::replace(&mut worlds.dropped, dropped) == dropped {
        return;
    }
    let gone: Vec<WorldId> =
        worlds.states.extract_if(|_, kept| !kept.world.is_alive()).map(|(id, _)| id).collect();
    drop(worlds);
    for id in gone {
        resources.get_mut_or_default::<Findings>().forget(id);
        resources.get_mut_or_default::<TransformStats>().forget(id);
        if let Some(mut changes) = resources.get_mut::<TransformChanges>() {
            changes.forget(id);
        }
    }
}

/// The options that decide what is in a world's state: all bundles of a world have the same.
#[derive(PartialEq, Eq)]
struct Choices {
    write_groups: WriteGroups,
    tracks_changes: bool,
    inserts_missing: bool,
}

impl Choices {
    fn of(options: &Options) -> Self {
        let &Options { ref write_groups, tracks_changes, inserts_missing, .. } = options;
        Self { write_groups: write_groups.clone(), tracks_changes, inserts_missing }
    }

    /// # Panics
    /// If two bundles on one world differ.
    fn assert_same(self: &Arc<Self>, other: &Arc<Self>) {
        if Arc::ptr_eq(self, other) || self == other {
            return;
        }
        let option = match () {
            () if self.tracks_changes != other.tracks_changes => "track_changes()",
            () if self.inserts_missing != other.inserts_missing => "insert_missing()",
            () => "a write_group()",
        };
        panic!(
            "two TransformSystemBundles run on one world with different options: only one of them \
             has {option}; give all bundles of a world the same options"
        );
    }
}

/// Tells what the bundle may write in an archetype, as users' components may have taken some of it
/// over.
fn writable(groups: &WriteGroups) -> impl Fn(Mask, &[ComponentTypeId]) -> Mask + use<> {
    let overrides = Overrides::new(groups);
    move |present, components| present.without(overrides.of(present, components))
}

impl WorldState {
    fn new(choices: &Arc<Choices>, world: &mut World) -> Self {
        Self {
            choices: choices.clone(),
            isa: Isa::default(),
            tracker: ChangeTracker::new(world, writable(&choices.write_groups)),
            hierarchy: Hierarchy::new(choices.inserts_missing),
            local: LocalSystems::default(),
            inverses: Inverses::default(),
            diagnostics: Diagnostics::default(),
            had_findings: false,
            relinked: false,
            unfinished: false,
            stats: RunStats::default(),
            changes: None,
        }
    }

    fn hierarchy(&mut self, world: &mut World) -> Result<(), Damage> {
        let trace = Trace::start("hierarchy");
        self.relinked |= self.hierarchy.update(world, &mut self.tracker)?;
        let relinked = self.hierarchy.take_relinked();
        self.stats.relinked += relinked;
        self.tracker.settle_own(world);
        trace.end(relinked, relinked);
        Ok(())
    }

    fn compose(&mut self, world: &mut World) -> Result<(), Damage> {
        self.hierarchy(world)?;
        let mut columns = Columns::new(world);
        self.note_changes(&columns);
        if self.tracker.any_touched() {
            self.compose_touched(&mut columns);
            // What is left for `finish` must not be forgotten with the versions.
            self.tracker.keep_world_changes();
            self.diagnostics.refresh(&columns, &self.tracker);
            self.tracker.acknowledge(world);
            self.unfinished = true;
        }
        Ok(())
    }

    /// Brings the list of what changed up to date with what came and went; before anything is
    /// composed.
    fn note_changes(&mut self, columns: &Columns<'_>) {
        let is_touched = self.tracker.any_touched();
        for changes in self.changes.iter_mut().filter(|changes| is_touched || changes.is_new()) {
            changes.note(columns, &self.tracker);
        }
    }

    fn compose_touched(&mut self, columns: &mut Columns<'_>) {
        let trace = Trace::start("compose");
        self.stats.archetypes_touched += self.tracker.touched().count();
        let relinked = std::mem::take(&mut self.relinked);
        let (tracker, forest, changes) =
            (&mut self.tracker, self.hierarchy.forest_mut(), self.changes.as_mut());
        let context = Context { columns, tracker, forest, changes, isa: self.isa };
        let (composed, changed) = self.local.run(context, relinked);
        self.stats.composed += composed;
        self.stats.composed_changed += changed;
        trace.end(composed, changed);
    }

    fn finish(&mut self, world: &mut World) -> Result<Finished, Damage> {
        self.hierarchy(world)?;
        if self.changes.is_some() {
            self.note_changes(&Columns::new(world));
        }
        let findings = self.propagate(world);
        let mut changes = self.changes.take();
        changes.iter_mut().for_each(|changes| changes.finish(&Columns::new(world)));
        Ok(Finished { findings, stats: std::mem::take(&mut self.stats), changes })
    }

    /// Does all that comes after the hierarchy. Returns the findings if they may have changed.
    fn propagate(&mut self, world: &mut World) -> Option<Vec<FindingGroup>> {
        let touched = self.tracker.any_touched();
        let unchecked = self.diagnostics.checks.is_due(world);
        let is_idle = !touched && !unchecked && !self.unfinished && !self.had_findings;
        if is_idle && !self.hierarchy.forest().has_marked() {
            return None;
        }
        let mut columns = Columns::new(world);
        if touched {
            self.compose_touched(&mut columns);
        }
        let trace = Trace::start("propagate");
        let (tracker, forest) = (&mut self.tracker, self.hierarchy.forest_mut());
        let (computed, changed) =
            propagate(&mut columns, tracker, forest, self.changes.as_mut(), self.isa);
        trace.end(computed, changed);
        self.stats.propagated += computed;
        self.stats.propagated_changed += changed;
        let unfinished = std::mem::take(&mut self.unfinished);
        if !touched && !unchecked && !unfinished && changed == 0 && !self.had_findings {
            return None;
        }
        self.inverses.run(&mut columns, &mut self.tracker);
        let findings = self.diagnostics.gather(
            &columns,
            &self.tracker,
            &mut self.hierarchy,
            &self.local,
            &self.inverses,
        );
        self.had_findings = !findings.is_empty();
        self.tracker.acknowledge(world);
        Some(findings)
    }
}
