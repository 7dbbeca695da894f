//! What the bundle's systems share: one state a world, and the order in which it is brought up to date.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use legion::{
    Resources, World,
    query::{FilterResult, LayoutFilter},
    storage::ComponentTypeId,
    world::{Event, EventSender, WorldId},
};

use crate::{
    archetypes::Archetypes,
    findings::{FindingGroup, Findings},
    hierarchy::parent_system::ParentSystem,
    local::compose::LocalSystems,
    raw::{slices::Columns, sweep::propagate},
    standing::Standing,
    stats::{RunStats, TransformStats},
    trace::Trace,
    world::inverse::Inverses,
    write_group::WriteGroups,
};

/// All worlds a bundle has run on.
pub(crate) struct Engine {
    groups: WriteGroups,
    worlds: HashMap<WorldId, WorldState>,
    #[cfg(feature = "parallel")]
    pool: Option<Arc<rayon::ThreadPool>>,
}

/// What the systems remember of one world. All of it is derived: lose it, and the next run builds it again.
struct WorldState {
    archetypes: Archetypes,
    parents: ParentSystem,
    local: LocalSystems,
    inverses: Inverses,
    standing: Standing,
    /// The findings as they were last told, while there are any.
    had_findings: bool,
    relinked: bool,
    /// Whether something was composed that has not been propagated.
    unfinished: bool,
    stats: RunStats,
    world: Weak<()>,
}

impl Engine {
    pub fn new(groups: WriteGroups) -> Self {
        Self {
            groups,
            worlds: HashMap::new(),
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
        self.with(world, WorldState::hierarchy);
    }

    /// Hierarchy and local matrices, for systems that run before propagation.
    pub fn compose(&mut self, world: &mut World) {
        self.with(world, WorldState::compose);
    }

    /// Everything.
    pub fn finish(&mut self, world: &mut World, resources: &mut Resources) {
        let id = world.id();
        let findings = self.with(world, WorldState::finish);
        let stats = self.worlds.get_mut(&id).map(|state| std::mem::take(&mut state.stats)).unwrap_or_default();
        resources.get_mut_or_default::<TransformStats>().set(id, stats);
        let mut told = resources.get_mut_or_default::<Findings>();
        if let Some(groups) = findings {
            #[cfg(feature = "tracing")]
            crate::trace::new_findings(&told, id, &groups);
            told.set(id, groups);
        }
        drop(told);
        self.forget_dropped(resources);
    }

    fn with<R: Send>(&mut self, world: &mut World, run: impl FnOnce(&mut WorldState, &mut World) -> R + Send) -> R {
        let groups = &self.groups;
        let state = self.worlds.entry(world.id()).or_insert_with(|| WorldState::new(groups, world));
        #[cfg(feature = "parallel")]
        if let Some(pool) = &self.pool {
            return pool.install(|| run(state, world));
        }
        run(state, world)
    }

    /// Frees the state of worlds that are no more.
    fn forget_dropped(&mut self, resources: &mut Resources) {
        if self.worlds.values().all(|state| state.world.strong_count() > 0) {
            return;
        }
        let dropped = |state: &WorldState| state.world.strong_count() == 0;
        let ids: Vec<WorldId> = self.worlds.iter().filter(|(_, state)| dropped(state)).map(|(&id, _)| id).collect();
        for id in ids {
            self.worlds.remove(&id);
            resources.get_mut_or_default::<Findings>().forget(id);
            resources.get_mut_or_default::<TransformStats>().forget(id);
        }
    }
}

impl WorldState {
    fn new(groups: &WriteGroups, world: &mut World) -> Self {
        let life = Arc::new(());
        let state = Self {
            archetypes: Archetypes::new(groups),
            parents: ParentSystem::default(),
            local: LocalSystems::default(),
            inverses: Inverses::default(),
            standing: Standing::default(),
            had_findings: false,
            relinked: false,
            unfinished: false,
            stats: RunStats::default(),
            world: Arc::downgrade(&life),
        };
        world.subscribe(Life(life), Nothing);
        state
    }

    fn hierarchy(&mut self, world: &mut World) {
        let trace = Trace::start("hierarchy");
        self.relinked |= self.parents.run(world, &mut self.archetypes);
        let relinked = std::mem::take(&mut self.parents.relinked);
        self.stats.relinked += relinked;
        trace.end(relinked, relinked);
    }

    fn compose(&mut self, world: &mut World) {
        self.hierarchy(world);
        let mut columns = Columns::new(world);
        if self.archetypes.any_touched() {
            self.compose_touched(&mut columns);
            // What is left for `finish` must not be forgotten with the versions.
            self.inverses.note(&mut self.archetypes);
            self.standing.refresh(&columns, &self.archetypes);
            self.archetypes.settle();
            self.unfinished = true;
        }
    }

    fn compose_touched(&mut self, columns: &mut Columns<'_>) {
        let trace = Trace::start("compose");
        self.stats.archetypes_touched += self.archetypes.touched().count();
        self.local.run(columns, &mut self.archetypes, &mut self.parents, std::mem::take(&mut self.relinked));
        let (composed, changed) = (std::mem::take(&mut self.local.composed), std::mem::take(&mut self.local.changed));
        self.stats.composed += composed;
        self.stats.composed_changed += changed;
        trace.end(composed, changed);
    }

    /// Returns the findings if they may have changed.
    fn finish(&mut self, world: &mut World) -> Option<Vec<FindingGroup>> {
        self.hierarchy(world);
        let touched = self.archetypes.any_touched();
        if !touched && !self.unfinished && !self.had_findings && !self.parents.forest.has_marked() {
            return None;
        }
        let mut columns = Columns::new(world);
        if touched {
            self.compose_touched(&mut columns);
        }
        let trace = Trace::start("propagate");
        let (computed, changed) = propagate(&mut columns, &mut self.archetypes, &mut self.parents);
        trace.end(computed, changed);
        self.stats.propagated += computed;
        self.stats.propagated_changed += changed;
        let unfinished = std::mem::take(&mut self.unfinished);
        if !touched && !unfinished && changed == 0 && !self.had_findings {
            return None;
        }
        self.inverses.run(&mut columns, &mut self.archetypes);
        let findings =
            self.standing.gather(&columns, &self.archetypes, &mut self.parents, &self.local.parent_scales, &self.inverses);
        let had = std::mem::replace(&mut self.had_findings, !findings.is_empty());
        self.archetypes.settle();
        (had || self.had_findings).then_some(findings)
    }
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
