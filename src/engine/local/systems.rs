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
//! Each system may write inputs of a later one, which finds them like a user's write
//! ([`bump`](crate::engine::storage::ChangeTracker::bump)).
//!
//! # Results
//!
//! The consequences of composed local matrices: versions, counts, the list of changes, and marks in
//! the forest.
//!
//! ```text
//!                                          LocalToParent in         only LocalToWorld in
//!  in an archetype                         the archetype            the archetype (roots)
//!  rows whose matrix came out different    dirty                    dirty below
//!  rows that came or are due               dirty and dirty below    dirty below
//!  a user wrote LocalToWorld               all: both                all: dirty below
//!  a user wrote LocalToParent or Inherits  all: dirty               -
//! ```
//!
//! If sun, a root, is turned, its `LocalToWorld` is written here, and sun is dirty below. If its
//! child mars is turned, the `LocalToParent` is written here, and mars is dirty.

use nalgebra::Matrix4;

use super::{
    Context, columns, composite,
    inputs::{InputCopies, InputCopy},
    parent_scale::ParentScales,
    work::{Composed, Work, is_composed, is_composed_alone},
};
use crate::{
    components::*,
    engine::{
        bits,
        forest::Forest,
        machine::Machine,
        rules,
        storage::{ArchetypeSheet, Columns, Mask, Row, TransformComponent},
    },
};

