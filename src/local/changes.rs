//! What `T R S` was computed from the last time, to see which entities of a touched archetype have changed.
//!
//! Legion's versions tell only that somebody may have written somewhere in an archetype. Comparing a copy of the inputs, a block
//! of rows at a time, costs less than half of what composing and comparing every matrix does, so an archetype in which
//! little changes is worth a copy; one in which nearly everything changes every time is better off without.

use nalgebra::Matrix4;

use super::update::Marks;
use crate::{
    parallel::{BLOCK, for_each_block},
    raw::{
        bytes::bytes,
        kernel::{Level, ScaleColumn, TrsColumns},
    },
};

/// Rows that are compared at a time.
const ROWS: usize = 32;

/// A copy of an archetype's inputs, or none.
#[derive(Default)]
pub(crate) struct Inputs {
    /// The bytes of `ROWS` translations, then of their rotations, then of their scales, and so on; empty if there is no copy.
    copy: Vec<u8>,
    /// Whether it was composed before.
    seen: bool,
}

impl Inputs {
    /// Whether there is a copy of this many rows.
    pub fn has(&self, columns: &TrsColumns<'_>, rows: usize) -> bool {
        rows > 0 && self.copy.len() == rows.div_ceil(ROWS) * ROWS * columns.row_bytes()
    }

    /// Composes all rows, writes and marks those that differ. If those were few, the inputs are worth a copy.
    pub fn compose_all(&mut self, level: Level, columns: TrsColumns<'_>, matrices: &mut [Matrix4<f32>], marks: &mut Marks) {
        for_each_block(matrices, (marks.words_mut(), 64), (&mut [(); 0], 0), |first, matrices, marks, _| {
            level.compose(columns.block(first, matrices.len()), matrices, marks);
        });
        let few = marks.count() * 8 < matrices.len();
        if few && std::mem::replace(&mut self.seen, true) && matrices.len() >= 4 * ROWS {
            self.copy_all(&columns, matrices.len());
        } else if !self.copy.is_empty() {
            self.copy = Vec::new();
        }
    }

    /// Composes the blocks of rows whose inputs are not the copied ones, writes and marks what differs.
    ///
    /// The matrices must be as the last composition left them.
    pub fn compose_changed(
        &mut self,
        level: Level,
        columns: TrsColumns<'_>,
        matrices: &mut [Matrix4<f32>],
        marks: &mut Marks,
    ) {
        let stride = columns.row_bytes();
        let rows = matrices.len();
        for_each_block(
            matrices,
            (marks.words_mut(), 64),
            (&mut self.copy, BLOCK * stride),
            |first, matrices, marks, copy| {
                for (block, (matrices, copy)) in matrices.chunks_mut(ROWS).zip(copy.chunks_mut(ROWS * stride)).enumerate() {
                    let columns = columns.block(first + block * ROWS, matrices.len());
                    if columns.update_copy(copy) {
                        let mut changed = [0];
                        level.compose(columns, matrices, &mut changed);
                        marks[block * ROWS / 64] |= changed[0] << (block * ROWS % 64);
                    }
                }
            },
        );
        // Upkeep that does not pay: compose everything until it calms down.
        if marks.count() * 2 > rows {
            self.copy = Vec::new();
        }
    }

    fn copy_all(&mut self, columns: &TrsColumns<'_>, rows: usize) {
        let stride = columns.row_bytes();
        self.copy = vec![0; rows.div_ceil(ROWS) * ROWS * stride];
        for (block, copy) in self.copy.chunks_mut(ROWS * stride).enumerate() {
            let first = block * ROWS;
            columns.block(first, ROWS.min(rows - first)).update_copy(copy);
        }
    }
}

impl TrsColumns<'_> {
    /// How many bytes a row's inputs take.
    fn row_bytes(&self) -> usize {
        let scale = match self.scale {
            ScaleColumn::None => 0,
            ScaleColumn::Uniform(_) => 4,
            ScaleColumn::Axes(_) => 12,
        };
        12 * usize::from(!self.translation.is_empty()) + 16 * usize::from(!self.rotation.is_empty()) + scale
    }

    /// Compares a block's rows with their copy, and copies what differs. Returns whether anything did.
    fn update_copy(&self, copy: &mut [u8]) -> bool {
        let scale = match self.scale {
            ScaleColumn::None => &[],
            ScaleColumn::Uniform(column) => bytes(column),
            ScaleColumn::Axes(column) => bytes(column),
        };
        let mut rest = copy;
        let mut differs = false;
        for column in [bytes(self.translation), bytes(self.rotation), scale] {
            let (mine, others) = rest.split_at_mut(column.len());
            if mine != column {
                mine.copy_from_slice(column);
                differs = true;
            }
            rest = others;
        }
        differs
    }
}
