//! A copy of the inputs that `T R S` was computed from, to find the rows of a touched archetype
//! that have changed.
//!
//! Versions say only that a column may have been written. To compare a copy of the inputs, 64 rows
//! at a time, takes less than half of the time in which all matrices are composed and compared. So
//! an archetype in which little changes is worth a copy; one in which nearly everything changes in
//! every run is better off without.
//!
//! ```text
//!  Compare   all composed and compared   two runs with less than 1/8 changed  -> Cached
//!                                        more than 1/2 changed                -> Rewrite
//!  Cached    inputs compared             more than 1/2 changed                -> Rewrite
//!                                        other entities in the rows           -> Compare
//!  Rewrite   most written unseen         at most 1/2 of the sample changed    -> Compare
//! ```
//!
//! Take 10,000 rows, of which 300 change in every run. Runs 0 and 1 compose all and compare the
//! matrices; at the end of run 1 the inputs are copied. From run 2 on the inputs are compared, and
//! 300 matrices are composed. If 6,000 change in run 9, the copy is dropped, and run 10 rewrites.

use super::rows::{PlainRows, ROWS};
use crate::{
    bits, parallel, rules,
    simd::{ScaleColumn, TrsColumns, prefetch},
    storage::{Mask, bytes},
};

/// Of this many blocks of [`ROWS`] rows one is compared where the others are written unseen.
const SAMPLE: usize = 16;

/// How the local matrices of an archetype are brought up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// All are composed, and compared with the stored ones. `calm`: the last time little changed,
    /// and the entities were the same; once more, and the inputs are copied.
    Compare { calm: bool },
    /// Inputs are compared with their copy, and the rows that differ are composed.
    Cached,
    /// Most matrices differed the last time: all are composed, and most are written without being
    /// compared.
    Rewrite,
}

/// A copy of an archetype's inputs, where that pays: 32 bytes a row for `T R S` with a `Scale`.
///
/// ```text
///  copy of 100 rows   T 0..64 | R 0..64 | S 0..64 | T 64..100 | R 64..100 | S 64..100 | unused
///  bytes              768       1024      256       432         576         144         896
/// ```
pub(super) struct InputCache {
    /// The bytes of [`ROWS`] translations, then of their rotations, then of their scales, then of
    /// the next translations; empty if there is no copy.
    copy: Vec<u8>,
    mode: Mode,
    /// The number of runs that rewrote all: it chooses the blocks that are compared.
    runs: usize,
}

impl Default for InputCache {
    fn default() -> Self {
        Self { copy: Vec::new(), mode: Mode::Compare { calm: false }, runs: 0 }
    }
}

impl InputCache {
    /// Whether there is a copy of these rows.
    pub fn has(&self, rows: &PlainRows<'_>) -> bool {
        self.mode == Mode::Cached && self.copy.len() == copy_len(rows)
    }

    /// Forgets the copy: other entities have the rows now.
    pub fn forget(&mut self) {
        self.copy = Vec::new();
        if self.mode != Mode::Rewrite {
            self.mode = Mode::Compare { calm: false };
        }
    }

    /// Composes all rows, and writes and marks the rows that differ. Unless it `is_exact`, others
    /// may be marked, too. After two runs in which few rows differed the inputs are
    /// copied, if the rows are `undisturbed`: where other entities come into the rows, a copy is of
    /// no use.
    pub fn compose_all(&mut self, rows: &mut PlainRows<'_>, undisturbed: bool, is_exact: bool) {
        if self.mode == Mode::Rewrite && !is_exact {
            return self.rewrite(rows);
        }
        let len = rows.len();
        parallel::for_each(rows.blocks(), parallel::pays(len), &PlainRows::compose);
        let changed = bits::count(rows.marks);
        let calm = undisturbed && changed * 8 < len && len >= 4 * ROWS;
        self.mode = match self.mode {
            _ if changed * 2 > len => Mode::Rewrite,
            Mode::Compare { calm: true } | Mode::Cached if calm => Mode::Cached,
            _ => Mode::Compare { calm },
        };
        self.copy = if self.mode == Mode::Cached { copy_of(rows) } else { Vec::new() };
    }

