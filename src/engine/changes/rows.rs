//! The rows of one archetype, with three bits each: `changed` (the entity is listed by
//! [`WorldChanges::changed`]), `new` (no list has named it yet), `rows` (a copy of the column has
//! to be updated in this row).
//!
//! In this run `b` was removed, `d` took its row, `e` was pushed, and `a` was turned:
//!
//! ```text
//!  row    before   now    changed   new    rows
//!  0      a        a      1         0      1      another matrix
//!  1      b        d      0         0      1      another entity, with the matrix that it had
//!  2      c        c      0         0      0
//!  3      d        e      1         1      1      no list has named e
//! ```
//!
//! An entity takes its `changed` and `new` along to a different row of its archetype, and its
//! matrix in the copy. If `e` is removed in the same run, its `new` keeps it out of the list of
//! removed entities.
//!
//! [`WorldChanges::changed`]: super::WorldChanges::changed

use legion::Entity;

use crate::{components::LocalToWorld, engine::bits::Bits, math::SameBits};

/// The rows of an archetype with `LocalToWorld`; see the [module](self).
#[derive(Debug, Default)]
pub(crate) struct SeenRows {
    /// The entities of the rows, as of the last look.
    pub entities: Vec<Entity>,
    /// The rows whose entity has changed.
    pub changed: Bits,
    /// The rows whose entity has come in this run: no list has named it yet.
    new: Bits,
    /// The rows whose contents have changed.
    pub rows: Bits,
    /// The rows that got other entities in this run, some perhaps twice.
    others: Vec<u32>,
    /// Whether the archetype is in the list of archetypes with changes.
    pub is_listed: bool,
    /// How many rows there were after the run before.
    pub before: usize,
    /// The matrices as of the last run, where users may write them.
    copy: Option<Vec<LocalToWorld>>,
    /// Whether to keep a copy, even if users have not written any matrix yet: they write them, or
    /// there are no inputs.
    pub wants_copy: bool,
    /// Whether users may have written any matrix in this run.
    pub is_overwritten: bool,
}

impl SeenRows {
    /// Begins a run: nothing has changed.
    pub fn clear(&mut self) {
        self.sets().into_iter().for_each(Bits::clear_all);
        self.others.clear();
        self.before = self.entities.len();
        self.is_listed = false;
    }

    /// The three bits of all rows.
    fn sets(&mut self) -> [&mut Bits; 3] {
        [&mut self.changed, &mut self.new, &mut self.rows]
    }

    /// Whether anything has changed in this run.
    pub fn has_changes(&self) -> bool {
        self.entities.len() != self.before || self.rows.words().iter().any(|&word| word != 0)
    }

    /// An entity comes to a row, behind all others. If it is `back`, it has never left that row.
    pub fn come(&mut self, entity: Entity, is_back: bool) {
        let row = self.entities.len();
        self.entities.push(entity);
        if self.rows.len() <= row {
            self.set_row_count(row + 1);
        }
        if !is_back {
            self.others.push(row as u32);
            self.sets().into_iter().for_each(|set| set.set(row as u32));
        }
    }

    /// The entity of a row goes, and the last one takes its place. Returns whether a list has named
    /// it. Bits and copy of the last row stay: the entity may be [back](Self::come).
    pub fn leave(&mut self, row: u32) -> bool {
        let (is_new, last) = (self.new.get(row), self.entities.len() as u32 - 1);
        self.entities.swap_remove(row as usize);
        if row != last {
            self.changed.put(row, self.changed.get(last));
            self.new.put(row, self.new.get(last));
            self.rows.set(row);
            self.others.push(row);
            if let Some(copy) = self.copy.as_mut().filter(|copy| copy.len() > last as usize) {
                copy[row as usize] = copy[last as usize];
            }
        }
        !is_new
    }

    fn set_row_count(&mut self, rows: usize) {
        self.sets().into_iter().for_each(|set| set.resize(rows));
    }

    /// The matrices of the rows of one word, a bit each, have changed.
    pub fn add(&mut self, word: usize, bits: u64) {
        self.changed.add(word, bits);
        self.rows.add(word, bits);
    }

    /// Ends a run, with the matrices as they are now.
    pub fn finish(&mut self, worlds: &[LocalToWorld]) {
        self.set_row_count(worlds.len());
        let is_overwritten = std::mem::take(&mut self.is_overwritten);
        if is_overwritten {
            self.compare(worlds);
        }
        if !self.wants_copy && !is_overwritten && self.copy.is_none() {
            return;
        }
        let Some(copy) = &mut self.copy else {
            self.copy = Some(worlds.to_vec());
            return;
        };
        copy.resize(worlds.len(), LocalToWorld::identity());
        for row in self.rows.iter() {
            copy[row] = worlds[row];
        }
    }

    /// Finds the entities whose matrix has other bits than after the last run, or all if there is
    /// no copy. A matrix that a user wrote and the bundle restored is the same as before: it has
    /// not changed.
    fn compare(&mut self, worlds: &[LocalToWorld]) {
        for (row, world) in worlds.iter().enumerate() {
            let before = self.copy.as_ref().and_then(|copy| copy.get(row));
            let differs = before.is_none_or(|before| !before.same_bits(world));
            self.changed.put(row as u32, differs || self.new.get(row as u32));
            self.rows.put(row as u32, differs);
        }
        // Where another entity stands, the contents have changed, though its matrix may not have.
        let others = self.others.iter().filter(|&&row| (row as usize) < worlds.len());
        others.for_each(|&row| self.rows.set(row));
    }
}
