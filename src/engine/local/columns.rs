//! Local matrices, whole columns at a time.
//!
//! ```text
//!  local matrix = T(translation) ParentScaleInverse rotation scale
//!                                                   |        └ CompositeScale, or Scale, or
//!                                                   |          NonUniformScale: the first present
//!                                                   └ CompositeRotation, or Rotation
//! ```
//!
//! With a translation of (4, 0, 0), a scale of 3, and a parent scaled by 2, the matrix scales by
//! `1/2 * 3` and moves by 4: the scale of the parent is cancelled for the entity, not for its
//! place.
//!
//! The factors are the same for all rows of an archetype. The [kernels](crate::engine::simd)
//! compose only rows that may differ. Large archetypes are spread over threads by rows, small ones
//! by archetypes. In an archetype of 1,000:
//!
//! ```text
//!  what happened                                     composed
//!  3 entities came, nothing else                     rows 997 to 999
//!  inputs written                                    rows that differ from the copy of inputs
//!  inputs written, without a copy                    all, and compared with the stored matrices
//! ```
//!
//! # Rows without a parent
//!
//! In archetypes in which only some rows have a parent:
//!
//! ```text
//!  inputs of the archetype      linked row                  row without parent
//!  ParentScaleInverse alone     its value is the matrix     the user's matrix stays
//!  Translation as well          T ParentScaleInverse        T
//! ```
//!
//! # Rows
//!
//! A [`Formula`] composes a matrix; it is written where it differs, and marked there. Bits are
//! compared, not numbers: 0.0 and -0.0 differ, and a NaN equals itself.

use std::sync::atomic::{AtomicUsize, Ordering};

use nalgebra::Matrix4;
use smallvec::SmallVec;

use super::{
    Context,
    inputs::{InputCopies, InputCopy, Inputs, ROWS},
    work::{Work, copied},
};
use crate::{
    engine::{
        bits,
        forest::{Forest, NONE},
        parallel, rules,
        simd::{Factors, Formula, Isa, Simd, prefetch},
        storage::Mask,
    },
    math::SameBits,
};

// `Columns::factors`, `simd::Factors` and its formula have a column for each of these sources.
const _: () = assert!(rules::ROTATIONS.len() == 2 && rules::SCALINGS.len() == 3);

/// Composes the rows that are due in archetypes whose local matrices are computed: each is
/// [`Composed`](super::work::Composed) then.
pub(super) fn run(works: &mut [Work], copies: &mut InputCopies, context: &mut Context<'_, '_>) {
    works.iter_mut().for_each(|work| work.composed = work.due());
    let all = works.iter().map(|work| work.composed + LOOK).sum();
    let len = context.machine.threads.paying(all).map_or(NEIGHBOURS, |_| works.len());
    works.chunks_mut(len).for_each(|works| run_together(works, copies, context));
}

/// [`run`], with all jobs made before the first is done.
fn run_together(works: &mut [Work], copies: &mut InputCopies, context: &mut Context<'_, '_>) {
    let (tracker, forest, machine) = (&*context.tracker, &*context.forest, context.machine);
    let (mut copies, mut next) = (copies.0.iter_mut(), 0);
    let mut jobs: Vec<Job<'_>> = Vec::with_capacity(works.len());
    let mut columns = context.columns.factors();
    for work in works {
        let (index, sheet) = (work.index, &tracker[work.index]);
        let copied = if work.compares { copied(sheet) } else { Mask::NONE };
        let local = columns(index, rules::factors(work.mask), copied);
        let copy = copies.nth((index - next) as usize).expect("one for each archetype");
        next = index + 1;
        let formula = Linked { factors: local.factors, forest, slots: forest.slots(index) };
        if !work.mask.has_any(rules::ROOT_LOCAL_TO_WORLD.inputs) {
            work.retain(|row| formula.is_linked(row));
            work.composed = work.due();
        }
        let inputs = Inputs { columns: local.numbers, rows: work.rows, written: sheet.written() };
        jobs.push(Job {
            isa: machine.isa,
            threads: machine.threads.paying(work.composed),
            inputs: work.compares.then_some((inputs, copy)),
            formula,
            matrices: &mut local.matrices[work.covered()],
            work,
        });
    }
    run_jobs(&mut jobs, &machine.threads);
}

