//! The order of the local systems.

use super::{
    composite,
    context::Context,
    euler, general,
    input_cache::InputCache,
    parent_scale::ParentScales,
    plain::{self, Due, Job},
    plain_rows::PlainRows,
    results::Results,
};
use crate::{
    bits::Bits,
    components::*,
    forest::NONE,
    rules::{self, Rule},
    storage::{ArchetypeSheet, ChangeTracker, Columns, Mask, Plain},
};

/// What the local systems remember of a world.
#[derive(Default)]
pub(crate) struct LocalSystems {
    pub parent_scales: ParentScales,
    /// What local matrices were computed from, by archetype.
    inputs: Vec<InputCache>,
    /// The rows that were written: of one archetype, or of all archetypes of a run one after
    /// another, each from a new word on.
    marks: Bits,
    results: Results,
}

/// An archetype whose local matrices have to be composed.
struct Work {
    index: u32,
    mask: Mask,
    /// How many rows it has.
    rows: usize,
    due: Due,
}

impl LocalSystems {
    /// Brings `Rotation`, `PostRotation`, the composites, `ParentScaleInverse` and local matrices
    /// up to date where anything was touched, and marks in the forest whose world has to follow.
    /// Returns how many local matrices were composed, and how many came out different.
    pub fn run(&mut self, mut context: Context<'_, '_>, relinked: bool) -> (usize, usize) {
        let touched: Vec<u32> = context.tracker.touched().collect();
        for &index in &touched {
            self.compose_inputs(index, context.columns, context.tracker);
        }
        if ParentScales::is_concerned(context.tracker, relinked) {
            self.parent_scales.run(context.columns, context.tracker, context.forest);
        }
        self.compose_matrices(&mut context);
        self.results.finish(context.forest)
    }

    /// Rotations from Euler angles, then composites: both depend on the entity's own components
    /// alone. A composite follows a rotation that was written just before it.
    fn compose_inputs(
        &mut self,
        index: u32,
        columns: &mut Columns<'_>,
        tracker: &mut ChangeTracker,
    ) {
        let due = |archetype: &ArchetypeSheet, rule: Rule| {
            archetype.writes(rule.target)
                && rule.is_derived(archetype.mask)
                && archetype.is_due(rule.inputs, rule.target)
        };
        let (mask, marks) = (tracker[index].mask, &mut self.marks);
        let eulers = rules::first(mask, rules::ROTATION_EULERS);
        if due(&tracker[index], rules::ROTATION)
            && euler::write::<Rotation>(columns, index, eulers, marks)
        {
            tracker.bump_input::<Rotation>(columns, index);
        }
        let eulers = rules::first(mask, rules::POST_ROTATION_EULERS);
        if due(&tracker[index], rules::POST_ROTATION)
            && euler::write::<PostRotation>(columns, index, eulers, marks)
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
    fn compose_matrices(&mut self, context: &mut Context<'_, '_>) {
        let touched: Vec<u32> = context.tracker.touched().collect();
        self.inputs.resize_with(context.columns.archetypes().len(), InputCache::default);
        let mut due = Vec::new();
        for index in touched {
            if context.tracker[index].has_other_members() {
                self.inputs[index as usize].forget();
            }
            match Work::of(index, context) {
                Some(work) => due.push(work),
                None => self.results.mark_forest(index, &[], context),
            }
        }
        let (plain, general): (Vec<Work>, Vec<Work>) =
            due.into_iter().partition(|work| general::is_plain(work.mask));
        let words = plain.iter().chain(&general).map(Work::words).sum::<usize>();
        let mut rest = self.marks.reset(words * 64);
        compose_plain(&plain, &mut self.inputs, &mut rest, context);
        compose_general(&general, rest, context);
        let mut rest = self.marks.words();
        for work in plain.iter().chain(&general) {
            let (marks, others) = rest.split_at(work.words());
            rest = others;
            self.results.publish(work.index, marks, work.due.len(work.rows), context);
        }
    }
}

impl Work {
    /// What has to be composed in a touched archetype, if anything.
    fn of(index: u32, context: &Context<'_, '_>) -> Option<Self> {
        let (archetype, columns) = (&context.tracker[index], &*context.columns);
        let mask = archetype.mask;
        let Rule { target, inputs, .. } = rules::local_matrix(mask);
        if !archetype.writes(target) || !mask.has_any(inputs) || !archetype.is_due(inputs, target) {
            return None;
        }
        let is_whole = archetype.is_relinked() || archetype.is_written(inputs | target);
        let rows = columns.entities(index).len();
        let any = Due::Any {
            touched: archetype.written(),
            undisturbed: !archetype.is_changed(target),
            is_exact: context.changes.is_some() && target == Mask::LOCAL_TO_WORLD,
        };
        let due = match general::is_plain(mask) && !is_whole {
            true => Due::Arrivals(archetype.arrivals(rows).collect()),
            false => any,
        };
        Some(Self { index, mask, rows, due })
    }

    /// How many words of marks its rows have.
    fn words(&self) -> usize {
        self.rows.div_ceil(64)
    }
}

/// Composes `T R S` of these archetypes, and takes their marks from the beginning of `marks`.
fn compose_plain(
    plain: &[Work],
    inputs: &mut [InputCache],
    marks: &mut &mut [u64],
    context: &mut Context<'_, '_>,
) {
    let archetypes = plain.iter().map(|work| (work.index, rules::without_losing_scale(work.mask)));
    let (mut inputs, mut next) = (inputs.iter_mut(), 0);
    let mut jobs: Vec<Job<'_>> = Vec::with_capacity(plain.len());
    for (work, (index, Plain { columns, matrices })) in
        plain.iter().zip(context.columns.plain(archetypes))
    {
        let marks = marks.split_off_mut(..work.words()).expect("a word for 64 rows");
        let inputs = inputs.nth((index - next) as usize).expect("one for each archetype");
        next = index + 1;
        let rows = PlainRows { isa: context.isa, columns, matrices, marks };
        jobs.push(Job { rows, due: &work.due, inputs });
    }
    plain::compose(&mut jobs);
}

/// Composes the other local matrices of these archetypes.
fn compose_general(general: &[Work], mut marks: &mut [u64], context: &mut Context<'_, '_>) {
    for work in general {
        let marks = marks.split_off_mut(..work.words()).expect("a word for 64 rows");
        let (forest, slots) = (&*context.forest, context.forest.slots(work.index));
        let is_linked =
            |row| slots.get(row).is_some_and(|&slot| slot != NONE && forest.is_linked(slot));
        general::compose(context.columns.local(work.index), work.mask, marks, is_linked);
    }
}
