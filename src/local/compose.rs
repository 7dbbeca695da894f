//! The order of the local systems, and what they tell propagation.

use super::{
    composite, euler,
    finite::{AllFinite, NotFinite},
    input_cache::InputCache,
    parent_scale::ParentScales,
    plain::{self, Job},
    trs,
    update::{Marks, count},
};
use crate::{
    bits::marked,
    changes::WorldChanges,
    components::*,
    forest::{Forest, NONE},
    rules::{self, Rule},
    simd::Isa,
    storage::ArchetypeSheet,
    storage::ChangeTracker,
    storage::columns::Columns,
    storage::mask::Mask,
    storage::trs::Plain,
};

/// What the local systems remember of a world.
#[derive(Default)]
pub(crate) struct LocalSystems {
    pub parent_scales: ParentScales,
    pub not_finite: NotFinite,
    /// What local matrices were computed from, by archetype.
    inputs: Vec<InputCache>,
    marks: Marks,
    /// The marks of all plain archetypes of a run, one after another.
    plain_marks: Vec<u64>,
    /// Archetypes whose results were overwritten, or in which nearly all local matrices changed.
    whole: Vec<Whole>,
    /// How many entities were composed and how many came out different.
    pub composed: usize,
    pub changed: usize,
}

/// What the systems work on during a run.
pub(crate) struct Run<'a, 'w> {
    pub columns: &'a mut Columns<'w>,
    pub tracker: &'a mut ChangeTracker,
    pub forest: &'a mut Forest,
    /// Where changed world matrices are listed, if anything asks for it.
    pub changes: Option<&'a mut WorldChanges>,
    pub isa: Isa,
}

impl LocalSystems {
    /// Brings `Rotation`, `PostRotation`, the composites, `ParentScaleInverse` and local matrices
    /// up to date wherever anything was touched, and marks in the forest whose world has to follow.
    pub fn run(&mut self, mut run: Run<'_, '_>, relinked: bool) {
        let touched: Vec<u32> = run.tracker.touched().collect();
        let unchecked = self.not_finite.take_unchecked();
        for &index in &touched {
            self.compose_inputs(index, run.columns, run.tracker);
        }
        if ParentScales::is_concerned(run.tracker, relinked) {
            self.parent_scales.run(run.columns, run.tracker, run.forest);
        }
        self.compose_matrices(&mut run);
        self.not_finite.find(&touched, unchecked, run.columns, run.tracker);
        self.tell_of_whole(run.forest);
    }

    /// Eulers and composites: they depend on nothing but the entity's own components.
    fn compose_inputs(
        &mut self,
        index: u32,
        columns: &mut Columns<'_>,
        tracker: &mut ChangeTracker,
    ) {
        // Asked anew for each, as a composite has to follow a rotation that was written just before
        // it.
        let due = |archetype: &ArchetypeSheet, rule: Rule| {
            archetype.writes(rule.target)
                && rule.is_derived(archetype.mask)
                && archetype.is_due(rule.inputs, rule.target)
        };
        let mask = tracker[index].mask;
        let marks = &mut self.marks;
        if due(&tracker[index], rules::ROTATION) && euler::rotation(columns, index, mask, marks) {
            tracker.bump_input::<Rotation>(columns, index);
        }
        if due(&tracker[index], rules::POST_ROTATION)
            && euler::post_rotation(columns, index, mask, marks)
        {
            tracker.bump_input::<PostRotation>(columns, index);
        }
        if due(&tracker[index], rules::COMPOSITE_ROTATION)
            && composite::rotation(columns.local(index), marks)
        {
            tracker.bump_input::<CompositeRotation>(columns, index);
        }
        if due(&tracker[index], rules::COMPOSITE_SCALE)
            && composite::scale(columns.local(index), mask, marks)
        {
            tracker.bump_input::<CompositeScale>(columns, index);
        }
    }

