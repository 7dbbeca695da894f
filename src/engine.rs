//! What the bundle's systems share: one state a world, and the order in which it is brought up to date.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use legion::{Resources, World, world::WorldId};

use crate::{
    diagnostics::{self, Diagnostics},
    findings::{FindingGroup, Findings},
    hierarchy::Hierarchy,
    inverse::Inverses,
    local::compose::LocalSystems,
    overrides::Overrides,
    propagation::propagate,
    simd::Isa,
    stats::{RunStats, TransformStats},
    storage::columns::Columns,
    storage::tracker::{ChangeTracker, DamagedColumn, Writable},
    trace::Trace,
    write_group::WriteGroups,
};

/// All worlds a bundle has run on.
pub(crate) struct Engine {
    groups: WriteGroups,
    isa: Isa,
    worlds: HashMap<WorldId, Kept>,
    /// Lives as long as the bundle: what it told goes with it.
    life: Arc<()>,
    #[cfg(feature = "parallel")]
    pool: Option<Arc<rayon::ThreadPool>>,
}

/// What is kept of one world.
struct Kept {
    /// `None` after a run that panicked or was refused: the next one begins anew.
    state: Option<Box<WorldState>>,
    /// Lives as long as the world.
    world: Weak<()>,
}

/// What the systems remember of one world. All of it is derived: lose it, and the next run builds it again.
struct WorldState {
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
}

impl Engine {
    pub fn new(groups: WriteGroups, isa: Isa) -> Self {
        Self {
            groups,
            isa,
            worlds: HashMap::new(),
            life: Arc::new(()),
            #[cfg(feature = "parallel")]
            pool: None,
        }
    }

    #[cfg(feature = "parallel")]
    pub fn on_pool(self, pool: Option<Arc<rayon::ThreadPool>>) -> Self {
        Self { pool, ..self }
    }

    /// The hierarchy, for systems that run before composition.
    pub fn hierarchy(&mut self, world: &mut World) {
        // A world that is refused is told about at the end of the run.
        let _ = self.with(world, WorldState::hierarchy);
    }

    /// Hierarchy and local matrices, for systems that run before propagation.
    pub fn compose(&mut self, world: &mut World) {
        let _ = self.with(world, WorldState::compose);
    }

    /// Everything.
    pub fn finish(&mut self, world: &mut World, resources: &mut Resources) {
        let id = world.id();
        let (findings, stats) = match self.with(world, WorldState::finish) {
            Ok(finished) => finished,
            Err(damage) => (Some(vec![diagnostics::damaged(world, damage)]), RunStats::default()),
        };
        resources.get_mut_or_default::<TransformStats>().set(id, stats);
        let mut told = resources.get_mut_or_default::<Findings>();
        if let Some(groups) = findings {
            #[cfg(feature = "tracing")]
            crate::trace::new_findings(&told, id, &groups);
            told.set(id, &self.life, groups, |finding| diagnostics::still_stands(world, finding));
        }
        drop(told);
        self.forget_dropped(resources);
    }

    /// Runs a stage. The state is out of the map meanwhile, and comes back only if the stage comes to its end.
    fn with<R: Send>(
        &mut self,
        world: &mut World,
        run: impl FnOnce(&mut WorldState, &mut World) -> Result<R, DamagedColumn> + Send,
    ) -> Result<R, DamagedColumn> {
        let kept = self.worlds.entry(world.id());
        let kept = kept.or_insert_with(|| Kept { state: None, world: lives::of(world) });
        let mut state = kept.state.take().unwrap_or_else(|| Box::new(WorldState::new(&self.groups, self.isa)));
        #[cfg(feature = "parallel")]
        let result = match &self.pool {
            Some(pool) => pool.install(|| run(&mut state, world)),
            None => run(&mut state, world),
        };
        #[cfg(not(feature = "parallel"))]
        let result = run(&mut state, world);
        if result.is_ok() {
            kept.state = Some(state);
        }
        result
    }

    /// Frees the state of worlds that are no more.
    fn forget_dropped(&mut self, resources: &mut Resources) {
        if self.worlds.values().all(|kept| kept.world.strong_count() > 0) {
            return;
        }
        let dropped = self.worlds.extract_if(|_, kept| kept.world.strong_count() == 0);
        for (id, _) in dropped {
            resources.get_mut_or_default::<Findings>().forget(id);
            resources.get_mut_or_default::<TransformStats>().forget(id);
        }
    }
}

/// Tells what the bundle may write in an archetype, as users' components may have taken some of it over.
fn writable(groups: &WriteGroups) -> Writable {
    let overrides = Overrides::new(groups);
    Box::new(move |present, components| present.without(overrides.of(present, components)))
}

