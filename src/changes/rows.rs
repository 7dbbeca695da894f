//! What is remembered of the rows of one archetype.

use legion::Entity;
use nalgebra::Matrix4;

use super::flags::RowFlags;
use crate::{
    bits::{get, marked, set},
    storage::{casts::bytes, columns::captured},
};

/// The rows of an archetype with `LocalToWorld`, as of the end of the last run.
#[derive(Debug, Default)]
pub(crate) struct SeenRows {
    pub entities: Vec<Entity>,
    /// One bit a row: the entity has changed.
    pub changed: Vec<u64>,
    /// One bit a row: the entity has come in this run, so that no list has named it yet.
    new: Vec<u64>,
    /// One bit a row: the contents of the row have changed.
    pub rows: Vec<u64>,
    /// The rows that other entities have now than after the last run.
    others: Vec<u32>,
    /// What propagation wrote.
    pub flags: RowFlags,
    pub is_listed: bool,
    /// How many rows there were after the run before.
    before: usize,
    /// The matrices, where users write them.
    copy: Option<Vec<Matrix4<f32>>>,
    wants_copy: bool,
    is_overwritten: bool,
}

/// An entity that is not in its row any more.
struct Gone {
    entity: Entity,
    had_changed: bool,
    was_new: bool,
}

impl SeenRows {
    /// Begins a run: nothing has changed.
    pub fn clear(&mut self) {
        self.changed.fill(0);
        self.new.fill(0);
        self.rows.fill(0);
        self.others.clear();
        self.before = self.entities.len();
        self.is_listed = false;
    }

    /// Whether anything has changed in this run.
    pub fn has_changes(&self) -> bool {
        self.entities.len() != self.before || self.rows.iter().any(|&word| word != 0)
    }

    /// Call with the entities that there are now. Others than before can be in `rows`, ascending,
    /// and at the end. Those that are no longer here, and were before this run, are added to `left`.
    pub fn take_over(
        &mut self,
        now: &[Entity],
        rows: impl Iterator<Item = usize>,
        left: &mut Vec<Entity>,
    ) {
        let common = now.len().min(self.entities.len());
        let mut gone: Vec<Gone> = Vec::new();
        let mut came: Vec<(Entity, usize)> = Vec::new();
        for row in
            rows.take_while(|&row| row < common).filter(|&row| self.entities[row] != now[row])
        {
            gone.push(self.gone(row));
            came.push((now[row], row));
        }
        gone.extend((common..self.entities.len()).map(|row| self.gone(row)));
        came.extend((common..now.len()).map(|row| (now[row], row)));
        self.resize(now.len());
        self.entities.truncate(common);
        self.entities.extend_from_slice(&now[common..]);

        // Some have only got another row.
        gone.sort_unstable_by_key(|gone| captured(&gone.entity));
        let mut stayed = vec![false; gone.len()];
        for (entity, row) in came {
            self.entities[row] = entity;
            set(&mut self.rows, row);
            self.others.push(row as u32);
            let found =
                gone.binary_search_by_key(&captured(&entity), |gone| captured(&gone.entity));
            let (had_changed, was_new) = found.map_or((true, true), |index| {
                stayed[index] = true;
                (gone[index].had_changed, gone[index].was_new)
            });
            put(&mut self.changed, row, had_changed);
            put(&mut self.new, row, was_new);
        }
        let left_now = gone.iter().zip(stayed).filter(|(gone, stayed)| !stayed && !gone.was_new);
        left.extend(left_now.map(|(gone, _)| gone.entity));
    }

    /// What was in a row.
    fn gone(&self, row: usize) -> Gone {
        let entity = self.entities[row];
        Gone { entity, had_changed: get(&self.changed, row), was_new: get(&self.new, row) }
    }

    fn resize(&mut self, rows: usize) {
        for words in [&mut self.changed, &mut self.new, &mut self.rows] {
            words.resize(rows.div_ceil(64), 0);
            if let (Some(last), used @ 1..) = (words.last_mut(), rows % 64) {
                *last &= (1 << used) - 1;
            }
        }
    }

    /// The contents of a row have changed.
    pub fn set(&mut self, row: usize) {
        set(&mut self.changed, row);
        set(&mut self.rows, row);
    }

    /// The matrices of these rows, a bit each, have changed.
    pub fn add(&mut self, words: &[u64]) {
        for to in [&mut self.changed, &mut self.rows] {
            to.iter_mut().zip(words).for_each(|(to, word)| *to |= word);
        }
    }

    /// Takes over what propagation has flagged, in these [`parts`](super::part_of).
    pub fn take_flags(&mut self, parts: u64) {
        let (changed, rows) = (&mut self.changed, &mut self.rows);
        self.flags.take(parts, |word, bits| {
            changed[word] |= bits;
            rows[word] |= bits;
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
    pub fn finish(&mut self, worlds: &[Matrix4<f32>]) {
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
        copy.resize(worlds.len(), Matrix4::zeros());
        for row in marked(&self.rows) {
            copy[row] = worlds[row];
        }
    }

    /// Finds the rows with other bits than after the last run; where these were not kept, all rows.
    /// What the bundle has mended differs from what a user wrote, not from what was there before.
    fn compare(&mut self, worlds: &[Matrix4<f32>]) {
        let copy = self.copy.take();
        for row in 0..worlds.len() {
            let before = copy.as_ref().and_then(|copy| copy.get(row..=row));
            let differs = before.is_none_or(|before| bytes(before) != bytes(&worlds[row..=row]));
            put(&mut self.changed, row, differs);
            put(&mut self.rows, row, differs);
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

fn put(words: &mut [u64], row: usize, bit: bool) {
    words[row / 64] &= !(1 << (row % 64));
    words[row / 64] |= u64::from(bit) << (row % 64);
}
