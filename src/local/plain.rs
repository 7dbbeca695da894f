//! The archetypes of plain `T R S` of a run: composed together, large ones spread over threads by
//! rows, small ones by archetypes.

use super::{
    input_cache::InputCache,
    plain_rows::{PlainRows, ROWS},
};
use crate::{
    parallel::{for_each_group, pays},
    simd::prefetch,
    storage::{Mask, bytes},
};

/// One archetype's work.
pub(super) struct Job<'a> {
    pub rows: PlainRows<'a>,
    pub due: &'a Due,
    pub inputs: &'a mut InputCache,
}

/// Which rows of an archetype have to be composed.
pub(super) enum Due {
    /// Those of the entities that came, ascending: nothing else happened.
    Arrivals(Vec<u32>),
    /// Any.
    Any {
        /// The components whose version moved.
        touched: Mask,
        /// Whether the entities are the same and the matrices were not written: in every row stands
        /// the entity that stood there, with the matrix that the last run left.
        undisturbed: bool,
        /// Whether only matrices that come out different may be marked.
        is_exact: bool,
    },
}

/// The cost of looking at an archetype, in rows.
const LOOK: usize = 16;

/// How many archetypes ahead memory is prefetched.
const AHEAD: usize = 3;

/// Composes the rows that are due, by the cheapest way that is exact.
pub(super) fn compose(jobs: &mut [Job<'_>]) {
    for job in jobs.iter_mut().filter(|job| pays(job.len())) {
        job.compose();
    }
    let weight = |job: &Job<'_>| if pays(job.len()) { 0 } else { job.len() + LOOK };
    for_each_group(jobs, weight, |jobs| {
        for number in 0..jobs.len() {
            if let Some(ahead) = jobs.get(number + AHEAD) {
                ahead.prefetch();
            }
            if !pays(jobs[number].len()) {
                jobs[number].compose();
            }
        }
    });
}

impl Due {
    /// How many of this many rows may have to be composed.
    pub fn len(&self, rows: usize) -> usize {
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