/// The work in one archetype, for one thread or for several.
struct Job<'a> {
    isa: Isa,
    /// The threads that compose it together, if that pays.
    threads: Option<&'a parallel::Threads>,
    /// The inputs, if they have to be compared with their copy.
    inputs: Option<(Inputs<'a>, &'a mut InputCopy)>,
    formula: Linked<'a>,
    matrices: &'a mut [Matrix4<f32>],
    work: &'a mut Work,
}

/// The cost of looking at an archetype, in rows: 100 archetypes of 10 rows weigh as 2,600 rows do.
const LOOK: usize = 16;

/// How many archetypes get their jobs at a time, if one thread does all jobs. A job takes more than
/// 200 bytes: thousands of them would drive the columns out of the caches.
const NEIGHBOURS: usize = 64;

/// How many archetypes ahead memory is prefetched. A small archetype begins with a cache miss in
/// each of its columns.
const AHEAD: usize = 3;

/// Runs all jobs: large ones first, one after another, each on all threads; then small ones in
/// blocks of [`BLOCK`](parallel::BLOCK) rows or more, each block on one thread.
fn run_jobs(jobs: &mut [Job<'_>], threads: &parallel::Threads) {
    jobs.iter_mut().filter(|job| job.threads.is_some()).for_each(Job::run);
    let weight = |job: &Job<'_>| if job.threads.is_some() { 0 } else { job.work.composed + LOOK };
    parallel::for_each_block(threads, jobs, weight, &|jobs| {
        for number in 0..jobs.len() {
            jobs.get(number + AHEAD).into_iter().for_each(Job::prefetch);
            if jobs[number].threads.is_none() {
                jobs[number].run();
            }
        }
    });
}

impl Job<'_> {
    /// Composes the rows that are due in the cheapest way; see the [module](self).
    fn run(&mut self) {
        match self.formula.factors.plain() {
            Some(plain) => self.run_by(plain),
            None => self.run_by(self.formula),
        }
    }

    fn run_by(&mut self, formula: impl Formula) {
        let (isa, threads, first) = (self.isa, self.threads, self.work.first);
        let (matrices, marks) = (&mut *self.matrices, &mut self.work.marks[..]);
        let mut rows = Rows { isa, formula, first, matrices, marks };
        let Some((inputs, copy)) = &mut self.inputs else {
            return rows.update_due(self.work.is_whole, threads);
        };
        let blocks = rows.blocks().zip(copy.blocks(inputs)).enumerate();
        let (inputs, composed) = (&*inputs, AtomicUsize::new(0));
        parallel::for_each(blocks, threads, &|(block, (mut rows, copy))| {
            inputs.update_copy(copy, block, rows.marks);
            composed.fetch_add(bits::count(rows.marks), Ordering::Relaxed);
            rows.update_marked();
        });
        self.work.composed = composed.into_inner();
    }

    /// Prefetches the rows that are due, or the first ones if all may be. Of a small archetype that
    /// is everything, and the hardware does not guess where the next one is.
    fn prefetch(&self) {
        let rows = |from: usize, len: usize| {
            self.formula.factors.prefetch(self.work.first + from, len);
            self.matrices[from..from + len].iter().for_each(|matrix| prefetch(matrix));
        };
        match self.work.is_whole || self.work.compares {
            true => rows(0, self.matrices.len().min(16)),
            false => bits::marked(&self.work.marks).take(16).for_each(|row| rows(row, 1)),
        }
    }
}

/// The local matrices of an archetype.
#[derive(Clone, Copy)]
pub(super) struct Linked<'a> {
    pub factors: Factors<'a>,
    pub forest: &'a Forest,
    /// The slots of the rows.
    pub slots: &'a [u32],
}

impl Linked<'_> {
    /// Whether a row has a parent.
    #[inline]
    pub fn is_linked(&self, row: usize) -> bool {
        self.slots.get(row).is_some_and(|&slot| slot != NONE && self.forest.is_linked(slot))
    }
}

