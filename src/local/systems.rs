//! The order of the local systems.

use super::{
    composite, context::Context, euler, general, parent_scale::ParentScales,
    plain::PlainArchetypes, results::Results, work::Work,
};
use crate::{
    accelerators::Accelerator,
    bits::Bits,
    components::*,
    forest::NONE,
    rules,
    storage::{ArchetypeSheet, ChangeTracker, Columns},
};

/// What the local systems remember of a world.
#[derive(Default)]
pub(crate) struct LocalSystems {
    pub parent_scales: ParentScales,
    plain: PlainArchetypes,
    /// The rows that were written: of one archetype, or of all archetypes of a run one after
    /// another, each from a new word on.
    marks: Bits,
    results: Results,
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
        self.results.finish()
    }

    /// Rotations from Euler angles, then composites: both depend on the entity's own components
    /// alone. A composite follows a rotation that was written just before it.
    fn compose_inputs(
        &mut self,
        index: u32,
        columns: &mut Columns<'_>,
        tracker: &mut ChangeTracker,
    ) {
        let due = |archetype: &ArchetypeSheet, rule: rules::Rule| {
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
        self.plain.note(&touched, context.columns.archetypes().len(), context.tracker);
        let (mut plain, mut general) = (Vec::new(), Vec::new());
        for index in touched {
            match Work::of(index, context.columns, context.tracker) {
                Some(work) if general::is_plain(work.mask) && Accelerator::Plain.is_on() => {
                    plain.push(work);
                }
                Some(work) => general.push(work),
                None => self.results.mark_forest(index, &[], context),
            }
        }
        let words = plain.iter().chain(&general).map(Work::words).sum::<usize>();
        let mut rest = self.marks.reset(words * 64);
        self.plain.compose(&mut plain, &mut rest, context);
        compose_general(&general, rest, context);
        let mut rest = self.marks.words();
        for work in plain.iter().chain(&general) {
            let (marks, others) = rest.split_at(work.words());
            rest = others;
            self.results.publish(work.index, marks, work.composed, context);
        }
    }
}

/// Composes local matrices of these archetypes row by row.
fn compose_general(general: &[Work], mut marks: &mut [u64], context: &mut Context<'_, '_>) {
    for work in general {
        let marks = marks.split_off_mut(..work.words()).expect("a word for 64 rows");
        let (forest, slots) = (&*context.forest, context.forest.slots(work.index));
        let is_linked =
            |row| slots.get(row).is_some_and(|&slot| slot != NONE && forest.is_linked(slot));
        general::compose(context.columns.local(work.index), work.mask, marks, is_linked);
    }
}
