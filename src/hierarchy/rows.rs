//! A mirror of the archetypes that take part in the hierarchy, to see who came, went, moved or got another `Parent`.

use std::collections::HashMap;

use legion::{Entity, world::EntityHasher};

use super::forest::{Forest, NONE};
use crate::{
    archetypes::Archetypes,
    components::{Children, Parent},
    layout::Mask,
    raw::slices::{Columns, Row, captured},
};

/// What is remembered of an entity while it has no row in the mirror.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lost {
    pub position: u32,
    /// Of the `Children` as they were last seen right.
    pub sum: u64,
}

/// The rows of one archetype as they were last seen.
#[derive(Default)]
struct Mirror {
    entities: Vec<Entity>,
    /// Their `Parent`s; empty for an archetype without.
    parents: Vec<Entity>,
    /// Where they stand in the forest.
    positions: Vec<u32>,
    /// Checksums of their `Children`; empty for an archetype without.
    sums: Vec<u64>,
}

/// The mirrors of all archetypes with `Parent`, `PreviousParent` or `Children`.
#[derive(Default)]
pub(crate) struct Rows {
    mirrors: Vec<Option<Box<Mirror>>>,
    /// Entities of the forest that live in none of these archetypes: parents whose `Children` are yet to be added.
    homeless: HashMap<Entity, Lost, EntityHasher>,
    /// Checksums of the `Children` that are about to be added to entities, which moves them to another archetype.
    awaited_sums: HashMap<Entity, u64, EntityHasher>,
}

/// What a comparison with the mirror has found.
#[derive(Default)]
pub(super) struct Differences {
    /// Rows with another entity than before.
    pub entered: Vec<Row>,
    /// Rows whose entity has another `Parent` than before.
    pub reparented: Vec<Row>,
    /// Rows whose `Children` are not as they were left.
    pub suspects: Vec<Row>,
    /// Entities that are no longer where they were, and are in no mirrored archetype.
    pub gone: Vec<(Entity, Lost)>,
}

impl Rows {
    /// The position of an entity, or [`NONE`].
    pub fn position(&self, entity: Entity, row: Row) -> u32 {
        match self.mirror(row.archetype) {
            Some(mirror) => mirror.positions[row.row as usize],
            None => self.homeless.get(&entity).map_or(NONE, |lost| lost.position),
        }
    }

    pub fn set_position(&mut self, entity: Entity, row: Row, position: u32) {
        match self.mirror_mut(row.archetype) {
            Some(mirror) => mirror.positions[row.row as usize] = position,
            None if position == NONE => {
                self.homeless.remove(&entity);
            }
            None => self.homeless.entry(entity).or_insert(Lost { position, sum: 0 }).position = position,
        }
    }

    /// Remembers that the `Children` of this entity are right as they are.
    pub fn set_sum(&mut self, entity: Entity, row: Row, children: &Children) {
        let sum = checksum(children);
        match self.mirror_mut(row.archetype) {
            Some(mirror) if !mirror.sums.is_empty() => mirror.sums[row.row as usize] = sum,
            _ => {
                self.awaited_sums.insert(entity, sum);
            }
        }
    }

    /// The positions of an archetype's rows, [`NONE`] for those outside the forest; empty if none can be inside.
    pub fn positions(&self, archetype: u32) -> &[u32] {
        self.mirror(archetype).map_or(&[], |mirror| &mirror.positions)
    }

    fn mirror(&self, archetype: u32) -> Option<&Mirror> {
        self.mirrors.get(archetype as usize)?.as_deref()
    }

    fn mirror_mut(&mut self, archetype: u32) -> Option<&mut Mirror> {
        self.mirrors.get_mut(archetype as usize)?.as_deref_mut()
    }

    /// Brings the mirror up to date, and entities that only moved with it.
    pub(super) fn compare(&mut self, columns: &Columns<'_>, archetypes: &Archetypes, forest: &mut Forest) -> Differences {
        let mut found = Differences::default();
        let mut left: HashMap<Entity, Lost, EntityHasher> = HashMap::default();
        for index in archetypes.having(Mask::RELATIONS) {
            let archetype = &archetypes[index];
            if archetype.is_changed(Mask::RELATIONS) {
                if self.mirrors.len() <= index as usize {
                    self.mirrors.resize_with(index as usize + 1, || None);
                }
                let mirror = self.mirrors[index as usize].get_or_insert_default();
                let entered = mirror.compare_entities(columns.entities(index), &mut left);
                mirror.compare_parents(index, columns.read::<Parent>(index), &entered, &mut found.reparented);
                if archetype.mask.has(Mask::CHILDREN) {
                    mirror.forget_sums(&entered);
                }
                found.entered.extend(entered.into_iter().map(|row| Row { archetype: index, row: row as u32 }));
            }
        }
        self.resettle(columns, forest, &mut left, &found.entered);
        for index in archetypes.having(Mask::CHILDREN) {
            if archetypes[index].is_changed(Mask::CHILDREN) {
                let mirror = self.mirror_mut(index).expect("compared above");
                mirror.compare_children(index, columns.read::<Children>(index), &mut found.suspects);
            }
        }
        found.gone.extend(left);
        // Hash maps iterate in any order; what follows must not depend on it.
        found.gone.sort_unstable_by_key(|(entity, _)| captured(entity));
        found
    }

