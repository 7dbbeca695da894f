//! Accelerator: copies of the inputs that users write, to find the changed rows of a touched
//! archetype. To compare inputs takes less time than to compose and compare matrices. So an
//! archetype of 256 rows or more in which little changes gets a copy.
//!
//! ```text
//!  Compare   all composed and compared   two runs with less than 1/8 changed  -> Copied
//!  Copied    inputs compared             more than 1/2 changed                -> Compare
//! ```
//!
//! Take 10,000 rows, of which 300 change in every run. Runs 0 and 1 compose all; at the end of run
//! 1 the inputs are copied. From run 2 on 300 matrices are composed. If 6,000 change in run 9, the
//! copy is dropped.
//!
//! # The copy
//!
//! Columns stand side by side, 64 rows at a time. With `T R S` and a `Scale`, 32 bytes a row:
//!
//! ```text
//!  copy of 100 rows   T 0..64 | R 0..64 | S 0..64 | T 64..100, unused | R 64..100, unused | ...
//!  bytes              768       1024      256       768                 1024
//! ```
//!
//! If an entity has come to a row, this row is copied again. An entity that only changes its row
//! takes its copy along.

use smallvec::SmallVec;

use super::{
    Context,
    work::{Composed, Work, copied, is_copied_whole},
};
use crate::engine::{
    bits,
    machine::Accelerator,
    parallel,
    storage::{ChangeTracker, Columns, Mask, Row},
};

/// Rows that are compared at a time: those of one word of marks.
pub(super) const ROWS: usize = 64;

/// How the local matrices of an archetype are brought up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// All are composed, and compared with the stored ones. `calm`: the last time little changed;
    /// once more, and the inputs are copied.
    Compare { calm: bool },
    /// Inputs are compared with their copy, and the rows that differ are composed.
    Copied,
}

/// A copy of an archetype's inputs, where that pays; see the [module](self).
pub(super) struct InputCopy {
    bytes: Vec<u8>,
    /// How many bytes a row of each column takes.
    sizes: SmallVec<[usize; 8]>,
    mode: Mode,
}

impl Default for InputCopy {
    fn default() -> Self {
        Self { bytes: Vec::new(), sizes: SmallVec::new(), mode: Mode::Compare { calm: false } }
    }
}

/// The copies of all archetypes, by index.
#[derive(Default)]
pub(super) struct InputCopies(pub Vec<InputCopy>);

impl InputCopies {
    /// The entity of a row goes, and the one of row `last` takes its place.
    pub fn leave(&mut self, from: Row, last: u32) {
        if let Some(copy) = self.0.get_mut(from.archetype as usize)
            && from.row != last
        {
            copy.move_row(last as usize, from.row as usize);
        }
    }

    /// Call for every touched archetype. A row that comes takes no copy along from the row that it
    /// left: it is composed, so the copy gets what is read then, as in all rows that are due.
    /// (Where all inputs may have been written, all are [compared](Self::compare) instead.) Returns
    /// whether there is a copy.
    pub fn follow(&mut self, index: u32, columns: &Columns<'_>, tracker: &ChangeTracker) -> bool {
        let (copy, sheet) = (&mut self.0[index as usize], &tracker[index]);
        if copy.mode == Mode::Copied && (sheet.has_other_members() || sheet.has_due()) {
            let inputs = Inputs::of(index, columns, tracker);
            copy.bytes.resize(inputs.copy_len(), 0);
            if !sheet.written().has(copied(sheet)) {
                let rows = sheet.arrivals_and_due(inputs.rows);
                rows.for_each(|row| inputs.copy_row(&mut copy.bytes, row));
            }
        }
        copy.mode == Mode::Copied
    }

    /// Finds the rows whose inputs differ from their copy, brings the copy up to date, and marks
    /// the rows as due.
    pub fn compare(&mut self, work: &mut Work, context: &Context<'_, '_>) {
        let inputs = Inputs::of(work.index, context.columns, context.tracker);
        let blocks = self.0[work.index as usize].blocks(&inputs);
        let blocks = blocks.zip(work.marks.chunks_mut(parallel::BLOCK / ROWS)).enumerate();
        parallel::for_each(blocks, context.machine.threads.paying(work.rows), &|(
            block,
            (copy, marks),
        )| {
            inputs.update_copy(copy, block, marks);
        });
        // Where all rows are composed, composition finds the rows that come out different. Those of
        // the copy say something else: the matrix may be right already, because a user wrote it, or
        // because another entity has taken the row.
        if work.is_whole {
            let sheet = &context.tracker[work.index];
            if sheet.is_written(Mask::LOCAL_TO_PARENT) && is_copied_whole(sheet) {
                let rows = sheet.arrivals_and_due(work.rows);
                rows.for_each(|row| bits::set(&mut work.marks, row as usize));
                work.differing = Some(work.marks.clone());
            }
            work.marks.fill(0);
        }
        work.compares = false;
    }

