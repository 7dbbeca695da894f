//! The order of the local systems.
//!
//! ```text
//!  for each touched archetype   1  RotationEuler, PostRotationEuler
//!                               2  CompositeRotation, CompositeScale
//!  for the world                3  ParentScaleInverse: reads scales of other archetypes
//!  for each touched archetype   4  local matrices
//!                               5  versions, marks
//! ```
//!
//! Each system may write inputs of a later one. They count as written then
//! ([`bump`](ChangeTracker::bump)): the later one finds them like a user's write.
//! A matrix without any input is the user's: no system writes it.

use super::{
    columns, composite,
    context::Context,
    euler,
    inputs::InputCopies,
    parent_scale::ParentScales,
    results::Results,
    work::{Work, is_composed, is_composed_alone},
};
use nalgebra::Matrix4;

use crate::{
    components::*,
    engine::{
        rules,
        storage::{ArchetypeSheet, ChangeTracker, Columns, Mask, Row},
    },
};

/// The state of the local systems for a world.
#[derive(Default)]
pub(crate) struct LocalSystems {
    pub parent_scales: ParentScales,
    copies: InputCopies,
    results: Results,
}

impl LocalSystems {
    /// The entity of a row goes, and the one of row `last` takes its place. Returns the
    /// `ParentScaleInverse` that was written there.
    pub fn leave(&mut self, from: Row, last: u32) -> Option<Box<Matrix4<f32>>> {
        self.copies.leave(from, last);
        self.parent_scales.leave(from, last)
    }

    /// Brings `Rotation`, `PostRotation`, the composites, `ParentScaleInverse` and local matrices
    /// up to date where anything was touched, and marks the nodes in the forest whose worlds have
    /// to follow. Returns how many local matrices were composed, and how many came out different.
    pub fn run(&mut self, mut context: Context<'_, '_>) -> (usize, usize) {
        let mut works = self.works(&context);
        works.iter().for_each(|work| compose_inputs(work, &mut context));
        let Context { columns, tracker, forest, .. } = &mut context;
        if ParentScales::is_concerned(tracker) {
            for (index, rows) in self.parent_scales.run(&works, columns, tracker, forest) {
                add_rows(&mut works, index, rows, columns, tracker);
            }
        }
        self.compose_matrices(works, &mut context);
        self.results.finish(context.forest)
    }

    /// The rows due in touched archetypes, archetype by archetype.
    fn works(&mut self, context: &Context<'_, '_>) -> Vec<Work> {
        let (columns, tracker) = (&*context.columns, &*context.tracker);
        self.copies.set_archetypes(columns.archetypes().len());
        let mut works = Vec::new();
        for index in tracker.touched() {
            let has_copy = self.copies.follow(index, columns, tracker);
            works.extend(Work::of(index, columns, tracker, has_copy));
        }
        // The rows are found when they are composed, unless others ask for them.
        let early = tracker.having(Mask::PARENT_SCALE_INVERSE).next().is_some();
        for work in works.iter_mut().filter(|work| work.compares) {
            if early || work.is_whole || !is_composed_alone(&tracker[work.index]) {
                self.copies.compare(work, context);
            }
        }
        works
    }

    /// Composes the local matrices that are due, and publishes the results.
    ///
    /// All are composed first, because many small archetypes are spread over threads together. An
    /// archetype without work may still have nodes to mark: a user wrote a world matrix in it.
    fn compose_matrices(&mut self, mut works: Vec<Work>, context: &mut Context<'_, '_>) {
        works.retain(|work| is_composed(&context.tracker[work.index]));
        let touched: Vec<u32> = context.tracker.touched().collect();
        let mut next = works.iter().map(|work| work.index).peekable();
        for index in touched {
            if next.next_if_eq(&index).is_none() {
                self.results.mark(index, None, context);
            }
        }
        columns::compose(&mut works, &mut self.copies, context);
        for work in &mut works {
            self.copies.keep(work, context.columns, context.tracker);
            self.results.publish(work, context);
        }
    }
}

/// Rotations from Euler angles, then composites: both depend on the entity's own components alone.
/// Here angles are written on row 3 of an archetype with pivots:
///
/// ```text
///  RotationEulerXYZ   written by the user
///  Rotation           due; row 3 differs; counts as written
///  CompositeRotation  due, because `Rotation` is an input; row 3 differs; counts as written
/// ```
fn compose_inputs(work: &Work, context: &mut Context<'_, '_>) {
    let Context { columns, tracker, machine, .. } = context;
    let (index, mask) = (work.index, work.mask);
    // The target is derived, and an input or the target was touched.
    let due = |archetype: &ArchetypeSheet, rule: rules::Rule| {
        archetype.derived().has(rule.target) && archetype.is_due(rule.inputs, rule.target)
    };
    let eulers = rules::first(mask, rules::ROTATION_EULERS);
    if due(&tracker[index], rules::ROTATION)
        && euler::write::<Rotation>(columns, work, eulers, machine)
    {
        tracker.bump::<Rotation>(columns, index);
    }
    let eulers = rules::first(mask, rules::POST_ROTATION_EULERS);
    if due(&tracker[index], rules::POST_ROTATION)
        && euler::write::<PostRotation>(columns, work, eulers, machine)
    {
        tracker.bump::<PostRotation>(columns, index);
    }
    if due(&tracker[index], rules::COMPOSITE_ROTATION)
        && composite::rotation(columns, work, machine)
    {
        tracker.bump::<CompositeRotation>(columns, index);
    }
    if due(&tracker[index], rules::COMPOSITE_SCALE) && composite::scale(columns, work, machine) {
        tracker.bump::<CompositeScale>(columns, index);
    }
}

/// Rows of an archetype are due as well.
fn add_rows(
    works: &mut Vec<Work>,
    index: u32,
    rows: Vec<u32>,
    columns: &Columns<'_>,
    tracker: &ChangeTracker,
) {
    let at = works.partition_point(|work| work.index < index);
    if works.get(at).is_none_or(|work| work.index != index) {
        works.insert(at, Work::nothing(index, columns, tracker));
    }
    works[at].add(rows.into_iter());
}
