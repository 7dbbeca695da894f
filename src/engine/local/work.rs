//! Which rows of which archetypes are due in a run.
//!
//! ```text
//!   archetype          happened                            due
//!   Translation, LTW   Translation was written             all rows; with a copy of the inputs,
//!                                                          rows that differ from it
//!   Translation, LTP   row 7 came                          row 7
//!   Translation, LTW   an edit wrote row 7 in place        row 7
//!   Translation, LTW   LocalToWorld was written            all rows: they are repaired
//!   Translation, LTW   LocalToWorld is perhaps written     a thirty-second of the rows
//!   Translation, LTW   rows were only removed              none: the others keep their matrices
//!   LTW alone          LocalToWorld was written            none: the matrix is the user's
//! ```

use std::ops::Range;

use smallvec::SmallVec;

use crate::engine::{
    bits, rules,
    storage::{ArchetypeSheet, ChangeTracker, Columns, Mask},
};

/// What local matrices are computed from, directly or not: found once, when the crate is compiled.
const INPUTS: Mask = rules::all_inputs_of_local_matrices();

/// Inputs of which no copy is kept, because they are matrices.
const MATRICES: Mask =
    Mask::COMPOSITE_ROTATION.union(Mask::COMPOSITE_SCALE).union(Mask::PARENT_SCALE_INVERSE);

/// A bit a row, 64 a word. Archetypes of up to 128 rows need no memory of their own for it.
type Marks = SmallVec<[u64; 2]>;

/// An archetype in which rows are due.
#[derive(Default)]
pub(super) struct Work {
    pub index: u32,
    pub mask: Mask,
    /// The number of its rows.
    pub rows: usize,
    /// The first row that `marks` are of; a multiple of 64.
    pub first: usize,
    /// Whether all rows are due, whatever the marks say.
    pub is_whole: bool,
    /// Whether the inputs have to be compared with their copy.
    pub compares: bool,
    /// Where users wrote `LocalToParent`: the rows whose inputs differ from their copy, a bit each.
    /// These matrices differ from those of the last run, even if the user wrote the right one. Rows
    /// that composition itself changes are in `marks`. `None`: not known.
    pub differing: Option<Marks>,
    /// How many local matrices are composed, as far as is known: where inputs have to be compared
    /// first, all until then.
    pub composed: usize,
    /// A bit a row from `first` on, 64 a word: the rows that are due. With only row 100,000 due,
    /// one word, and `first` 99,968.
    pub marks: Marks,
}

/// Work that is done: a bit for each row whose local matrix came out different.
pub(super) struct Composed {
    pub work: Work,
    /// How many these are.
    pub changed: usize,
}

/// What the local systems derive in an archetype, but for `ParentScaleInverse`. The worlds of
/// children are propagation's.
fn targets(sheet: &ArchetypeSheet) -> Mask {
    let is_child = sheet.mask.has(Mask::LOCAL_TO_PARENT);
    let world = if is_child { Mask::LOCAL_TO_WORLD } else { Mask::NONE };
    sheet.derived().without(Mask::WORLD_TO_LOCAL | world)
}

/// Whether an archetype's local matrices are derived.
pub(super) fn is_composed(sheet: &ArchetypeSheet) -> bool {
    targets(sheet).has(rules::local_matrix(sheet.mask).target)
}

/// Whether nothing but the local matrix is derived: no rotation from angles, no composite.
pub(super) fn is_composed_alone(sheet: &ArchetypeSheet) -> bool {
    targets(sheet) == rules::local_matrix(sheet.mask).target
}

/// The inputs of which a copy is kept: numbers that users write and that count.
pub(super) fn copied(sheet: &ArchetypeSheet) -> Mask {
    (rules::without_losing_scale(sheet.mask) & INPUTS).without(MATRICES | sheet.derived())
}

/// Whether the copy has all inputs that the bundle does not derive.
pub(super) fn is_copied_whole(sheet: &ArchetypeSheet) -> bool {
    !sheet.mask.without(sheet.derived()).has_any(MATRICES)
}

