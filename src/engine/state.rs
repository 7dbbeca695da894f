//! The state of one world, and the order in which a run brings it up to date.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use legion::{Entity, World, world::EntityLocation};

use super::options::Choices;
use crate::{
    components::Frame,
    engine::{
        changes::WorldChanges,
        diagnostics::Diagnostics,
        forest::NONE,
        frames::FrameSystem,
        hierarchy::Hierarchy,
        inverse::Inverses,
        local::{Context, LocalSystems},
        machine::{Accelerator, Machine},
        propagation::propagate,
        storage::{
            By, ChangeTracker, Columns, Damage, Follow, Kept, Mask, Meaning, NewLinks, Row,
            RowWriter, WorldCell,
        },
        trace::Trace,
    },
    findings::FindingGroup,
    stats::RunStats,
};

/// All that is kept by row: what an entity takes along to another row, and what goes with its row.
struct Sides<'a> {
    hierarchy: &'a mut Hierarchy,
    local: &'a mut LocalSystems,
    list: Option<&'a mut WorldChanges>,
}

impl Follow for Sides<'_> {
    fn leave(&mut self, from: Row, last: u32) -> Kept {
        self.list.iter_mut().for_each(|list| list.leave(from));
        let slot = self.hierarchy.forest.leave(from, last);
        Kept { slot, scale: self.local.leave(from, last) }
    }

    fn come(&mut self, entity: Entity, to: Row, mask: Mask, kept: Option<Kept>, is_back: bool) {
        if mask.has(Mask::LOCAL_TO_WORLD) {
            self.list.iter_mut().for_each(|list| list.come(entity, to.archetype, is_back));
        }
        let (slot, scale) = kept.map_or((NONE, None), |kept| (kept.slot, kept.scale));
        if slot != NONE {
            let is_free = self.hierarchy.forest.set_row(slot, to);
            debug_assert!(is_free, "no entity stood behind the last row");
        }
        if mask.has(Mask::PARENT_SCALE_INVERSE) {
            self.local.parent_scales.come(to, scale);
        }
    }

    fn come_bare(&mut self, entities: &[Entity]) {
        self.hierarchy.come_bare(entities);
    }
}

/// The number of the next run.
static RUNS: AtomicU64 = AtomicU64::new(1);

/// The state of one world. Without it, the next run builds it again from the world, all but one
/// thing: which values of `ParentScaleInverse` the bundle wrote. Such a value stays then when the
/// parent loses its scale, as if a user had written it.
pub(super) struct WorldState {
    /// The number of the last run, among all of the process; of no run before the first.
    pub run: u64,
    /// Whether the last run was not with the resources of this one.
    pub is_elsewhere: bool,
    /// A copy of the bundle's, whose own say that it lives.
    pub choices: Arc<Choices>,
    pub tracker: ChangeTracker,
    /// The links that `Children` may lack, for edits.
    pub new_links: NewLinks,
    pub hierarchy: Hierarchy,
    stages: Stages,
    pub diagnostics: Diagnostics,
    /// Whether something was composed that has not been propagated.
    unfinished: bool,
    /// The figures of this run so far.
    stats: RunStats,
    /// The list of changed matrices, during a step of a run that makes one.
    pub changes: Option<WorldChanges>,
    /// The stamp of the list that has followed the last look; 0 if none has.
    pub listed: u64,
}

/// What the stages after the hierarchy keep from run to run.
#[derive(Default)]
struct Stages {
    local: LocalSystems,
    frames: FrameSystem,
    inverses: Inverses,
}

/// The outcome of a run, for the resources.
#[derive(Default)]
pub(super) struct Finished {
    /// All findings that stand now; `None` if they are those of the run before.
    pub findings: Option<Vec<FindingGroup>>,
    pub stats: RunStats,
    pub changes: Option<WorldChanges>,
}

/// A world was refused.
impl From<FindingGroup> for Finished {
    fn from(damage: FindingGroup) -> Self {
        Self { findings: Some(vec![damage]), ..Self::default() }
    }
}

impl WorldState {
    pub fn new(choices: &Arc<Choices>, world: &mut World) -> Self {
        let options = choices.options.clone();
        let meaning_of = move |layout: &_| Meaning::of(layout, Some(&options));
        let tracker = ChangeTracker::new(world, meaning_of);
        let tracker = choices.properties.iter().fold(tracker, |it, property| (property.watch)(it));
        let sees_frames = choices.options.sees_frames;
        let tracker = if sees_frames { tracker.watching::<Frame>() } else { tracker };
        Self {
            run: RUNS.fetch_add(1, Ordering::Relaxed),
            is_elsewhere: true,
            choices: Arc::new(Choices::clone(choices)),
            tracker,
            new_links: NewLinks::default(),
            hierarchy: Hierarchy::new(choices.options.clone()),
            stages: Stages::default(),
            diagnostics: Diagnostics::new(choices.options.clone()),
            unfinished: false,
            stats: RunStats::default(),
            changes: None,
            listed: 0,
        }
    }