    /// The local matrices of all touched archetypes.
    fn compose_matrices(&mut self, run: &mut Run<'_, '_>) {
        let mut plain = Vec::new();
        let touched: Vec<u32> = run.tracker.touched().collect();
        self.inputs.resize_with(run.columns.archetypes().len(), InputCache::default);
        for index in touched {
            let archetype = &run.tracker[index];
            if archetype.has_other_members() {
                self.inputs[index as usize].forget();
            }
            let mask = archetype.mask;
            let Rule { target, inputs, .. } = rules::local_matrix(mask);
            let is_whole = archetype.is_relinked() || archetype.is_written(inputs | target);
            let arrivals = run.tracker.arrivals(run.columns, index);
            self.not_finite.look_at_own(index, arrivals.as_deref(), run.columns, archetype);
            if !archetype.writes(target)
                || !mask.has_any(inputs)
                || !archetype.is_due(inputs, target)
            {
                self.tell_forest(index, &[], run);
            } else if let Some(rows) =
                arrivals.as_ref().filter(|_| trs::is_plain(mask) && !is_whole)
            {
                self.compose_arrivals(index, mask, rows, run);
            } else if trs::is_plain(mask) {
                plain.push((index, rules::without_losing_scale(mask)));
            } else {
                let (links, slots) = (&*run.forest, run.forest.slots(index));
                let linked =
                    |row| slots.get(row).is_some_and(|&at| at != NONE && links.is_linked(at));
                let finite = AllFinite::new();
                trs::local(run.columns.local(index), mask, &mut self.marks, linked, &finite);
                self.note_finite(index, &finite);
                let marks = std::mem::take(&mut self.marks);
                let rows = run.columns.entities(index).len();
                self.publish_matrices(index, marks.words(), rows, run);
                self.marks = marks;
            }
        }
        self.compose_plain(&plain, run);
    }

    fn note_finite(&mut self, index: u32, finite: &AllFinite) {
        if !finite.holds() {
            self.not_finite.suspect(index);
        }
    }

    /// Composes rows of an archetype in which nothing else has changed.
    fn compose_arrivals(&mut self, index: u32, mask: Mask, rows: &[u32], run: &mut Run<'_, '_>) {
        self.marks.reset(run.columns.entities(index).len());
        let mut marks = std::mem::take(&mut self.marks);
        let finite = AllFinite::new();
        let archetypes = [(index, rules::without_losing_scale(mask))];
        for (_, Plain { columns, matrices }) in run.columns.plain(archetypes.into_iter()) {
            for rows in rows.chunk_by(|a, b| a + 1 == *b) {
                for block in rows.chunks(64) {
                    let (first, len) = (block[0] as usize, block.len());
                    let mut changed = [0];
                    finite.note(run.isa.compose(
                        columns.block(first, len),
                        &mut matrices[first..first + len],
                        &mut changed,
                    ));
                    marks.set(first, changed[0]);
                }
            }
        }
        self.note_finite(index, &finite);
        self.publish_matrices(index, marks.words(), rows.len(), run);
        self.marks = marks;
    }

    /// Those of archetypes whose local matrix is `T R S`.
    fn compose_plain(&mut self, plain: &[(u32, Mask)], run: &mut Run<'_, '_>) {
        let words = |index: u32, columns: &Columns<'_>| columns.entities(index).len().div_ceil(64);
        let mut marks = std::mem::take(&mut self.plain_marks);
        marks.clear();
        marks.resize(plain.iter().map(|&(index, _)| words(index, run.columns)).sum(), 0);
        let mut rest = &mut marks[..];
        let is_tracked = run.changes.is_some();
        let jobs =
            run.columns.plain(plain.iter().copied()).map(|(index, Plain { columns, matrices })| {
                let archetype = &run.tracker[index];
                let (marks, others) =
                    std::mem::take(&mut rest).split_at_mut(matrices.len().div_ceil(64));
                rest = others;
                let target = rules::local_matrix(archetype.mask).target;
                let undisturbed = !archetype.is_changed(target);
                let is_exact = is_tracked && target == Mask::LOCAL_TO_WORLD;
                let (touched, inputs) =
                    (archetype.written(), std::mem::take(&mut self.inputs[index as usize]));
                Job {
                    index,
                    undisturbed,
                    touched,
                    is_exact,
                    finite: AllFinite::new(),
                    is_sampled: false,
                    inputs,
                    columns,
                    matrices,
                    marks,
                }
            });
        let mut jobs: Vec<Job<'_>> = jobs.collect();
        plain::compose(&mut jobs, run.isa);
        for job in jobs {
            self.inputs[job.index as usize] = job.inputs;
            if !job.finite.holds() {
                self.not_finite.suspect(job.index);
            }
            if job.is_sampled {
                self.not_finite.leave_unchecked(job.index);
            }
        }
        let mut rest = &marks[..];
        for &(index, _) in plain {
            let (marks, others) = rest.split_at(words(index, run.columns));
            rest = others;
            self.publish_matrices(index, marks, run.columns.entities(index).len(), run);
        }
        self.plain_marks = marks;
    }