/// The state of the local systems for a world.
#[derive(Default)]
pub(crate) struct LocalSystems {
    pub parent_scales: ParentScales,
    copies: InputCopies,
    results: Results,
    /// Empty between runs: memory that each run uses again.
    works: Vec<Work>,
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
        let mut works = std::mem::take(&mut self.works);
        self.find_works(&mut works, &context);
        works.iter().for_each(|work| derive_inputs(work, &mut context));
        let Context { columns, tracker, forest, .. } = &mut context;
        for (index, rows) in self.parent_scales.run(&works, columns, tracker, forest) {
            // These rows are due as well.
            let found = works.binary_search_by_key(&index, |work| work.index);
            let at = found.unwrap_or_else(|at| {
                works.insert(at, Work::nothing(index, columns, tracker));
                at
            });
            works[at].add(rows.into_iter());
        }
        self.derive_matrices(&mut works, &mut context);
        self.works = works;
        self.results.finish(context.forest)
    }

    /// Finds the rows due in touched archetypes, archetype by archetype.
    fn find_works(&mut self, works: &mut Vec<Work>, context: &Context<'_, '_>) {
        let (columns, tracker) = (&*context.columns, &*context.tracker);
        self.copies.0.resize_with(columns.archetypes().len(), InputCopy::default);
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
    }

    /// Composes the local matrices that are due, and publishes the results.
    ///
    /// All are composed first, because many small archetypes are spread over threads together. An
    /// archetype without work may still have nodes to mark: a user wrote a world matrix in it.
    fn derive_matrices(&mut self, works: &mut Vec<Work>, context: &mut Context<'_, '_>) {
        works.retain(|work| is_composed(&context.tracker[work.index]));
        let touched: Vec<u32> = context.tracker.touched().collect();
        let mut next = works.iter().map(|work| work.index).peekable();
        for index in touched {
            if next.next_if_eq(&index).is_none() {
                self.results.mark(index, None, context);
            }
        }
        columns::run(works, &mut self.copies, context);
        for mut composed in works.drain(..).map(Composed::of) {
            self.copies.learn(&composed, context);
            self.results.publish(&mut composed, context);
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
fn derive_inputs(work: &Work, context: &mut Context<'_, '_>) {
    derive::<Rotation>(work, context, rules::ROTATION, |columns, work, machine| {
        composite::from_angles::<Rotation>(columns, work, rules::ROTATION_EULERS, machine)
    });
    derive::<PostRotation>(work, context, rules::POST_ROTATION, |columns, work, machine| {
        composite::from_angles::<PostRotation>(columns, work, rules::POST_ROTATION_EULERS, machine)
    });
    derive::<CompositeRotation>(work, context, rules::COMPOSITE_ROTATION, composite::rotation);
    derive::<CompositeScale>(work, context, rules::COMPOSITE_SCALE, composite::scale);
}

/// Derives `T` by a rule, if the archetype has it, and an input or `T` itself was touched. `run`
/// returns whether it has written anything.
fn derive<T: TransformComponent>(
    work: &Work,
    Context { columns, tracker, machine, .. }: &mut Context<'_, '_>,
    rule: rules::Rule,
    run: impl FnOnce(&mut Columns<'_>, &Work, &Machine) -> bool,
) {
    let sheet = &tracker[work.index];
    let is_due = sheet.derived().has(rule.target) && sheet.is_due(rule.inputs, rule.target);
    if is_due && run(columns, work, machine) {
        tracker.bump::<T>(columns, work.index);
    }
}

/// Counts of a run so far, for the statistics: 10,000 composed and 3 changed, for example.
#[derive(Default)]
pub(super) struct Results {
    /// Local matrices that were composed.
    composed: usize,
    /// Those of them that came out different.
    changed: usize,
    /// Archetypes of which all nodes are dirty, and all are dirty below: marked together at the
    /// end.
    whole: [Vec<u32>; 2],
}

impl Results {
    /// Moves the version of an archetype's local matrices if any changed. Counts these rows, marks
    /// them in the forest, and lists the roots among them.
    ///
    /// The list has world matrices. So rows with `LocalToParent` are listed after propagation, if
    /// their world changes.
    pub fn publish(&mut self, composed: &mut Composed, context: &mut Context<'_, '_>) {
        let Context { columns, tracker, changes, .. } = context;
        let &mut Composed { ref work, changed } = composed;
        if changed > 0 && work.mask.has(Mask::LOCAL_TO_PARENT) {
            tracker.bump::<LocalToParent>(columns, work.index);
        } else if changed > 0 {
            let words = || bits::used(&work.marks).map(|(word, it)| (work.first / 64 + word, it));
            tracker.bump_worlds(columns, work.index, words);
            changes.iter_mut().for_each(|changes| changes.add(work.index, words()));
        }
        self.composed += work.composed;
        self.changed += changed;
        self.mark(work.index, Some(composed), context);
    }

    /// Ends a run. Returns how many matrices were composed, and how many of them changed.
    pub fn finish(&mut self, forest: &mut Forest) -> (usize, usize) {
        let Self { composed, changed, whole } = std::mem::take(self);
        forest.set_archetypes(&whole);
        (composed, changed)
    }

    /// Marks nodes of an archetype, by the table [above](self), after what was composed there.
    fn mark(&mut self, index: u32, mut done: Option<&mut Composed>, context: &mut Context<'_, '_>) {
        let (sheet, forest) = (&context.tracker[index], &mut *context.forest);
        let rows = forest.slots(index).len();
        if rows == 0 || !sheet.mask.has(Mask::LOCAL_TO_WORLD) {
            return;
        }
        let is_child = sheet.mask.has(Mask::LOCAL_TO_PARENT);
        // Where a user's component stops the rule, no world is computed, but children follow it.
        let can_be_dirty = is_child && sheet.writes(Mask::LOCAL_TO_WORLD);
        if let Reach::All { dirty_below } = Reach::of(sheet, done.as_deref_mut(), rows) {
            self.whole[0].extend(can_be_dirty.then_some(index));
            self.whole[1].extend(dirty_below.then_some(index));
            return;
        }
        if let Some(Composed { work, .. }) = done {
            let changed = bits::marked(&work.marks).map(|row| work.first + row);
            match is_child {
                true => forest.set_dirty_rows(index, changed),
                false => forest.set_dirty_below(index, changed),
            }
        }
        let others = || sheet.arrivals_and_due(rows).map(|row| row as usize);
        if can_be_dirty {
            forest.set_dirty_rows(index, others());
        }
        forest.set_dirty_below(index, others());
    }
}

/// Which nodes of an archetype are marked.
enum Reach {
    /// All, for one of these reasons:
    ///
    /// - A user wrote a world matrix. It can even be right: then nothing differs here, but the
    ///   descendants still have to follow.
    /// - A user wrote `LocalToParent` or `Inherits`, and no copy of the inputs says where.
    /// - At least seven of eight rows changed: of 1,000 rows, 875. The others are computed in vain,
    ///   to the same bits.
    ///
    /// They are dirty below, too, if a user wrote a world matrix, or if some came or are scrubbed.
    All { dirty_below: bool },
    /// Those that changed, that came from another archetype, or that are scrubbed: they may have
    /// been written.
    Some,
}

impl Reach {
    fn of(sheet: &ArchetypeSheet, composed: Option<&mut Composed>, rows: usize) -> Self {
        if sheet.is_written(Mask::LOCAL_TO_WORLD) {
            return Self::All { dirty_below: true };
        }
        if !sheet.mask.has(Mask::LOCAL_TO_PARENT) {
            return Self::Some;
        }
        let mut is_known = !sheet.is_written(Mask::LOCAL_TO_PARENT);
        let changed = composed.map_or(0, |composed| {
            // With a copy of the inputs, it is known which matrices are others than before.
            is_known = is_known || composed.add_differing();
            composed.changed
        });
        let is_all = !is_known || sheet.is_written(Mask::INHERITS) || changed * 8 >= rows * 7;
        let dirty_below = sheet.has_arrivals() || sheet.has_due();
        if is_all { Self::All { dirty_below } } else { Self::Some }
    }
}