    /// Whether an entity had a node in the forest at the last pass.
    pub fn has_node(&self, entity: Entity) -> bool {
        self.slot(entity) != NONE
    }

    /// The entity of the origin in the last run, if the bundle has frames.
    pub fn viewer(&self) -> Option<Entity> {
        self.stages.frames.viewer()
    }

    /// The children that an entity had at the last pass.
    pub fn children(&self, entity: Entity) -> impl Iterator<Item = Entity> + '_ {
        let (forest, slot) = (&self.hierarchy.forest, self.slot(entity));
        let slots = (slot != NONE).then(|| forest.children(slot)).into_iter().flatten();
        slots.filter_map(|child| self.tracker.entity(forest.row(child)))
    }

    /// The slot of an entity, as of the last look.
    fn slot(&self, entity: Entity) -> u32 {
        match self.tracker.locate(entity) {
            Some(row) => self.hierarchy.forest.slot(row),
            None => self.tracker.kept(entity).map_or(NONE, |kept| kept.slot),
        }
    }

    /// Finds what has happened to the world since the last look, and brings all that is kept by row
    /// in line. Returns how many archetypes were touched.
    pub fn look(&mut self, world: &mut World, by: By, machine: &Machine) -> Result<usize, Damage> {
        let (local, list) = (&mut self.stages.local, self.changes.as_mut());
        self.listed = list.as_ref().map_or(0, |list| list.stamps().1);
        let mut sides = Sides { hierarchy: &mut self.hierarchy, local, list };
        self.tracker.look(world, &mut sides, by, machine.uses(Accelerator::Closing))
    }

    /// Brings links, `PreviousParent` and `Children` up to date: a look, and one pass. Then
    /// entities get what they lack, and if any has migrated, a look follows.
    ///
    /// It ends: no look leads to another pass. What migrates behind the pass was decided from the
    /// forest as the pass left it, and makes no link possible: a parent that gets its matrix there
    /// counts as one in the pass already.
    fn update_links(&mut self, world: &mut World, machine: &Machine) -> Result<(), Damage> {
        let trace = Trace::start("look");
        let touched = self.look(world, By::Users, machine)?;
        trace.end(self.tracker.relevant(), touched);
        if touched > 0 || !self.hierarchy.came_bare.is_empty() {
            let commands = self.hierarchy.pass(world, &mut self.tracker, machine);
            // Versions that this pass bumped must not count as writes in the next look.
            self.tracker.settle(world);
            if self.hierarchy.give(world, &self.tracker, machine, commands) {
                self.look(world, By::Bundle, machine)?;
                self.hierarchy.place_nodes(&self.tracker);
                #[cfg(debug_assertions)]
                self.hierarchy.assert_settled(world, &mut self.tracker, machine);
            }
        }
        self.tracker.end_pass(std::iter::empty());
        self.new_links.restart(world, &mut self.tracker);
        Ok(())
    }

    /// Brings the hierarchy up to date. Its own writes are not news for the next look.
    pub fn hierarchy(&mut self, world: &mut World, machine: &Machine) -> Result<(), Damage> {
        let trace = Trace::start("hierarchy");
        self.update_links(world, machine)?;
        let relinked = std::mem::take(&mut self.hierarchy.relinked);
        self.stats.relinked += relinked;
        if relinked > 0 {
            self.diagnostics.cyclic = None;
        }
        trace.end(relinked, relinked);
        if !self.choices.properties.is_empty() {
            self.inherit(world, machine);
        }
        self.tracker.settle(world);
        Ok(())
    }

    /// What a stage works on, and the stages.
    fn context<'a, 'w>(
        &'a mut self,
        columns: &'a mut Columns<'w>,
        machine: &'a Machine,
    ) -> (Context<'a, 'w>, &'a mut Stages) {
        let Self { tracker, hierarchy, changes, stages, .. } = self;
        let (forest, changes) = (&mut hierarchy.forest, changes.as_mut());
        (Context { columns, tracker, forest, changes, machine }, stages)
    }

    /// Brings the values of all properties up to date.
    fn inherit(&mut self, world: &mut World, machine: &Machine) {
        let trace = Trace::start("inherit");
        let relinked = std::mem::take(&mut self.hierarchy.changed_links);
        let choices = self.choices.clone();
        let columns = &mut Columns::new(world);
        let (mut context, _) = self.context(columns, machine);
        let mut changed = 0;
        for property in &choices.properties {
            let rows = (property.run)(&mut context, &relinked);
            changed += rows.len();
            let Context { columns, tracker, changes: Some(changes), .. } = &mut context else {
                continue;
            };
            if changes.is_new() {
                let archetypes = tracker.having(Mask::LOCAL_TO_WORLD);
                let all = archetypes.flat_map(|index| columns.entities(index));
                changes.add_effective(property.id, all.copied());
            } else {
                changes.add_effective(property.id, rows.iter().map(|&row| columns.entity(row)));
            }
        }
        trace.end(changed, changed);
    }

    /// Brings the hierarchy and local matrices up to date, and leaves the rest for
    /// [`finish`](Self::finish).
    pub fn compose(&mut self, world: &mut World, machine: &Machine) -> Result<(), Damage> {
        self.hierarchy(world, machine)?;
        self.note_changes(world, false);
        let mut columns = Columns::new(world);
        if self.tracker.any_touched() {
            self.tracker.keep_late();
            self.compose_touched(&mut columns, machine);
            self.diagnostics.refresh(&columns, &self.tracker);
            self.tracker.acknowledge(world);
            self.unfinished = true;
        }
        Ok(())
    }

    /// Notes in the list of changed matrices where users wrote some, if there is news: in the last
    /// step. Before the first list is begun, all is news.
    fn note_changes(&mut self, world: &mut World, has_news: bool) {
        for changes in self.changes.iter_mut().filter(|changes| has_news || changes.is_new()) {
            changes.note(&Columns::new(world), &self.tracker);
        }
    }

    /// Composes local matrices in touched archetypes.
    fn compose_touched(&mut self, columns: &mut Columns<'_>, machine: &Machine) {
        let trace = Trace::start("compose");
        self.stats.archetypes_touched += self.tracker.touched().count();
        let (context, stages) = self.context(columns, machine);
        let (composed, changed) = stages.local.run(context);
        self.stats.composed += composed;
        self.stats.composed_changed += changed;
        trace.end(composed, changed);
    }

    /// Brings everything up to date, and ends the run. Frames are relative to the entity `from`.
    pub fn finish(
        &mut self,
        world: &mut World,
        machine: &Machine,
        from: Option<Entity>,
    ) -> Result<Finished, Damage> {
        self.hierarchy(world, machine)?;
        let has_news = self.unfinished || self.tracker.any_touched();
        self.note_changes(world, has_news);
        if self.choices.options.sees_frames {
            let written = self.tracker.take_written::<Frame>();
            let is_due = has_news || !written.is_empty();
            if is_due || self.stages.frames.is_seen_anew(world, from) {
                let columns = &mut Columns::new(world);
                let (context, stages) = self.context(columns, machine);
                self.diagnostics.dead_origin = stages.frames.run(context, from, &written);
            }
        }
        let findings = self.propagate(world, machine);
        let mut changes = self.changes.take();
        changes.iter_mut().for_each(|changes| changes.finish(&Columns::new(world), &self.tracker));
        (self.run, self.is_elsewhere) = (RUNS.fetch_add(1, Ordering::Relaxed), false);
        Ok(Finished { findings, stats: std::mem::take(&mut self.stats), changes })
    }

    /// Runs all stages after the hierarchy: local matrices, propagation, inverses, findings.
    /// Returns the findings if they may have changed.
    fn propagate(&mut self, world: &mut World, machine: &Machine) -> Option<Vec<FindingGroup>> {
        let touched = self.tracker.any_touched();
        let has_unreported = self.is_elsewhere || self.diagnostics.has_unreported();
        let unchecked = self.diagnostics.checks.is_due(world);
        let is_due = std::mem::take(&mut self.unfinished) || touched || unchecked || has_unreported;
        if !is_due && !self.hierarchy.forest.has_marked() {
            return None;
        }
        let mut columns = Columns::new(world);
        if touched {
            self.compose_touched(&mut columns, machine);
        }
        let trace = Trace::start("propagate");
        let (computed, changed) = propagate(self.context(&mut columns, machine).0);
        trace.end(computed, changed);
        self.stats.propagated += computed;
        self.stats.propagated_changed += changed;
        if !is_due && changed == 0 {
            return None;
        }
        let (context, stages) = self.context(&mut columns, machine);
        stages.inverses.run(context);
        let findings = self.diagnostics.gather(
            &columns,
            &self.tracker,
            &mut self.hierarchy,
            &self.stages.local,
            &self.stages.inverses,
        );
        self.tracker.acknowledge(world);
        self.tracker.forget_late();
        Some(findings)
    }
}

impl RowWriter<'_> {
    /// Writes inputs of an entity in place, in its row.
    pub fn edit<R>(
        world: &mut World,
        at: EntityLocation,
        write: impl FnOnce(&mut RowWriter<'_>) -> R,
    ) -> R {
        let (Row { archetype, row }, mut bumps) = (Row::of(at), Default::default());
        let result = write(&mut RowWriter::new(world, Row::of(at), &mut bumps));
        Self::note(world, |tracker, world| tracker.note_edits(world, archetype, &[row], &bumps));
        result
    }

    /// Lends the tracker of a world, if it has one, to be told what was written in place. Without
    /// that, all rows would be compared.
    pub fn note(world: &mut World, tell: impl FnOnce(&mut ChangeTracker, &mut World)) {
        WorldCell::with_state(world, |world, state: Option<&mut WorldState>| {
            if let Some(state) = state {
                tell(&mut state.tracker, world);
            }
        });
    }
}