impl Formula for Linked<'_> {
    fn one(&self, row: usize) -> Matrix4<f32> {
        let inverse = if self.is_linked(row) { self.factors.inverse } else { &[] };
        Factors { inverse, ..self.factors }.one(row)
    }

    #[inline(always)]
    fn four<S: Simd>(&self, simd: S, row: usize) -> [S::Matrix; 4] {
        if self.factors.inverse.is_empty() || (row..row + 4).all(|row| self.is_linked(row)) {
            return self.factors.four(simd, row);
        }
        [0, 1, 2, 3].map(|i| simd.load(&self.one(row + i)))
    }
}

/// The fewest consecutive rows that the kernels compose, four at a time.
const FEWEST: usize = 4;

/// The matrices, and a bit a row. The slices of matrices and marks begin with the same row, a
/// multiple of 64: `first`, by which the formula counts.
pub(crate) struct Rows<'a, F> {
    pub isa: Isa,
    pub formula: F,
    pub first: usize,
    pub matrices: &'a mut [Matrix4<f32>],
    pub marks: &'a mut [u64],
}

impl<'a, F: Formula> Rows<'a, F> {
    /// Blocks of [`BLOCK`](parallel::BLOCK) rows, for threads: 10,000 rows are three, the last one
    /// of 1,808 rows. Each has its own words of marks, so threads share none.
    pub fn blocks(&mut self) -> impl Iterator<Item = Rows<'_, F>> {
        let (isa, formula, start) = (self.isa, self.formula, self.first);
        let blocks = self
            .matrices
            .chunks_mut(parallel::BLOCK)
            .zip(self.marks.chunks_mut(parallel::BLOCK / ROWS));
        blocks.enumerate().map(move |(block, (matrices, marks))| {
            let first = start + block * parallel::BLOCK;
            Rows { isa, formula, first, matrices, marks }
        })
    }

    /// Composes all rows, if the work is whole, or the marked ones, on these threads, too. Writes
    /// and marks the rows that differ. One thread alone takes the marks as one: of blocks, most may
    /// have no or one row that is due, and nothing to prefetch.
    pub fn update_due(&mut self, is_whole: bool, threads: Option<&parallel::Threads>) {
        match (is_whole, threads) {
            (true, _) => parallel::for_each(self.blocks(), threads, &Rows::update),
            (false, None) => self.update_marked(),
            (false, _) => parallel::for_each(self.blocks(), threads, &|mut it| it.update_marked()),
        }
    }

    /// Composes all rows. Writes and marks the rows that differ.
    pub fn update(self) {
        self.isa.compose(self.formula, self.first, self.matrices, self.marks);
    }

    /// Composes the marked rows, 32 words with marks at a time. The rows that differ stay marked.
    ///
    /// The first matrix of each of these words is prefetched. Where few rows are due, these are
    /// all, and each is a cache miss.
    pub fn update_marked(&mut self) {
        let mut begun = 0;
        while begun < self.marks.len() {
            let words = bits::used(&self.marks[begun..]).take(32);
            let words: SmallVec<[_; 32]> = words.map(|(word, it)| (begun + word, it)).collect();
            for &(word, marks) in &words {
                prefetch(&self.matrices[word * ROWS + marks.trailing_zeros() as usize]);
            }
            words.iter().for_each(|&(word, _)| self.update_word(word));
            begun = words.last().map_or(self.marks.len(), |(word, _)| word + 1);
        }
    }

    /// Composes the marked rows of one word, one call for consecutive rows. The rows that differ
    /// stay marked. With rows 2, 3, 4, 5 and 9 marked (`10_0011_1100`) these are a call of the
    /// kernels for four rows, and one row.
    fn update_word(&mut self, word: usize) {
        let mut due = std::mem::take(&mut self.marks[word]);
        while due != 0 {
            let skipped = due.trailing_zeros() as usize;
            let row = word * ROWS + skipped;
            let mut len = (due >> skipped).trailing_ones() as usize;
            let mut differing = [0];
            if len >= FEWEST {
                let matrices = &mut self.matrices[row..row + len];
                self.isa.compose(self.formula, self.first + row, matrices, &mut differing);
            } else {
                let composed = self.formula.one(self.first + row);
                if !self.matrices[row].same_bits(&composed) {
                    (self.matrices[row], differing) = (composed, [1]);
                }
                len = 1;
            }
            self.marks[word] |= differing[0] << skipped;
            due &= u64::MAX.checked_shl((skipped + len) as u32).unwrap_or(0);
        }
    }
}
