//! The order of the local systems, and what they tell propagation.

use super::{
    composite, euler,
    input_cache::InputCache,
    parent_scale::ParentScales,
    plain::{self, Job},
    trs,
    update::{Marks, count, marked},
};
use crate::{
    components::*,
    forest::{Forest, NONE},
    rules::{self, Rule},
    simd::Isa,
    storage::columns::Columns,
    storage::mask::Mask,
    storage::tracker::{ArchetypeSnapshot, ChangeTracker},
    storage::trs::Plain,
};

/// What the local systems remember of a world.
#[derive(Default)]
pub(crate) struct LocalSystems {
    pub parent_scales: ParentScales,
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

impl LocalSystems {
    /// Brings `Rotation`, `PostRotation`, the composites, `ParentScaleInverse` and local matrices up to date wherever
    /// anything was touched, and marks in the forest whose world has to follow.
    pub fn run(
        &mut self,
        columns: &mut Columns<'_>,
        tracker: &mut ChangeTracker,
        forest: &mut Forest,
        relinked: bool,
        isa: Isa,
    ) {
        let touched: Vec<u32> = tracker.touched().collect();
        for &index in &touched {
            self.compose_inputs(index, columns, tracker);
        }
        if ParentScales::is_concerned(tracker, relinked) {
            self.parent_scales.run(columns, tracker, forest);
        }
        self.compose_matrices(columns, tracker, forest, isa);
        self.tell_of_whole(forest);
    }

    /// Eulers and composites: they depend on nothing but the entity's own components.
    fn compose_inputs(&mut self, index: u32, columns: &mut Columns<'_>, tracker: &mut ChangeTracker) {
        // Asked anew for each, as a composite has to follow a rotation that was written just before it.
        let due = |archetype: &ArchetypeSnapshot, rule: Rule| {
            archetype.writes(rule.target) && rule.is_derived(archetype.mask) && archetype.is_due(rule.inputs, rule.target)
        };
        let mask = tracker[index].mask;
        let marks = &mut self.marks;
        if due(&tracker[index], rules::ROTATION) && euler::rotation(columns, index, mask, marks) {
            tracker.bump_input::<Rotation>(columns, index);
        }
        if due(&tracker[index], rules::POST_ROTATION) && euler::post_rotation(columns, index, mask, marks) {
            tracker.bump_input::<PostRotation>(columns, index);
        }
        if due(&tracker[index], rules::COMPOSITE_ROTATION) && composite::rotation(columns.local(index), marks) {
            tracker.bump_input::<CompositeRotation>(columns, index);
        }
        if due(&tracker[index], rules::COMPOSITE_SCALE) && composite::scale(columns.local(index), mask, marks) {
            tracker.bump_input::<CompositeScale>(columns, index);
        }
    }

    /// The local matrices of all touched archetypes.
    fn compose_matrices(&mut self, columns: &mut Columns<'_>, tracker: &mut ChangeTracker, forest: &mut Forest, isa: Isa) {
        let mut plain = Vec::new();
        let touched: Vec<u32> = tracker.touched().collect();
        self.inputs.resize_with(columns.archetypes().len(), InputCache::default);
        for index in touched {
            let archetype = &tracker[index];
            if archetype.has_other_members() {
                self.inputs[index as usize].forget();
            }
            let mask = archetype.mask;
            let Rule { target, inputs, .. } = rules::local_matrix(mask);
            let is_whole = archetype.relinked || archetype.is_written(inputs | target);
            let arrivals = tracker.arrivals(columns, index);
            if !archetype.writes(target) || !mask.has_any(inputs) || !archetype.is_due(inputs, target) {
                self.tell_forest(index, &[], columns, tracker, forest);
            } else if let Some(rows) = arrivals.as_ref().filter(|_| trs::is_plain(mask) && !is_whole) {
                self.compose_arrivals(index, mask, rows, (columns, tracker, forest), isa);
            } else if trs::is_plain(mask) {
                plain.push((index, rules::without_losing_scale(mask)));
            } else {
                let (links, slots) = (&*forest, forest.slots(index));
                let linked = |row| slots.get(row).is_some_and(|&at| at != NONE && links.is_linked(at));
                trs::local(columns.local(index), mask, &mut self.marks, linked);
                let marks = std::mem::take(&mut self.marks);
                let rows = columns.entities(index).len();
                self.publish_matrices(index, marks.words(), rows, columns, tracker, forest);
                self.marks = marks;
            }
        }
        self.compose_plain(&plain, columns, tracker, forest, isa);
    }

