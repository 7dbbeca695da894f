//! The order of the local systems.
//!
//! ```text
//!  for each touched archetype   1  RotationEuler, PostRotationEuler
//!                               2  CompositeRotation, CompositeScale
//!  for the world                3  ParentScaleInverse: reads scales of other archetypes
//!  for each touched archetype   4  local matrices: plain ones first, then the others
//!                               5  versions, marks
//! ```
//!
//! Each step may write inputs of a later one. It then marks the column as written
//! ([`bump_input`](ChangeTracker::bump_input)): the later step finds it like a user's write.
//! A matrix without any input is the user's: no step writes it.

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

/// The state of the local systems for a world.
#[derive(Default)]
pub(crate) struct LocalSystems {
    pub parent_scales: ParentScales,
    plain: PlainArchetypes,
    /// A bit for each row that was written: of one archetype in the first steps, of all archetypes
    /// while matrices are composed. There each begins with a new word. With archetypes of 100 and
    /// 10 rows, words 0 and 1 are the first one's, and word 2 the second one's.
    marks: Bits,
    results: Results,
}

impl LocalSystems {
    /// Brings `Rotation`, `PostRotation`, the composites, `ParentScaleInverse` and local matrices
    /// up to date where anything was touched, and marks the nodes in the forest whose worlds have
    /// to follow. `relinked`: whether any link changed. Returns how many local matrices were
    /// composed, and how many came out different.
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
    /// alone. Here angles are written on row 3 of an archetype with pivots:
    ///
    /// ```text
    ///  RotationEulerXYZ   written by the user
    ///  Rotation           due; row 3 differs; counts as written
    ///  CompositeRotation  due, because `Rotation` is an input; row 3 differs; counts as written
    /// ```
    fn compose_inputs(
        &mut self,
        index: u32,
        columns: &mut Columns<'_>,
        tracker: &mut ChangeTracker,
    ) {
        // The target may be written, some input is there, and an input or the target was touched.
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

    /// Composes the local matrices of all touched archetypes, and publishes the results.
    ///
    /// All are composed first, because many small archetypes are spread over threads together. An
    /// archetype without work may still have nodes to mark: a user wrote a world matrix in it.
    fn compose_matrices(&mut self, context: &mut Context<'_, '_>) {
        // More may be touched than at the beginning: the steps before have written inputs.
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
