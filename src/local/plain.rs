//! The plain archetypes of a run: composed together, large ones spread over threads by rows, small
//! ones by archetypes.

use nalgebra::Matrix4;

use super::{
    finite::AllFinite,
    input_cache::{InputCache, ROWS},
};
use crate::{
    parallel::{for_each_group, pays},
    simd::{Isa, TrsColumns, prefetch},
    storage::casts::bytes,
    storage::mask::Mask,
};

/// One archetype's work.
pub(super) struct Job<'a> {
    pub index: u32,
    /// Whether the entities are the same and the matrices were not written: every row is the entity
    /// it was, with the matrix that the copy led to.
    pub undisturbed: bool,
    /// The components whose version moved.
    pub touched: Mask,
    /// Whether only matrices that came out different may be marked.
    pub is_exact: bool,
    /// Whether all that is composed is finite.
    pub finite: AllFinite,
    /// Whether some of it was not checked.
    pub is_sampled: bool,
    pub inputs: InputCache,
    pub columns: TrsColumns<'a>,
    pub matrices: &'a mut [Matrix4<f32>],
    /// The rows that were written, a bit each.
    pub marks: &'a mut [u64],
}

/// What looking at an archetype costs, in rows.
const LOOK: usize = 16;

/// How many archetypes ahead memory is asked for.
const AHEAD: usize = 3;

/// Composes what has to be, by the cheapest way that is exact.
pub(super) fn compose(jobs: &mut [Job<'_>], isa: Isa) {
    let rows = |job: &Job<'_>| job.matrices.len();
    for job in jobs.iter_mut().filter(|job| pays(rows(job))) {
        job.compose(isa);
    }
    let weight = |job: &Job<'_>| if pays(rows(job)) { 0 } else { rows(job) + LOOK };
    for_each_group(jobs, weight, |jobs| {
        for number in 0..jobs.len() {
            if let Some(ahead) = jobs.get(number + AHEAD) {
                ahead.prefetch();
            }
            if !pays(rows(&jobs[number])) {
                jobs[number].compose(isa);
            }
        }
    });
}

impl Job<'_> {
    fn compose(&mut self, isa: Isa) {
        let Self { inputs, columns, matrices, marks, finite, .. } = self;
        if matrices.len() <= ROWS {
            // Whatever is remembered of so few would cost more than it saves.
            return finite.note(isa.compose(*columns, matrices, marks));
        }
        if self.undisturbed && inputs.has(columns, matrices.len()) {
            inputs.compose_changed(isa, (*columns, self.touched), matrices, marks, finite);
        } else {
            self.is_sampled = inputs.compose_all(
                isa,
                *columns,
                matrices,
                marks,
                (self.undisturbed, self.is_exact),
                finite,
            );
        }
    }

    /// Asks for the beginning of each column: all of it in archetypes so small that the hardware
    /// would not guess it in time.
    fn prefetch(&self) {
        let rows = self.matrices.len().min(16);
        let columns = self.columns.block(0, rows);
        let [translation, rotation, scale] = columns.bytes();
        for column in [translation, rotation, scale, bytes(&self.matrices[..rows])] {
            column.iter().step_by(64).chain(column.last()).for_each(|byte| prefetch(byte));
        }
    }
}