    /// Composes rows of an archetype in which nothing else has changed.
    fn compose_arrivals(
        &mut self,
        index: u32,
        mask: Mask,
        rows: &[u32],
        (columns, tracker, forest): (&mut Columns<'_>, &mut ChangeTracker, &mut Forest),
        isa: Isa,
    ) {
        self.marks.reset(columns.entities(index).len());
        let mut marks = std::mem::take(&mut self.marks);
        let archetypes = [(index, rules::without_losing_scale(mask))];
        for (_, Plain { columns, matrices }) in columns.plain(archetypes.into_iter()) {
            for run in rows.chunk_by(|a, b| a + 1 == *b) {
                for block in run.chunks(64) {
                    let (first, len) = (block[0] as usize, block.len());
                    let mut changed = [0];
                    isa.compose(columns.block(first, len), &mut matrices[first..first + len], &mut changed);
                    marks.set(first, changed[0]);
                }
            }
        }
        self.publish_matrices(index, marks.words(), rows.len(), columns, tracker, forest);
        self.marks = marks;
    }

    /// Those of archetypes whose local matrix is `T R S`.
    fn compose_plain(
        &mut self,
        plain: &[(u32, Mask)],
        columns: &mut Columns<'_>,
        tracker: &mut ChangeTracker,
        forest: &mut Forest,
        isa: Isa,
    ) {
        let words = |index: u32, columns: &Columns<'_>| columns.entities(index).len().div_ceil(64);
        let mut marks = std::mem::take(&mut self.plain_marks);
        marks.clear();
        marks.resize(plain.iter().map(|&(index, _)| words(index, columns)).sum(), 0);
        let mut rest = &mut marks[..];
        let jobs = columns.plain(plain.iter().copied()).map(|(index, Plain { columns, matrices })| {
            let archetype = &tracker[index];
            let (marks, others) = std::mem::take(&mut rest).split_at_mut(matrices.len().div_ceil(64));
            rest = others;
            let undisturbed = !archetype.is_changed(rules::local_matrix(archetype.mask).target);
            let (touched, inputs) = (archetype.written, std::mem::take(&mut self.inputs[index as usize]));
            Job { index, undisturbed, touched, inputs, columns, matrices, marks }
        });
        let mut jobs: Vec<Job<'_>> = jobs.collect();
        plain::compose(&mut jobs, isa);
        jobs.into_iter().for_each(|job| self.inputs[job.index as usize] = job.inputs);
        let mut rest = &marks[..];
        for &(index, _) in plain {
            let (marks, others) = rest.split_at(words(index, columns));
            rest = others;
            self.publish_matrices(index, marks, columns.entities(index).len(), columns, tracker, forest);
        }
        self.plain_marks = marks;
    }

    /// Moves versions, counts, and marks in the forest what an archetype's local matrices changed.
    fn publish_matrices(
        &mut self,
        index: u32,
        marks: &[u64],
        composed: usize,
        columns: &mut Columns<'_>,
        tracker: &mut ChangeTracker,
        forest: &mut Forest,
    ) {
        let changed = count(marks);
        if changed > 0 {
            match rules::local_matrix(tracker[index].mask).target {
                Mask::LOCAL_TO_PARENT => tracker.bump::<LocalToParent>(columns, index),
                _ => {
                    tracker.bump::<LocalToWorld>(columns, index);
                    tracker[index].world_changed = true;
                }
            }
        }
        self.composed += composed;
        self.changed += changed;
        self.tell_forest(index, marks, columns, tracker, forest);
    }

    /// Marks the entities whose world matrix has to be computed, or has changed already.
    fn tell_forest(
        &mut self,
        index: u32,
        marks: &[u64],
        columns: &Columns<'_>,
        tracker: &ChangeTracker,
        forest: &mut Forest,
    ) {
        let (archetype, rows) = (&tracker[index], forest.slots(index).len());
        if rows == 0 || !archetype.mask.has(Mask::LOCAL_TO_WORLD) {
            return;
        }
        let is_member = archetype.mask.has(Mask::LOCAL_TO_PARENT);
        // What a user wrote may even be what is right now: then nothing will differ here, but below it will.
        let arrivals = tracker.arrivals(columns, index);
        let moved = archetype.is_written(Mask::LOCAL_TO_WORLD) || arrivals.is_none();
        let touched = moved || (is_member && archetype.is_written(Mask::LOCAL_TO_PARENT));
        if touched || (is_member && count(marks) * 8 >= rows * 7) {
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

    /// Marks all entities of the archetypes that are marked whole; if these are nearly all there are, then simply all.
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