    /// Gives entities that moved between rows their positions back.
    fn resettle(
        &mut self,
        columns: &Columns<'_>,
        forest: &mut Forest,
        left: &mut HashMap<Entity, Lost, EntityHasher>,
        entered: &[Row],
    ) {
        for &row in entered {
            let entity = columns.entities(row.archetype)[row.row as usize];
            let homeless = self.homeless.remove(&entity);
            let awaited = self.awaited_sums.remove(&entity);
            let Some(lost) = homeless.or_else(|| left.remove(&entity)) else { continue };
            left.remove(&entity);
            let mirror = self.mirror_mut(row.archetype).expect("the row was compared");
            mirror.positions[row.row as usize] = lost.position;
            if let Some(sum) = mirror.sums.get_mut(row.row as usize) {
                *sum = awaited.unwrap_or(lost.sum);
            }
            if lost.position != NONE {
                forest.rows[lost.position as usize] = row;
            }
        }
    }

    /// Keeps an entity that left the mirrored archetypes and is still needed in the forest.
    pub(super) fn keep_homeless(&mut self, entity: Entity, lost: Lost) {
        self.homeless.insert(entity, lost);
    }
}

impl Mirror {
    /// Takes over the entities as they are now. Returns the rows with another one than before.
    fn compare_entities(&mut self, now: &[Entity], left: &mut HashMap<Entity, Lost, EntityHasher>) -> Vec<usize> {
        let common = now.len().min(self.entities.len());
        let mut changed = Vec::new();
        for_each_difference(&now[..common], &self.entities[..common], |a, b| a != b, |row| changed.push(row));
        for row in changed.iter().copied().chain(common..self.entities.len()) {
            let sum = self.sums.get(row).copied().unwrap_or(0);
            left.insert(self.entities[row], Lost { position: self.positions[row], sum });
        }
        for &row in &changed {
            self.entities[row] = now[row];
            self.positions[row] = NONE;
        }
        self.entities.truncate(common);
        self.entities.extend(now[common..].iter().copied());
        self.positions.truncate(common);
        self.positions.resize(now.len(), NONE);
        changed.extend(common..now.len());
        changed
    }

    /// Takes over the `Parent`s as they are now. Those of entities that have just entered are no news.
    fn compare_parents(&mut self, archetype: u32, now: &[Parent], entered: &[usize], reparented: &mut Vec<Row>) {
        self.parents.truncate(now.len());
        let common = self.parents.len();
        self.parents.extend(now[common..].iter().map(|parent| parent.0));
        for &row in entered.iter().filter(|&&row| row < now.len()) {
            self.parents[row] = now[row].0;
        }
        let mut changed = Vec::new();
        for_each_difference(now, &self.parents, |now, before| now.0 != *before, |row| changed.push(row));
        for row in changed {
            self.parents[row] = now[row].0;
            reparented.push(Row { archetype, row: row as u32 });
        }
    }

    /// Makes room for a checksum a row, with those of entities that have just entered unknown.
    fn forget_sums(&mut self, entered: &[usize]) {
        self.sums.resize(self.entities.len(), 0);
        entered.iter().for_each(|&row| self.sums[row] = 0);
    }

    fn compare_children(&mut self, archetype: u32, now: &[Children], suspects: &mut Vec<Row>) {
        for (row, (children, sum)) in now.iter().zip(&self.sums).enumerate() {
            if checksum(children) != *sum {
                suspects.push(Row { archetype, row: row as u32 });
            }
        }
    }
}

/// A number that tells lists of children apart; 0 only for what was never seen.
fn checksum(children: &Children) -> u64 {
    let fold = |sum: u64, child| (sum.rotate_left(23) ^ captured(child)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    children.iter().fold(children.len() as u64 + 1, fold) | 1 << 63
}

/// Looks at whole blocks first, without branches, as nearly all rows are as they were.
fn for_each_difference<A, B>(a: &[A], b: &[B], differ: impl Fn(&A, &B) -> bool, mut visit: impl FnMut(usize)) {
    const BLOCK: usize = 64;
    for (block, (a, b)) in a.chunks(BLOCK).zip(b.chunks(BLOCK)).enumerate() {
        if a.iter().zip(b).fold(false, |any, (a, b)| any | differ(a, b)) {
            for (row, (a, b)) in a.iter().zip(b).enumerate() {
                if differ(a, b) {
                    visit(block * BLOCK + row);
                }
            }
        }
    }
}
