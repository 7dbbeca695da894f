//! Accelerator: one column in a storage of its own, on its way between archetypes, for `bulk/`.
//!
//! ```text
//!  archetype 4      take        LooseColumn        give       archetype 9
//!  [T; 100]    ──────────────►  storage of T   ────────────►  [T; 100] or behind the rows it has
//!                               split: pieces of it by rows, for several archetypes
//! ```
//!
//! Legion's writers only take columns in. So [`take`](LooseColumn::take) offers a writer a
//! [`Carrier`] as the storage to take from: called with the world's own storage, it takes that
//! storage's column.
#![allow(unsafe_code)]

use legion::storage::{
    ArchetypeIndex, ArchetypeWriter, ComponentIndex, ComponentMeta, ComponentTypeId,
    UnknownComponentStorage,
};

use super::mask::Mask;

/// Makes a storage of a component; Legion keeps one for each component in every layout.
type Constructor = fn() -> Box<dyn UnknownComponentStorage>;

/// One column, in a storage of its own; see the [module](self).
pub(crate) struct LooseColumn {
    component: ComponentTypeId,
    constructor: Constructor,
    storage: Box<dyn UnknownComponentStorage>,
    /// The index of row 0: only Legion can make one.
    first: ComponentIndex,
}

/// Where the storage of a column keeps it.
const HERE: ArchetypeIndex = ArchetypeIndex(0);

impl LooseColumn {
    fn new(
        component: ComponentTypeId,
        constructor: fn() -> Box<dyn UnknownComponentStorage>,
        first: ComponentIndex,
    ) -> Self {
        let mut storage = constructor();
        storage.insert_archetype(HERE, None);
        Self { component, constructor, storage, first }
    }

    /// Takes the column of a component out of an archetype. Its entities stay there, without that
    /// component.
    pub fn take(
        writer: &mut ArchetypeWriter<'_>,
        component: ComponentTypeId,
        of: Constructor,
        first: ComponentIndex,
    ) -> Self {
        let mut column = Self::new(component, of, first);
        let mut carrier = Carrier(Some(column.storage));
        writer.claim_components_unknown(component).move_archetype_from(HERE, &mut carrier);
        column.storage = carrier.0.take().expect("it was put there");
        column
    }

    /// Gives the column to an archetype, behind the rows that it has. If it has none, it takes the
    /// memory over; otherwise the rows are copied.
    pub fn give(mut self, writer: &mut ArchetypeWriter<'_>, has_rows: bool) {
        let mut target = writer.claim_components_unknown(self.component);
        if !has_rows {
            target.move_archetype_from(HERE, &mut *self.storage);
            return;
        }
        let (start, len) = self.raw();
        // SAFETY: the column is of this component. Its rows are moved: they are forgotten below.
        unsafe { target.extend_memcopy_raw(start, len) };
        self.forget();
    }

    /// The first row, and how many there are.
    fn raw(&self) -> (*const u8, usize) {
        self.storage.get_raw(HERE).expect("made with it")
    }

    /// Some rows of it.
    ///
    /// # Safety
    /// Each row may be taken once, and the rest must be [forgotten](Self::forget).
    unsafe fn piece(&self, rows: &[u32]) -> Self {
        let (start, len) = self.raw();
        assert!(rows.iter().all(|&row| (row as usize) < len), "rows of the archetype");
        let size = self.storage.element_vtable().size();
        let mut piece = Self::new(self.component, self.constructor, self.first);
        piece.storage.ensure_capacity(HERE, rows.len());
        for run in rows.chunk_by(|a, b| a + 1 == *b) {
            let from = start.wrapping_add(run[0] as usize * size);
            // SAFETY: both storages come from one constructor, and the rows are there. They are
            // moved: the caller forgets them.
            unsafe { piece.storage.extend_memcopy_raw(HERE, from, run.len()) };
        }
        piece
    }

    /// Splits the columns of one archetype by rows: by pieces `[0, 2]` and `[1]`, three rows `a b
    /// c` become `a c` and `b`. Returns the columns of each piece.
    ///
    /// # Panics
    /// If there are several pieces, and a row is in none of them or in two.
    pub fn split(columns: Vec<Self>, pieces: &[&[u32]]) -> Vec<Vec<Self>> {
        if pieces.len() == 1 {
            return vec![columns];
        }
        let mut is_taken = vec![false; pieces.iter().map(|rows| rows.len()).sum()];
        let rows = pieces.iter().copied().flatten();
        let mut is_new = |&row: &u32| !std::mem::replace(&mut is_taken[row as usize], true);
        assert!(rows.copied().all(|row| is_new(&row)), "a row is in one piece");
        let mut split: Vec<Vec<Self>> = pieces.iter().map(|_| Vec::new()).collect();
        for column in columns {
            assert_eq!(column.raw().1, is_taken.len(), "each row is in a piece");
            for (piece, rows) in split.iter_mut().zip(pieces) {
                // SAFETY: every row is in one piece, and the column is forgotten below. No foreign
                // code runs in between.
                piece.push(unsafe { column.piece(rows) });
            }
            column.forget();
        }
        split
    }

    /// Frees the memory of a column whose components are elsewhere already, without dropping them.
    fn forget(mut self) {
        // The storage drops the rows that it has. Rows that may have a `Drop` (`Children`, and
        // users' components) are moved out to nowhere before that.
        let has_drop =
            Mask::of_component(self.component).is_none_or(|component| component == Mask::CHILDREN);
        let rows = if has_drop { self.raw().1 } else { 0 };
        for _ in 0..rows {
            self.storage.transfer_component(HERE, self.first, HERE, &mut Carrier(None));
        }
    }
}

/// Stands in for a storage where Legion moves components from one to another.
struct Carrier(Option<Box<dyn UnknownComponentStorage>>);

impl UnknownComponentStorage for Carrier {
    /// Called with the storage of the world that gives. Takes the column.
    fn transfer_archetype(
        &mut self,
        _: ArchetypeIndex,
        from: ArchetypeIndex,
        world: &mut dyn UnknownComponentStorage,
    ) {
        let storage = self.0.as_mut().expect("it is to take something");
        world.transfer_archetype(from, HERE, &mut **storage);
    }

    /// Called with a component that is given to this storage: a copy of it is elsewhere already.
    unsafe fn extend_memcopy_raw(&mut self, _: ArchetypeIndex, _: *const u8, _: usize) {}

    fn increment_epoch(&mut self) {}

    fn insert_archetype(&mut self, _: ArchetypeIndex, _: Option<usize>) {}

    fn transfer_component(
        &mut self,
        _: ArchetypeIndex,
        _: ComponentIndex,
        _: ArchetypeIndex,
        _: &mut dyn UnknownComponentStorage,
    ) {
        unreachable!("it has no components")
    }

    fn move_component(&mut self, _: ArchetypeIndex, _: ComponentIndex, _: ArchetypeIndex) {
        unreachable!("it has no components")
    }

    fn swap_remove(&mut self, _: ArchetypeIndex, _: ComponentIndex) {
        unreachable!("it has no components")
    }

    fn pack(&mut self, _: u64) -> usize {
        0
    }

    fn fragmentation(&self) -> f32 {
        0.0
    }

    fn element_vtable(&self) -> ComponentMeta {
        ComponentMeta::of::<()>()
    }

    fn get_raw(&self, _: ArchetypeIndex) -> Option<(*const u8, usize)> {
        None
    }

    unsafe fn get_mut_raw(&self, _: ArchetypeIndex) -> Option<(*mut u8, usize)> {
        None
    }

    fn ensure_capacity(&mut self, _: ArchetypeIndex, _: usize) {}
}
