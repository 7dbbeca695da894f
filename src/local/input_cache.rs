//! What `T R S` was computed from the last time, to see which entities of a touched archetype have
//! changed.
//!
//! Versions tell only that something in a column may have been written. Comparing a copy of the
//! inputs, a block of rows at a time, costs less than half of what composing and comparing every
//! matrix does, so an archetype in which little changes is worth a copy; one in which nearly
//! everything changes every time is better off without.

use nalgebra::Matrix4;

use super::{finite::AllFinite, update::count};
use crate::{
    bits::ones,
    parallel::{BLOCK, for_each_block},
    rules,
    simd::{Isa, ScaleColumn, TrsColumns, prefetch},
    storage::casts::bytes,
    storage::mask::Mask,
};

/// Rows that are compared at a time: those of one word of marks.
pub(super) const ROWS: usize = 64;

/// One block in so many is always looked at.
const SAMPLE: usize = 16;

/// How the local matrices of an archetype are brought up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// All are composed and compared; `calm` if little changed the last time and the entities were
    /// the same.
    Compare { calm: bool },
    /// Inputs are compared with their copy, and what differs is composed.
    Cached,
    /// Most matrices differed the last time: all are composed, and most written without being
    /// compared.
    Rewrite,
}

/// A copy of an archetype's inputs, where that pays.
pub(crate) struct InputCache {
    /// The bytes of `ROWS` translations, then of their rotations, then of their scales, and so on;
    /// empty if there is no copy.
    copy: Vec<u8>,
    mode: Mode,
    /// How often all was rewritten.
    runs: usize,
}

impl Default for InputCache {
    fn default() -> Self {
        Self { copy: Vec::new(), mode: Mode::Compare { calm: false }, runs: 0 }
    }
}

impl InputCache {
    /// Whether there is a copy of this many rows.
    pub fn has(&self, columns: &TrsColumns<'_>, rows: usize) -> bool {
        self.mode == Mode::Cached
            && self.copy.len() == rows.div_ceil(ROWS) * ROWS * columns.row_bytes()
    }

    /// Forgets the copy: other entities have the rows now.
    pub fn forget(&mut self) {
        self.copy = Vec::new();
        if self.mode != Mode::Rewrite {
            self.mode = Mode::Compare { calm: false };
        }
    }

    /// Composes all rows, writes and marks those that differ. If those were few, the inputs are
    /// worth a copy, unless entities keep coming and going: a copy is good for nothing where
    /// another entity can have the row. Unless `is_exact` is asked for, matrices may be written and
    /// marked that do not differ, and are not all checked to be `finite`. Returns whether that is
    /// so.
    pub fn compose_all(
        &mut self,
        isa: Isa,
        columns: TrsColumns<'_>,
        matrices: &mut [Matrix4<f32>],
        marks: &mut [u64],
        (undisturbed, is_exact): (bool, bool),
        finite: &AllFinite,
    ) -> bool {
        if self.mode == Mode::Rewrite && !is_exact {
            self.rewrite(isa, columns, matrices, marks, finite);
            return true;
        }
        for_each_block(
            matrices,
            (&mut *marks, 64),
            (&mut [(); 0], 0),
            |first, matrices, marks, _| {
                finite.note(isa.compose(columns.block(first, matrices.len()), matrices, marks));
            },
        );
        let changed = count(marks);
        let calm = undisturbed && changed * 8 < matrices.len() && matrices.len() >= 4 * ROWS;
        self.mode = match self.mode {
            _ if changed * 2 > matrices.len() => Mode::Rewrite,
            Mode::Compare { calm: true } | Mode::Cached if calm => Mode::Cached,
            _ => Mode::Compare { calm },
        };
        if self.mode == Mode::Cached {
            self.copy_all(&columns, matrices.len());
        } else {
            self.copy = Vec::new();
        }
        false
    }

    /// Likewise, where most matrices differed the last time: once one is found that does again, and
    /// so has to move the version, the others are written and marked without a look, but for one
    /// block in [`SAMPLE`] that tells whether this is still so, and whether it is finite. It is
    /// another one each time, so that all are looked at in turn.
    fn rewrite(
        &mut self,
        isa: Isa,
        columns: TrsColumns<'_>,
        matrices: &mut [Matrix4<f32>],
        marks: &mut [u64],
        finite: &AllFinite,
    ) {
        let phase = self.runs % SAMPLE.min(marks.len());
        self.runs = self.runs.wrapping_add(1);
        for_each_block(
            matrices,
            (&mut *marks, 64),
            (&mut [(); 0], 0),
            |first, matrices, marks, _| {
                let columns = columns.block(first, matrices.len());
                let mut any = false;
                let mut row = 0;
                while row < matrices.len() {
                    let block = row / ROWS;
                    let until_sample = (phase + SAMPLE - block % SAMPLE) % SAMPLE;
                    let looks = !any || until_sample == 0;
                    let blocks = if looks { 1 } else { until_sample };
                    let end = matrices.len().min(row + blocks * ROWS);
                    let (columns, matrices) =
                        (columns.block(row, end - row), &mut matrices[row..end]);
                    let marks = &mut marks[block..end.div_ceil(ROWS)];
                    if looks {
                        finite.note(isa.compose(columns, matrices, marks));
                        any |= marks[0] != 0;
                    } else {
                        isa.write(columns, matrices);
                        marks.fill(u64::MAX);
                    }
                    row = end;
                }
            },
        );
        let rows = matrices.len();
        if let (Some(last), tail @ 1..) = (marks.last_mut(), rows % ROWS) {
            *last &= (1 << tail) - 1;
        }
        let looked_at = marks.iter().skip(phase).step_by(SAMPLE);
        let (blocks, changed) = looked_at
            .fold((0, 0), |(blocks, changed), word| (blocks + 1, changed + word.count_ones()));
        if changed as usize * 2 <= rows.min(blocks * ROWS) {
            self.mode = Mode::Compare { calm: false };
        }
    }