    /// Composes all rows where most matrices differed the last time. Reading them to compare them
    /// would be wasted time. So in each 4,096 rows matrices are compared only until one
    /// differs: without any difference the version must not move. The others are written and
    /// marked unseen.
    ///
    /// One block in [`SAMPLE`] is compared all the same, to see whether most still differ, and
    /// another one in each run. With `c` for compared and `w` for written blocks of 64 rows:
    ///
    /// ```text
    /// block    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 ...
    /// run 0    c w w w w w w w w w w  w  w  w  w  w  c  w  w  w
    /// run 3    c w w c w w w w w w w  w  w  w  w  w  w  w  w  c      block 0 until one differs
    /// ```
    fn rewrite(&mut self, rows: &mut PlainRows<'_>) {
        let phase = self.runs % SAMPLE.min(rows.marks.len());
        self.runs = self.runs.wrapping_add(1);
        let len = rows.len();
        parallel::for_each(rows.blocks(), parallel::pays(len), &|mut rows| {
            let (mut any, mut block) = (false, 0);
            while block < rows.marks.len() {
                let until_sample = (phase + SAMPLE - block % SAMPLE) % SAMPLE;
                let end = if any { block + until_sample.max(1) } else { block + 1 };
                let mut some = rows.words(block..end.min(rows.marks.len()));
                if any && until_sample > 0 {
                    some.write();
                } else {
                    some.words(0..1).compose();
                    any |= some.marks[0] != 0;
                }
                block = end;
            }
        });
        // Half of the sampled rows or fewer: from the next run on all are compared again.
        let sampled = rows.marks.iter().skip(phase).step_by(SAMPLE);
        let changed: u32 = sampled.clone().map(|word| word.count_ones()).sum();
        if changed as usize * 2 <= len.min(sampled.count() * ROWS) {
            self.mode = Mode::Compare { calm: false };
        }
    }

    /// Composes the rows whose inputs differ from their copy, and writes and marks those whose
    /// matrix differs. Only `touched` columns are compared: the others are as they were copied.
    ///
    /// The matrices must be as the last composition left them.
    pub fn compose_changed(&mut self, rows: &mut PlainRows<'_>, touched: Mask) {
        let len = rows.len();
        let stride = rows.columns.row_bytes();
        let blocks = rows.blocks().zip(self.copy.chunks_mut(parallel::BLOCK * stride));
        parallel::for_each(blocks, parallel::pays(len), &|(mut rows, copy)| {
            // Few rows differ, so their matrices are prefetched as they are found, and composed
            // when all are found.
            let words = copy.chunks_mut(ROWS * stride).zip(&mut *rows.marks);
            for (word, (copy, differing)) in words.enumerate() {
                let matrices =
                    &rows.matrices[word * ROWS..rows.matrices.len().min((word + 1) * ROWS)];
                let columns = rows.columns.block(word * ROWS, matrices.len());
                *differing = columns.update_copy(copy, touched);
                bits::ones(*differing).for_each(|row| prefetch(&matrices[row]));
            }
            rows.compose_marked();
        });
        // A copy of which most changes does not pay: compose everything until it calms down.
        if bits::count(rows.marks) * 2 > len {
            (self.copy, self.mode) = (Vec::new(), Mode::Rewrite);
        }
    }
}

/// How many bytes a copy of these rows has: the last block is as long as the others.
fn copy_len(rows: &PlainRows<'_>) -> usize {
    rows.len().next_multiple_of(ROWS) * rows.columns.row_bytes()
}

/// A copy of the inputs of these rows. A new copy is all zeros: rows that differ from it are
/// copied, and the others are right already.
fn copy_of(rows: &mut PlainRows<'_>) -> Vec<u8> {
    let mut copy = vec![0; copy_len(rows)];
    for (word, copy) in copy.chunks_mut(ROWS * rows.columns.row_bytes()).enumerate() {
        rows.words(word..word + 1).columns.update_copy(copy, rules::ROOT_LOCAL_TO_WORLD.inputs);
    }
    copy
}

impl<'a> TrsColumns<'a> {
    /// The bytes of the translations, the rotations and the scales.
    pub(super) fn bytes(&self) -> [&'a [u8]; 3] {
        let scale = match self.scale {
            ScaleColumn::None => &[],
            ScaleColumn::Uniform(column) => bytes(column),
            ScaleColumn::Axes(column) => bytes(column),
        };
        [bytes(self.translation), bytes(self.rotation), scale]
    }

    /// How many bytes a row's inputs take: 12 for the translation, 16 for the rotation, 4 or 12 for
    /// the scale.
    fn row_bytes(&self) -> usize {
        let (translation, rotation) = (!self.translation.is_empty(), !self.rotation.is_empty());
        let scale = match self.scale {
            ScaleColumn::None => 0,
            ScaleColumn::Uniform(_) => 4,
            ScaleColumn::Axes(_) => 12,
        };
        12 * usize::from(translation) + 16 * usize::from(rotation) + scale
    }

    /// Compares the touched columns of a block with their copy, and copies the rows that differ.
    /// Returns these, a bit each.
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

/// Compares a column of `ROW` bytes a row with its copy, and copies the rows that differ. Returns
/// these, a bit each.
fn update_column<const ROW: usize>(column: &[u8], copy: &mut [u8]) -> u64 {
    if *column == *copy {
        return 0;
    }
    let (rows, copied) = (column.as_chunks::<ROW>().0, copy.as_chunks_mut::<ROW>().0);
    let pairs = rows.iter().zip(&*copied).enumerate();
    let differing = pairs.fold(0, |all, (row, (now, was))| all | u64::from(now != was) << row);
    bits::ones(differing).for_each(|row| copied[row] = rows[row]);
    differing
}