impl WorldState {
    fn new(groups: &WriteGroups, isa: Isa) -> Self {
        Self {
            isa,
            tracker: ChangeTracker::new(writable(groups)),
            hierarchy: Hierarchy::default(),
            local: LocalSystems::default(),
            inverses: Inverses::default(),
            diagnostics: Diagnostics::default(),
            had_findings: false,
            relinked: false,
            unfinished: false,
            stats: RunStats::default(),
        }
    }

    fn hierarchy(&mut self, world: &mut World) -> Result<(), DamagedColumn> {
        let trace = Trace::start("hierarchy");
        self.relinked |= self.hierarchy.update(world, &mut self.tracker)?;
        let relinked = self.hierarchy.take_relinked();
        self.stats.relinked += relinked;
        trace.end(relinked, relinked);
        Ok(())
    }

    fn compose(&mut self, world: &mut World) -> Result<(), DamagedColumn> {
        self.hierarchy(world)?;
        let mut columns = Columns::new(world);
        if self.tracker.any_touched() {
            self.compose_touched(&mut columns);
            // What is left for `finish` must not be forgotten with the versions.
            self.inverses.note(&mut self.tracker);
            self.diagnostics.refresh(&columns, &self.tracker);
            self.tracker.acknowledge();
            self.unfinished = true;
        }
        Ok(())
    }

    fn compose_touched(&mut self, columns: &mut Columns<'_>) {
        let trace = Trace::start("compose");
        self.stats.archetypes_touched += self.tracker.touched().count();
        let relinked = std::mem::take(&mut self.relinked);
        self.local.run(columns, &mut self.tracker, self.hierarchy.forest_mut(), relinked, self.isa);
        let (composed, changed) = (std::mem::take(&mut self.local.composed), std::mem::take(&mut self.local.changed));
        self.stats.composed += composed;
        self.stats.composed_changed += changed;
        trace.end(composed, changed);
    }

    /// Returns the findings if they may have changed, and what was done.
    fn finish(&mut self, world: &mut World) -> Result<(Option<Vec<FindingGroup>>, RunStats), DamagedColumn> {
        self.hierarchy(world)?;
        let findings = self.propagate(world);
        Ok((findings, std::mem::take(&mut self.stats)))
    }

    /// Everything after the hierarchy.
    fn propagate(&mut self, world: &mut World) -> Option<Vec<FindingGroup>> {
        let touched = self.tracker.any_touched();
        if !touched && !self.unfinished && !self.had_findings && !self.hierarchy.forest().has_marked() {
            return None;
        }
        let mut columns = Columns::new(world);
        if touched {
            self.compose_touched(&mut columns);
        }
        let trace = Trace::start("propagate");
        let (computed, changed) = propagate(&mut columns, &mut self.tracker, self.hierarchy.forest_mut(), self.isa);
        trace.end(computed, changed);
        self.stats.propagated += computed;
        self.stats.propagated_changed += changed;
        let unfinished = std::mem::take(&mut self.unfinished);
        if !touched && !unfinished && changed == 0 && !self.had_findings {
            return None;
        }
        self.inverses.run(&mut columns, &mut self.tracker);
        let findings =
            self.diagnostics.gather(&columns, &self.tracker, &mut self.hierarchy, &self.local.parent_scales, &self.inverses);
        self.had_findings = !findings.is_empty();
        self.tracker.acknowledge();
        Some(findings)
    }
}

/// Whether worlds still are.
mod lives {
    use std::{
        collections::HashMap,
        sync::{Arc, LazyLock, Mutex, PoisonError, Weak},
    };

    use legion::{
        World,
        query::{FilterResult, LayoutFilter},
        storage::ComponentTypeId,
        world::{Event, EventSender, WorldId},
    };

    /// One for each world, whichever bundle came first: Legion never lets a subscriber go.
    static LIVES: LazyLock<Mutex<HashMap<WorldId, Weak<()>>>> = LazyLock::new(Mutex::default);

    /// Something that is dropped with the world.
    pub fn of(world: &mut World) -> Weak<()> {
        let mut lives = LIVES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lives.get(&world.id()).filter(|life| life.strong_count() > 0) {
            return known.clone();
        }
        let life = Arc::new(());
        let weak = Arc::downgrade(&life);
        world.subscribe(Life(life), Nothing);
        // As often as the map would have to grow, so that a world costs the same however many there were before it.
        if lives.len() == lives.capacity() {
            lives.retain(|_, life| life.strong_count() > 0);
        }
        lives.insert(world.id(), weak.clone());
        weak
    }

    /// Lives inside the world, as a subscriber to nothing, and dies with it.
    struct Life(Arc<()>);

    impl EventSender for Life {
        fn send(&self, _: Event) -> bool {
            Arc::strong_count(&self.0) > 0
        }
    }

    struct Nothing;

    impl LayoutFilter for Nothing {
        fn matches_layout(&self, _: &[ComponentTypeId]) -> FilterResult {
            FilterResult::Match(false)
        }
    }
}