impl Work {
    /// The work in a touched archetype: `None` if nothing is due. `has_copy`: whether there is a
    /// copy of its inputs.
    pub fn of(
        index: u32,
        columns: &Columns<'_>,
        tracker: &ChangeTracker,
        has_copy: bool,
    ) -> Option<Self> {
        let sheet = &tracker[index];
        let targets = targets(sheet);
        if targets == Mask::NONE {
            return None;
        }
        let mut work = Self::nothing(index, columns, tracker);
        let is_written = sheet.is_written(sheet.mask & INPUTS | targets);
        if is_written {
            work.cover(0..work.rows);
            work.is_whole = !has_copy || is_beyond_inputs(sheet, targets);
            work.compares = has_copy;
        }
        work.add(sheet.arrivals_and_due(work.rows));
        (!work.marks.is_empty()).then_some(work)
    }

    /// No work yet, in an archetype.
    pub fn nothing(index: u32, columns: &Columns<'_>, tracker: &ChangeTracker) -> Self {
        let (mask, rows) = (tracker[index].mask, columns.entities(index).len());
        Self { index, mask, rows, ..Self::default() }
    }

    /// These rows are due as well.
    pub fn add(&mut self, rows: impl Iterator<Item = u32>) {
        if self.is_whole {
            return;
        }
        let rows: SmallVec<[u32; 16]> = rows.collect();
        let (Some(&least), Some(&most)) = (rows.iter().min(), rows.iter().max()) else { return };
        self.cover(least as usize..most as usize + 1);
        rows.iter().for_each(|&row| bits::set(&mut self.marks, row as usize - self.first));
    }

    /// Makes room for marks of these rows, too.
    fn cover(&mut self, rows: Range<usize>) {
        let covered = self.covered();
        let is_empty = self.marks.is_empty();
        let first = if is_empty { rows.start } else { rows.start.min(covered.start) } / 64 * 64;
        let end = if is_empty { rows.end } else { rows.end.max(covered.end) };
        if !is_empty && first < covered.start {
            let before = (covered.start - first) / 64;
            self.marks.insert_many(0, std::iter::repeat_n(0, before));
        }
        self.marks.resize((end - first).div_ceil(64), 0);
        self.first = first;
    }

    /// The rows that there are marks of.
    pub fn covered(&self) -> Range<usize> {
        self.first..self.rows.min(self.first + self.marks.len() * 64)
    }

    /// Calls `f` with each row that is due.
    pub fn for_each_due(&self, f: impl FnMut(u32)) {
        match self.is_whole {
            true => (0..self.rows as u32).for_each(f),
            false => bits::marked(&self.marks).map(|row| (self.first + row) as u32).for_each(f),
        }
    }

    /// How many rows are due, as far as is known: all, where inputs have to be compared.
    pub fn due(&self) -> usize {
        if self.is_whole || self.compares { self.rows } else { bits::count(&self.marks) }
    }

    /// Only those of the rows are due that `keep`.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let due = self.due_marks();
        self.is_whole = false;
        self.marks.fill(0);
        let kept = bits::marked(&due).filter(|row| keep(self.first + row));
        kept.for_each(|row| bits::set(&mut self.marks, row));
    }

    /// Marks of the rows that are due, to be changed.
    pub fn due_marks(&self) -> Marks {
        let mut marks = self.marks.clone();
        if self.is_whole {
            bits::fill(&mut marks, self.rows);
        }
        marks
    }
}

impl Composed {
    pub fn of(work: Work) -> Self {
        Self { changed: bits::count(&work.marks), work }
    }

    /// Marks all rows whose matrix is different from that of the last run, if that is known.
    /// Returns whether it is known.
    pub fn add_differing(&mut self) -> bool {
        let Some(differing) = self.work.differing.take() else { return false };
        self.work.marks.iter_mut().zip(differing).for_each(|(mark, differing)| *mark |= differing);
        self.changed = bits::count(&self.work.marks);
        true
    }
}

/// Whether a copy of the inputs does not tell which rows are due: results were written, or
/// inputs of which no copy is kept.
fn is_beyond_inputs(sheet: &ArchetypeSheet, targets: Mask) -> bool {
    sheet.is_written(targets | MATRICES)
}
