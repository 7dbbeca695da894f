//! Accelerator: plain `T R S`, whole columns at a time.
//!
//! Most archetypes have neither composites nor `ParentScaleInverse`. Their local matrices are
//! composed by the [kernels](crate::engine::simd), only in rows that may differ. Large archetypes
//! are spread over threads by rows, small ones by archetypes. Without it, they are composed
//! [row by row](super::general) like all others (`flat_all` in docs/measurements.md).
//!
//! Which rows are composed, in an archetype of 1,000:
//!
//! ```text
//!  what happened                                     composed
//!  3 entities came, nothing else                     rows 997 to 999
//!  inputs written                                    rows that differ from the copy of inputs
//!  inputs written, and there is no copy              all, and compared with the stored matrices
//!  the same, and most differed the last time         all, and most written without comparison
//! ```

mod rewrite;
mod rows;

use std::sync::atomic::{AtomicUsize, Ordering};

use nalgebra::Matrix4;

use self::{rewrite::rewrite, rows::PlainRows};
use super::{
    context::Context,
    inputs::{InputCopies, InputCopy, Inputs, ROWS},
    work::{Work, copied},
};
use crate::engine::{
    accelerators::Accelerator,
    bits, parallel, rules,
    simd::{Isa, ScaleColumn, TrsColumns, prefetch},
    storage::{Mask, bytes},
};

/// Composes the rows that are due in archetypes of plain matrices. Rows that differ stay marked.
pub(super) fn compose(works: &mut [Work], copies: &mut InputCopies, context: &mut Context<'_, '_>) {
    let (tracker, isa) = (&*context.tracker, context.isa);
    let lists_changes = context.changes.is_some();
    let plain = works.iter().filter(|work| work.is_plain()).map(|work| {
        let wanted = if work.compares { copied(&tracker[work.index]) } else { Mask::NONE };
        (work.index, rules::without_losing_scale(work.mask), wanted)
    });
    let plain: Vec<(u32, Mask, Mask)> = plain.collect();
    let (mut copies, mut next) = (copies.iter_mut(), 0);
    let mut jobs: Vec<Job<'_>> = Vec::with_capacity(plain.len());
    let columns = context.columns.plain(plain.into_iter());
    for (work, (index, plain)) in works.iter_mut().filter(|work| work.is_plain()).zip(columns) {
        let copy = copies.nth((index - next) as usize).expect("one for each archetype");
        next = index + 1;
        let is_listed = lists_changes && !work.mask.has(Mask::LOCAL_TO_PARENT);
        let covered = work.covered();
        let due = if work.compares { work.rows } else { work.due() };
        jobs.push(Job {
            isa,
            due,
            is_spread: parallel::pays(due),
            may_copy: Accelerator::Inputs.is_on(),
            may_rewrite: Accelerator::Rewrite.is_on() && !is_listed,
            written: tracker[index].written(),
            inputs: work.compares.then_some(Inputs { columns: plain.numbers, rows: work.rows }),
            columns: plain.columns.block(covered.start, covered.len()),
            matrices: &mut plain.matrices[covered],
            work,
            copy,
        });
    }
    compose_jobs(&mut jobs);
}

/// The work in one archetype, for one thread or for several.
struct Job<'a> {
    isa: Isa,
    /// How many rows are due, as far as is known.
    due: usize,
    /// Whether all threads compose it together.
    is_spread: bool,
    may_copy: bool,
    /// Whether matrices may be written and marked unseen. Not where users see the marks: those of
    /// roots, in the list of changes. Elsewhere a superfluous mark only costs time.
    may_rewrite: bool,
    written: Mask,
    /// The inputs, if they have to be compared with their copy.
    inputs: Option<Inputs<'a>>,
    columns: TrsColumns<'a>,
    matrices: &'a mut [Matrix4<f32>],
    work: &'a mut Work,
    copy: &'a mut InputCopy,
}

/// The cost of looking at an archetype, in rows: 100 archetypes of 10 rows weigh as 2,600 rows do.
const LOOK: usize = 16;

/// How many archetypes ahead memory is prefetched. A small archetype begins with a cache miss in
/// each of its columns.
const AHEAD: usize = 3;

/// Composes all jobs: large ones first, one after another, each on all threads; then small ones in
/// groups of [`BLOCK`](parallel::BLOCK) rows or more, each group on one thread.
fn compose_jobs(jobs: &mut [Job<'_>]) {
    for job in jobs.iter_mut().filter(|job| job.is_spread) {
        job.compose();
    }
    let weight = |job: &Job<'_>| if job.is_spread { 0 } else { job.due + LOOK };
    parallel::for_each_group(jobs, weight, &|jobs| {
        for number in 0..jobs.len() {
            if let Some(ahead) = jobs.get(number + AHEAD) {
                ahead.prefetch();
            }
            if !jobs[number].is_spread {
                jobs[number].compose();
            }
        }
    });
}

impl Job<'_> {
    /// Composes the rows that are due in the cheapest way; see the [module](self).
    fn compose(&mut self) {
        let pays = self.is_spread;
        let (columns, matrices) = (self.columns, &mut *self.matrices);
        let marks = &mut self.work.marks[..];
        let mut rows = PlainRows { isa: self.isa, columns, matrices, marks };
        let len = rows.len();
        self.work.composed = self.due;
        if let Some(inputs) = &self.inputs {
            let blocks = rows.blocks().zip(self.copy.blocks(inputs)).enumerate();
            let composed = AtomicUsize::new(0);
            parallel::for_each(blocks, pays, &|(block, (mut rows, copy))| {
                inputs.update_copy(copy, block, self.written, rows.marks);
                composed.fetch_add(bits::count(rows.marks), Ordering::Relaxed);
                rows.compose_marked();
            });
            self.work.composed = composed.into_inner();
        } else if !self.work.is_whole {
            parallel::for_each(rows.blocks(), pays, &|mut rows| rows.compose_marked());
        } else if self.may_rewrite && self.copy.rewrites() && len > ROWS {
            return rewrite(&mut rows, self.copy, pays);
        } else if pays {
            parallel::for_each(rows.blocks(), pays, &PlainRows::compose);
        } else {
            rows.words(0..len.div_ceil(ROWS)).compose();
        }
        let changed = bits::count(rows.marks);
        self.copy.learn(self.work.is_whole, self.work.rows, changed, self.may_copy);
    }

    /// Prefetches the beginning of each column. Of a small archetype that is everything, and the
    /// hardware does not guess where the next one is.
    fn prefetch(&self) {
        let len = self.matrices.len().min(16);
        let [translation, rotation, scale] = self.columns.block(0, len).bytes();
        for column in [translation, rotation, scale, bytes(&self.matrices[..len])] {
            column.iter().step_by(64).chain(column.last()).for_each(|byte| prefetch(byte));
        }
    }
}

impl<'a> TrsColumns<'a> {
    /// The bytes of the translations, the rotations and the scales.
    fn bytes(&self) -> [&'a [u8]; 3] {
        let scale = match self.scale {
            ScaleColumn::None => &[],
            ScaleColumn::Uniform(column) => bytes(column),
            ScaleColumn::Axes(column) => bytes(column),
        };
        [bytes(self.translation), bytes(self.rotation), scale]
    }
}