    /// Moves versions, counts, and marks in the forest what an archetype's local matrices changed.
    fn publish_matrices(
        &mut self,
        index: u32,
        marks: &[u64],
        composed: usize,
        run: &mut Run<'_, '_>,
    ) {
        let changed = count(marks);
        if changed > 0 {
            match rules::local_matrix(run.tracker[index].mask).target {
                Mask::LOCAL_TO_PARENT => run.tracker.bump::<LocalToParent>(run.columns, index),
                _ => {
                    run.tracker.bump::<LocalToWorld>(run.columns, index);
                    run.tracker.sheet_mut(index).note_world_written();
                    if let Some(changes) = &mut run.changes {
                        changes.add(index, marks);
                    }
                }
            }
        }
        self.composed += composed;
        self.changed += changed;
        self.tell_forest(index, marks, run);
    }

    /// Marks the entities whose world matrix has to be computed, or has changed already.
    fn tell_forest(&mut self, index: u32, marks: &[u64], run: &mut Run<'_, '_>) {
        let (archetype, forest) = (&run.tracker[index], &mut *run.forest);
        let rows = forest.slots(index).len();
        if rows == 0 || !archetype.mask.has(Mask::LOCAL_TO_WORLD) {
            return;
        }
        let is_member = archetype.mask.has(Mask::LOCAL_TO_PARENT);
        // What a user wrote may even be what is right now: then nothing will differ here, but below
        // it will.
        let arrivals = run.tracker.arrivals(run.columns, index);
        let moved = archetype.is_written(Mask::LOCAL_TO_WORLD) || arrivals.is_none();
        let touched = moved || (is_member && archetype.is_written(Mask::LOCAL_TO_PARENT));
        if touched || (is_member && count(marks) * 8 >= rows * 7) {
            // As below: what came may have been written elsewhere.
            let moved = moved || arrivals.is_some_and(|rows| !rows.is_empty());
            let dirty = is_member && archetype.writes(Mask::LOCAL_TO_WORLD);
            self.whole.push(Whole { index, rows, dirty, moved });
            return;
        }
        if is_member {
            forest.set_dirty_rows(index, marked(marks));
        } else {
            forest.set_moved_rows(index, marked(marks));
        }
        // What an entity brings along from another archetype may have been written there.
        for rows in arrivals.iter() {
            forest.set_moved_rows(index, rows.iter().map(|&row| row as usize));
            if is_member && archetype.writes(Mask::LOCAL_TO_WORLD) {
                forest.set_dirty_rows(index, rows.iter().map(|&row| row as usize));
            }
        }
    }

    /// Marks all entities of the archetypes that are marked whole; if these are nearly all there
    /// are, then simply all.
    fn tell_of_whole(&mut self, forest: &mut Forest) {
        let count: usize = self.whole.iter().map(|whole| whole.rows).sum();
        if count > 0 && count * 8 >= forest.len() * 7 {
            forest.set_all_dirty();
            if self.whole.iter().any(|whole| whole.moved) {
                forest.set_all_moved();
            }
            self.whole.clear();
        }
        for whole in self.whole.drain(..) {
            if whole.dirty {
                forest.set_dirty_archetype(whole.index);
            }
            if whole.moved {
                forest.set_moved_archetype(whole.index);
            }
        }
    }
}

/// An archetype of which all entities are marked.
struct Whole {
    index: u32,
    rows: usize,
    dirty: bool,
    moved: bool,
}