    /// Call when the matrices of an archetype are composed: the next mode is chosen, and the inputs
    /// are copied if they have to be.
    pub fn learn(&mut self, composed: &Composed, context: &Context<'_, '_>) {
        let Composed { work, changed } = composed;
        let copy = &mut self.0[work.index as usize];
        copy.learn(work.is_whole, work.rows, *changed, context.machine.uses(Accelerator::Inputs));
        if copy.mode == Mode::Copied && copy.bytes.is_empty() {
            let mut inputs = Inputs::of(work.index, context.columns, context.tracker);
            copy.sizes = inputs.columns.iter().map(|(_, size, _)| *size).collect();
            // A new copy is all zeros, and rows that differ from it are copied.
            (copy.bytes, inputs.written) = (vec![0; inputs.copy_len()], Mask::ALL);
            inputs.update_copy(&mut copy.bytes, 0, &mut vec![0; work.rows.div_ceil(ROWS)]);
        }
    }
}

impl InputCopy {
    /// Copies a row of the copy over a different one.
    fn move_row(&mut self, from: usize, to: usize) {
        let stride = ROWS * self.sizes.iter().sum::<usize>();
        let (mut from_word, mut to_word) = (from / ROWS * stride, to / ROWS * stride);
        if self.bytes.len() < from_word + stride {
            return;
        }
        for &size in &self.sizes {
            let from = from_word + from % ROWS * size;
            self.bytes.copy_within(from..from + size, to_word + to % ROWS * size);
            from_word += ROWS * size;
            to_word += ROWS * size;
        }
    }

    /// Blocks of [`BLOCK`](parallel::BLOCK) rows of the copy.
    pub fn blocks(&mut self, inputs: &Inputs<'_>) -> impl Iterator<Item = &mut [u8]> {
        debug_assert_eq!(self.bytes.len(), inputs.copy_len(), "the copy follows the archetype");
        self.bytes.chunks_mut(inputs.stride() * parallel::BLOCK / ROWS)
    }

    /// The next mode, when `changed` of `rows` matrices came out different: of all that were due,
    /// or of all, if the work was whole. `copies`: whether the inputs may be copied.
    fn learn(&mut self, is_whole: bool, rows: usize, changed: usize, copies: bool) {
        let calm = copies && changed * 8 < rows && rows >= 4 * ROWS;
        self.mode = match (self.mode, is_whole) {
            (Mode::Copied, _) if changed * 2 > rows => Mode::Compare { calm: false },
            (mode @ Mode::Copied, _) | (mode, false) => mode,
            (Mode::Compare { calm: true }, true) if calm => Mode::Copied,
            (_, true) => Mode::Compare { calm },
        };
        if self.mode != Mode::Copied {
            self.bytes = Vec::new();
        }
    }
}

/// The columns of an archetype that are copied.
pub(super) struct Inputs<'a> {
    pub columns: Vec<(Mask, usize, &'a [u8])>,
    pub rows: usize,
    /// Those that are compared: in which something was written.
    pub written: Mask,
}

impl<'a> Inputs<'a> {
    fn of(index: u32, columns: &'a Columns<'_>, tracker: &ChangeTracker) -> Self {
        let copied = copied(&tracker[index]).iter();
        let rows = columns.entities(index).len();
        let columns = copied.map(|component| columns.numbers(component, index)).collect();
        Self { columns, rows, written: tracker[index].written() }
    }

    /// How many bytes 64 rows take in a copy; at least 1.
    fn stride(&self) -> usize {
        self.columns.iter().map(|(_, size, _)| size * ROWS).sum::<usize>().max(1)
    }

    fn copy_len(&self) -> usize {
        self.rows.div_ceil(ROWS) * self.stride()
    }

    /// Copies one row.
    fn copy_row(&self, copy: &mut [u8], row: u32) {
        let (word, row) = (row as usize / ROWS, row as usize);
        let mut at = word * self.stride();
        for &(_, size, column) in &self.columns {
            let to = at + row % ROWS * size;
            copy[to..to + size].copy_from_slice(&column[row * size..(row + 1) * size]);
            at += ROWS * size;
        }
    }

    /// Compares the columns that were written with their copy from a [block](InputCopy::blocks) on,
    /// copies the rows that differ, and marks them.
    pub fn update_copy(&self, copy: &mut [u8], block: usize, marks: &mut [u64]) {
        let words = copy.chunks_mut(self.stride()).zip(marks).enumerate();
        for (word, (copy, mark)) in words {
            let first = block * parallel::BLOCK + word * ROWS;
            let mut at = 0;
            for &(component, size, column) in &self.columns {
                if self.written.has(component) {
                    let column = &column[first * size..column.len().min((first + ROWS) * size)];
                    *mark |= update_column(size, column, &mut copy[at..at + column.len()]);
                }
                at += ROWS * size;
            }
        }
    }
}

/// Compares a column of `size` bytes a row with its copy, and copies the rows that differ. Returns
/// these, a bit each.
fn update_column(size: usize, column: &[u8], copy: &mut [u8]) -> u64 {
    if *column == *copy {
        return 0;
    }
    match size {
        4 => update_rows::<4>(column, copy),
        12 => update_rows::<12>(column, copy),
        _ => update_rows::<16>(column, copy),
    }
}

fn update_rows<const ROW: usize>(column: &[u8], copy: &mut [u8]) -> u64 {
    let (rows, copied) = (column.as_chunks::<ROW>().0, copy.as_chunks_mut::<ROW>().0);
    let pairs = rows.iter().zip(&*copied).enumerate();
    let differing = pairs.fold(0, |all, (row, (now, was))| all | u64::from(now != was) << row);
    bits::ones(differing).for_each(|row| copied[row] = rows[row]);
    differing
}
