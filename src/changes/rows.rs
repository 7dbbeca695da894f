//! What is remembered of the rows of one archetype.

use legion::Entity;

use super::flags::RowFlags;
use crate::{
    bits::{self, Bits},
    components::LocalToWorld,
    math::SameBits,
};

/// The rows of an archetype with `LocalToWorld`, as of the end of the last run.
#[derive(Debug, Default)]
pub(crate) struct SeenRows {
    pub entities: Vec<Entity>,
    /// The rows whose entity has changed.
    pub changed: Bits,
    /// The rows whose entity has come in this run, so that no list has named it yet.
    new: Bits,
    /// The rows whose contents have changed.
    pub rows: Bits,
    /// The rows that other entities have now than after the last run.
    others: Vec<u32>,
    /// What propagation wrote.
    pub flags: RowFlags,
    pub is_listed: bool,
    /// How many rows there were after the run before.
    before: usize,
    /// The matrices, where users write them.
    copy: Option<Vec<LocalToWorld>>,
    wants_copy: bool,
    is_overwritten: bool,
}

/// What is noted of an entity in this run.
#[derive(Clone, Copy)]
pub(super) struct Note {
    has_changed: bool,
    /// No list has named it yet.
    pub is_new: bool,
}

impl SeenRows {
    /// Begins a run: nothing has changed.
    pub fn clear(&mut self) {
        self.changed.clear_all();
        self.new.clear_all();
        self.rows.clear_all();
        self.others.clear();
        self.before = self.entities.len();
        self.is_listed = false;
    }

    /// Whether anything has changed in this run.
    pub fn has_changes(&self) -> bool {
        self.entities.len() != self.before || self.rows.words().iter().any(|&word| word != 0)
    }

    /// Call with the entities that there are now, of which those in `rows` and behind the last of
    /// before may be others. They count as new until something else is [noted](Self::set_note).
    pub fn enter(&mut self, now: &[Entity], rows: impl Iterator<Item = u32>) {
        for set in [&mut self.changed, &mut self.new, &mut self.rows] {
            set.resize(now.len());
        }
        let common = now.len().min(self.entities.len());
        self.entities.truncate(common);
        // Copied: to clone an entity is to ask Legion whether a merge renames it.
        self.entities.extend(now[common..].iter().copied());
        for row in rows {
            self.entities[row as usize] = now[row as usize];
            self.others.push(row);
            self.rows.set(row);
            self.set_note(row, Note { has_changed: true, is_new: true });
        }
    }

    /// What is noted of the entity at a row.
    pub fn note(&self, row: usize) -> Note {
        Note { has_changed: self.changed.get(row as u32), is_new: self.new.get(row as u32) }
    }

    pub fn set_note(&mut self, row: u32, note: Note) {
        self.changed.put(row, note.has_changed);
        self.new.put(row, note.is_new);
    }

    /// The contents of a row have changed.
    pub fn set(&mut self, row: usize) {
        self.changed.set(row as u32);
        self.rows.set(row as u32);
    }

    /// The matrices of these rows, a bit each, have changed.
    pub fn add(&mut self, words: &[u64]) {
        self.changed.add_all(words);
        self.rows.add_all(words);
    }

    /// Takes over what propagation has flagged, in these [`parts`](super::flags::part_of).
    pub fn take_flags(&mut self, parts: u64) {
        let (changed, rows) = (&mut self.changed, &mut self.rows);
        self.flags.take(parts, |word, bits| {
            changed.add(word, bits);
            rows.add(word, bits);
        });
    }

    /// Matrices are kept, as users write them.
    pub fn want_copy(&mut self) {
        self.wants_copy = true;
    }

    /// Anything but the bundle may have written any matrix.
    pub fn overwritten(&mut self) {
        self.is_overwritten = true;
    }

    /// Ends a run, with the matrices as they are now.
    pub fn finish(&mut self, worlds: &[LocalToWorld]) {
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
        for row in bits::marked(self.rows.words()) {
            copy[row] = worlds[row];
        }
    }

    /// Finds the rows with other bits than after the last run; where these were not kept, all rows.
    /// What the bundle has mended differs from what a user wrote, not from what was there before.
    fn compare(&mut self, worlds: &[LocalToWorld]) {
        let copy = self.copy.take();
        for (row, world) in worlds.iter().enumerate() {
            let before = copy.as_ref().and_then(|copy| copy.get(row));
            let differs = before.is_none_or(|before| !before.same_bits(world));
            self.changed.put(row as u32, differs);
            self.rows.put(row as u32, differs);
        }
        self.copy = copy;
        // Where an entity has moved to another row, the copy there is that of another entity.
        let others = std::mem::take(&mut self.others);
        others
            .iter()
            .filter(|&&row| (row as usize) < worlds.len())
            .for_each(|&row| self.set(row as usize));
        self.others = others;
    }
}
