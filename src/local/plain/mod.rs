//! Accelerator: plain `T R S`, whole columns at a time.
//!
//! Most archetypes have neither composites nor `ParentScaleInverse`. Their local matrices are
//! composed by the [kernels](crate::simd), only in rows that may differ; large archetypes are
//! spread over threads by rows, small ones by archetypes. Without it, they are composed
//! [row by row](super::general) like all others: `flat_all` takes several times as long.
//!
//! Which rows are composed, in an archetype of 1,000:
//!
//! ```text
//!  what happened                                     composed
//!  3 entities came, nothing else                     rows 997 to 999
//!  inputs written, entities and matrices the same    rows that differ from the copy of inputs
//!  the same, in a run without a copy                 all, and compared with the stored matrices
//!  the same, and most differed the last time         all, and most written without comparison
//! ```
//!
//! Archetypes of 64 rows and less are always composed as a whole, unless entities only came.

mod input_cache;
mod rows;

use self::{
    input_cache::InputCache,
    rows::{PlainRows, ROWS},
};
use super::{context::Context, work::Work};
use crate::{
    accelerators::Accelerator,
    parallel, rules,
    simd::prefetch,
    storage::{ArchetypeSheet, ChangeTracker, Mask, bytes},
};

/// The state that is kept for archetypes of plain `T R S`.
#[derive(Default)]
pub(super) struct PlainArchetypes {
    /// By archetype: copies of the inputs, or how its matrices came out the last time.
    inputs: Vec<InputCache>,
}

impl PlainArchetypes {
    /// Call for all touched archetypes before any is composed: where other entities stand in the
    /// rows, copies of the inputs are dropped. `archetypes` is the number of archetypes.
    pub fn note(&mut self, touched: &[u32], archetypes: usize, tracker: &ChangeTracker) {
        if !Accelerator::Plain.is_on() {
            self.inputs.clear();
        }
        self.inputs.resize_with(archetypes, InputCache::default);
        for &index in touched.iter().filter(|&&index| tracker[index].has_other_members()) {
            self.inputs[index as usize].forget();
        }
    }

    /// Composes the rows of these archetypes that are due. Cuts the archetypes' words off the
    /// beginning of `marks`, and sets how many rows of each were composed.
    pub fn compose(
        &mut self,
        works: &mut [Work],
        marks: &mut &mut [u64],
        context: &mut Context<'_, '_>,
    ) {
        let mut due = Vec::with_capacity(works.len());
        for work in works.iter_mut() {
            due.push(Due::of(work, &context.tracker[work.index], context.changes.is_some()));
            work.composed = due[due.len() - 1].len(work.rows);
        }
        let archetypes =
            works.iter().map(|work| (work.index, rules::without_losing_scale(work.mask)));
        let (mut inputs, mut next) = (self.inputs.iter_mut(), 0);
        let mut jobs: Vec<Job<'_>> = Vec::with_capacity(works.len());
        let columns = context.columns.plain(archetypes);
        for ((work, due), (index, plain)) in works.iter().zip(&due).zip(columns) {
            let marks = marks.split_off_mut(..work.words()).expect("a word for 64 rows");
            let inputs = inputs.nth((index - next) as usize).expect("one for each archetype");
            next = index + 1;
            let (columns, matrices) = (plain.columns, plain.matrices);
            let rows = PlainRows { isa: context.isa, columns, matrices, marks };
            jobs.push(Job { rows, due, inputs });
        }
        compose(&mut jobs);
    }
}

/// The work in one archetype, for one thread or for several.
struct Job<'a> {
    rows: PlainRows<'a>,
    due: &'a Due,
    inputs: &'a mut InputCache,
}

/// Which rows of an archetype have to be composed.
enum Due {
    /// The rows of the entities that came, ascending: nothing else happened.
    Arrivals(Vec<u32>),
    /// Any.
    Any {
        /// The columns that may have been written, other than by insertions.
        touched: Mask,
        /// Whether in every row stands the entity that stood there, with the matrix that the last
        /// run left. Then a row with the same inputs as before needs no look at its matrix.
        undisturbed: bool,
        /// Whether only matrices that come out different may be marked: users see the marks of
        /// roots in the list of changes. Elsewhere a superfluous mark only costs time.
        is_exact: bool,
    },
}

/// The cost of looking at an archetype, in rows: 100 archetypes of 10 rows weigh as 2,600 rows do.
const LOOK: usize = 16;

/// How many archetypes ahead memory is prefetched. A small archetype begins with a cache miss in
/// each of its columns.
const AHEAD: usize = 3;

/// Composes all jobs: large ones first, one after another, each on all threads; then small ones in
/// groups of [`BLOCK`](parallel::BLOCK) rows or more, each group on one thread.
fn compose(jobs: &mut [Job<'_>]) {
    for job in jobs.iter_mut().filter(|job| parallel::pays(job.len())) {
        job.compose();
    }
    let weight = |job: &Job<'_>| if parallel::pays(job.len()) { 0 } else { job.len() + LOOK };
    parallel::for_each_group(jobs, weight, &|jobs| {
        for number in 0..jobs.len() {
            if let Some(ahead) = jobs.get(number + AHEAD) {
                ahead.prefetch();
            }
            if !parallel::pays(jobs[number].len()) {
                jobs[number].compose();
            }
        }
    });
}

impl Due {
    fn of(work: &Work, sheet: &ArchetypeSheet, lists_changes: bool) -> Self {
        let rules::Rule { target, inputs, .. } = rules::local_matrix(work.mask);
        if !sheet.is_relinked() && !sheet.is_written(inputs | target) {
            return Self::Arrivals(sheet.arrivals(work.rows).collect());
        }
        let is_listed = lists_changes && target == Mask::LOCAL_TO_WORLD;
        Self::Any {
            touched: sheet.written(),
            undisturbed: Accelerator::Cache.is_on() && !sheet.is_changed(target),
            is_exact: is_listed || !Accelerator::Unseen.is_on(),
        }
    }

    /// The number of rows that may have to be composed, if the archetype has `rows` rows.
    fn len(&self, rows: usize) -> usize {
        match self {
            Self::Arrivals(rows) => rows.len(),
            Self::Any { .. } => rows,
        }
    }
}

impl Job<'_> {
    fn len(&self) -> usize {
        self.due.len(self.rows.len())
    }

    /// Composes the rows that are due in the cheapest way; see the [module](self).
    fn compose(&mut self) {
        let rows = &mut self.rows;
        match self.due {
            Due::Arrivals(arrivals) => rows.compose_rows(arrivals),
            // A copy of the inputs of so few rows would cost more than it saves.
            _ if rows.len() <= ROWS => rows.words(0..rows.marks.len()).compose(),
            &Due::Any { touched, undisturbed, .. } if undisturbed && self.inputs.has(rows) => {
                self.inputs.compose_changed(rows, touched);
            }
            &Due::Any { undisturbed, is_exact, .. } => {
                self.inputs.compose_all(rows, undisturbed, is_exact);
            }
        }
    }

    /// Prefetches the beginning of each column. Of a small archetype that is everything, and the
    /// hardware does not guess where the next one is.
    fn prefetch(&self) {
        let len = self.rows.len().min(16);
        let [translation, rotation, scale] = self.rows.columns.block(0, len).bytes();
        for column in [translation, rotation, scale, bytes(&self.rows.matrices[..len])] {
            column.iter().step_by(64).chain(column.last()).for_each(|byte| prefetch(byte));
        }
    }
}