    /// Composes the rows whose inputs are not the copied ones, writes and marks what differs.
    /// Columns that are not among the `touched` ones are what was copied.
    ///
    /// The matrices must be as the last composition left them.
    pub fn compose_changed(
        &mut self,
        isa: Isa,
        (columns, touched): (TrsColumns<'_>, Mask),
        matrices: &mut [Matrix4<f32>],
        marks: &mut [u64],
        finite: &AllFinite,
    ) {
        let stride = columns.row_bytes();
        let rows = matrices.len();
        for_each_block(
            matrices,
            (&mut *marks, 64),
            (&mut self.copy, BLOCK * stride),
            |first, matrices, marks, copy| {
                // Where rows differ few do, so their matrices are asked for as they are found, and
                // composed when all are.
                for (block, (copy, differing)) in
                    copy.chunks_mut(ROWS * stride).zip(&mut *marks).enumerate()
                {
                    let matrices = &matrices[block * ROWS..matrices.len().min((block + 1) * ROWS)];
                    *differing = columns
                        .block(first + block * ROWS, matrices.len())
                        .update_copy(copy, touched);
                    ones(*differing).for_each(|row| prefetch(&matrices[row]));
                }
                for (block, (matrices, marks)) in matrices.chunks_mut(ROWS).zip(marks).enumerate() {
                    if *marks != 0 {
                        *marks = compose_rows(
                            isa,
                            columns.block(first + block * ROWS, matrices.len()),
                            matrices,
                            *marks,
                            finite,
                        );
                    }
                }
            },
        );
        // Upkeep that does not pay: compose everything until it calms down.
        if count(marks) * 2 > rows {
            (self.copy, self.mode) = (Vec::new(), Mode::Rewrite);
        }
    }

    fn copy_all(&mut self, columns: &TrsColumns<'_>, rows: usize) {
        let stride = columns.row_bytes();
        self.copy = vec![0; rows.div_ceil(ROWS) * ROWS * stride];
        for (block, copy) in self.copy.chunks_mut(ROWS * stride).enumerate() {
            let first = block * ROWS;
            columns
                .block(first, ROWS.min(rows - first))
                .update_copy(copy, rules::ROOT_LOCAL_TO_WORLD.inputs);
        }
    }
}

impl ScaleColumn<'_> {
    fn row_bytes(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Uniform(_) => 4,
            Self::Axes(_) => 12,
        }
    }
}

impl TrsColumns<'_> {
    /// The bytes of the translations, the rotations and the scales.
    pub(super) fn bytes(&self) -> [&[u8]; 3] {
        let scale = match self.scale {
            ScaleColumn::None => &[],
            ScaleColumn::Uniform(column) => bytes(column),
            ScaleColumn::Axes(column) => bytes(column),
        };
        [bytes(self.translation), bytes(self.rotation), scale]
    }

    /// How many bytes a row's inputs take.
    fn row_bytes(&self) -> usize {
        let (translation, rotation) = (!self.translation.is_empty(), !self.rotation.is_empty());
        12 * usize::from(translation) + 16 * usize::from(rotation) + self.scale.row_bytes()
    }

    /// Compares a block's rows with their copy as far as they were touched, and copies what
    /// differs. Returns the rows that did.
    fn update_copy(&self, copy: &mut [u8], touched: Mask) -> u64 {
        let [translation, rotation, scale] = self.bytes();
        let (translations, rest) = copy.split_at_mut(translation.len());
        let (rotations, scales) = rest.split_at_mut(rotation.len());
        let mut rows = 0;
        if touched.has(Mask::TRANSLATION) {
            rows |= update_column::<12>(translation, translations);
        }
        if touched.has(Mask::ROTATION) {
            rows |= update_column::<16>(rotation, rotations);
        }
        if touched.has_any(rules::any_of(rules::AXES)) {
            let scales = &mut scales[..scale.len()];
            rows |= match self.scale {
                ScaleColumn::Axes(_) => update_column::<12>(scale, scales),
                _ => update_column::<4>(scale, scales),
            };
        }
        rows
    }
}

/// Compares a column with its copy, and copies what differs. Returns the rows, of so many bytes
/// each, that did.
fn update_column<const ROW: usize>(column: &[u8], copy: &mut [u8]) -> u64 {
    if *column == *copy {
        return 0;
    }
    let (rows, copied) = (column.as_chunks::<ROW>().0, copy.as_chunks_mut::<ROW>().0);
    let pairs = rows.iter().zip(&*copied).enumerate();
    let differing = pairs.fold(0, |all, (row, (now, was))| all | u64::from(now != was) << row);
    ones(differing).for_each(|row| copied[row] = rows[row]);
    differing
}

/// Composes the rows of a block whose bits are set, run by run. Returns those that came out
/// different.
fn compose_rows(
    isa: Isa,
    columns: TrsColumns<'_>,
    matrices: &mut [Matrix4<f32>],
    rows: u64,
    finite: &AllFinite,
) -> u64 {
    let mut changed = 0;
    let mut left = rows;
    while left != 0 {
        let first = left.trailing_zeros() as usize;
        let len = (left >> first).trailing_ones() as usize;
        let mut marks = [0];
        finite.note(isa.compose(
            columns.block(first, len),
            &mut matrices[first..first + len],
            &mut marks,
        ));
        changed |= marks[0] << first;
        left &= u64::MAX.checked_shl((first + len) as u32).unwrap_or(0);
    }
    changed
}
