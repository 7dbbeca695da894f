//! A mirror of the archetypes that take part in the hierarchy, to see who came, went, moved or got another `Parent`.

use std::collections::HashMap;

use legion::{Entity, world::EntityHasher};

use super::{
    locate::Locator,
    mirror::{Left, Mirror, Now},
    numbers::Numbers,
    scan::{Differing, changed_sum, checksum, checksums, pays},
};
use crate::{
    components::Children,
    forest::{Forest, NONE},
    storage::columns::{Columns, Row},
    storage::mask::Mask,
    storage::tracker::ChangeTracker,
};

/// What is remembered of an entity that is not in its row any more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lost {
    /// In the forest, or [`NONE`].
    pub slot: u32,
    /// Of the `Children` as they were last seen right.
    pub sum: u64,
}

/// The mirrors of all archetypes with `Parent`, `PreviousParent` or `Children`.
#[derive(Default)]
pub(crate) struct Rows {
    mirrors: Vec<Option<Box<Mirror>>>,
    /// Entities of the forest that live in none of these tracker, with where: parents whose `Children` are yet to be added.
    homeless: Vec<(Entity, Row)>,
    /// Checksums of the `Children` that are about to be added to entities, which moves them to another archetype.
    awaited_sums: HashMap<Entity, u64, EntityHasher>,
}

/// What a comparison with the mirror has found.
#[derive(Debug, Default)]
pub(super) struct Differences {
    /// Rows with another entity than before.
    pub entered: Vec<Row>,
    /// Those of them whose entity only moved within its archetype, with its `Parent`: nothing else is new about it.
    pub moved: Vec<Row>,
    /// Rows whose entity has another `Parent` than before.
    pub reparented: Vec<Row>,
    /// Rows whose `PreviousParent` is not what the components ask for, in the archetypes in which it was compared.
    pub previous: Vec<Row>,
    /// These tracker, ascending.
    pub compared_previous: Vec<u32>,
    /// Rows whose `Children` are not as they were left.
    pub suspects: Vec<Row>,
    /// Entities that have left the mirrored tracker, with where they are now if they are alive.
    pub gone: Vec<(Entity, Option<Row>, Lost)>,
}

impl Rows {
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

    /// Remembers that these `Children` are right, now that they have lost and gained some.
    pub fn change_sum(&mut self, row: Row, children: &Children, lost: &[Entity], gained: &[Entity]) {
        let sum = self.mirror_mut(row.archetype).and_then(|mirror| mirror.sums.get_mut(row.row as usize));
        if let Some(sum) = sum {
            *sum = if *sum == 0 { checksum(children) } else { changed_sum(*sum, lost, gained) };
        }
    }

    fn mirror(&self, archetype: u32) -> Option<&Mirror> {
        self.mirrors.get(archetype as usize)?.as_deref()
    }

    fn mirror_mut(&mut self, archetype: u32) -> Option<&mut Mirror> {
        self.mirrors.get_mut(archetype as usize)?.as_deref_mut()
    }

    /// Brings the mirror up to date, and entities that only moved with it.
    pub(super) fn compare(&mut self, columns: &Columns<'_>, tracker: &ChangeTracker, forest: &mut Forest) -> Differences {
        let changed = |mask| move |index: &u32| tracker[*index].is_changed(mask);
        let indices: Vec<u32> = tracker.having(Mask::RELATIONS).filter(changed(Mask::RELATIONS)).collect();
        for &index in &indices {
            if self.mirrors.len() <= index as usize {
                self.mirrors.resize_with(index as usize + 1, || None);
            }
            self.mirrors[index as usize].get_or_insert_default();
        }
        let now: Vec<Now<'_>> = indices.iter().map(|&index| Now::new(columns, &tracker[index], index)).collect();
        let lists = tracker.having(Mask::CHILDREN).filter(changed(Mask::CHILDREN));
        let lists: Vec<(u32, &[Children])> = lists.map(|index| (index, columns.read(index))).collect();
        let (differing, sums) = self.look(&indices, &now, &lists);

        let homeless = self.take_homeless(forest);
        let (mut found, mut left) = (Differences::default(), Vec::new());
        for ((&index, now), differing) in indices.iter().zip(&now).zip(differing) {
            if now.compares_previous() {
                found.compared_previous.push(index);
            }
            let mirror = self.mirror_mut(index).expect("made above");
            mirror.compare((now, index), forest, differing, (&mut found, &mut left));
        }
        self.resettle(columns, forest, left, &mut found);
        self.house(columns, forest, homeless, &mut found);
        self.take_over_sums(columns, &found.entered);
        for (&(index, _), sums) in lists.iter().zip(&sums) {
            let mirror = self.mirror(index).expect("made above");
            mirror.compare_children(index, sums, &mut found.suspects);
        }
        found
    }

    /// Reads everything that may differ: for each archetype the rows that do, and the sums of its lists.
    fn look(&self, indices: &[u32], now: &[Now<'_>], lists: &[(u32, &[Children])]) -> (Vec<Differing>, Vec<Vec<u64>>) {
        let comparisons = now.iter().map(Now::comparisons).sum();
        let pays = pays(comparisons, lists.iter().map(|(_, lists)| lists.len()).sum());
        let differing = |(&index, now)| self.mirror(index).expect("made above").differing_rows(now, pays);
        let differing = indices.iter().zip(now).map(differing).collect();
        (differing, lists.iter().map(|(_, lists)| checksums(lists, pays)).collect())
    }

    /// Gives entities that moved between rows their slots back.
    fn resettle(&mut self, columns: &Columns<'_>, forest: &mut Forest, left: Vec<Left>, found: &mut Differences) {
        for Left { entity, archetype, parent, lost } in left {
            let row = columns.locate(entity);
            // Where the entity is now it was not before, so that archetype was compared if it is mirrored at all.
            let Some((row, mirror)) = row.and_then(|row| Some((row, self.mirror_mut(row.archetype)?))) else {
                found.gone.push((entity, row, lost));
                continue;
            };
            // A row is given out once: of an entity that stands in several, the first to come here has it.
            let has_row = if lost.slot == NONE { forest.slot(row) == NONE } else { forest.place(lost.slot, row) };
            if !has_row {
                found.gone.push((entity, None, lost));
                continue;
            }
            if let Some(sum) = mirror.sums.get_mut(row.row as usize) {
                *sum = lost.sum;
            }
            if row.archetype == archetype && mirror.parents.get(row.row as usize).copied() == parent {
                found.moved.push(row);
            }
        }
    }

    /// Takes the homeless off their rows, as these may be others' by now.
    fn take_homeless(&mut self, forest: &mut Forest) -> Vec<(Entity, u32)> {
        let homeless = std::mem::take(&mut self.homeless);
        let slots: Vec<(Entity, u32)> = homeless.iter().map(|&(entity, row)| (entity, forest.take_row(row))).collect();
        homeless.chunk_by(|a, b| a.1.archetype == b.1.archetype).for_each(|rows| forest.forget_rows(rows[0].1.archetype));
        slots.into_iter().filter(|&(_, slot)| slot != NONE).collect()
    }

    /// Gives them the rows where they are now.
    fn house(&mut self, columns: &Columns<'_>, forest: &mut Forest, homeless: Vec<(Entity, u32)>, found: &mut Differences) {
        let mut locator = Locator::default();
        for (entity, slot) in homeless {
            match locator.locate(columns, entity).filter(|&row| forest.place(slot, row)) {
                Some(row) => self.keep_if_homeless(columns, row),
                None => found.gone.push((entity, None, Lost { slot, sum: 0 })),
            }
        }
    }

    /// Knows the sums of entities that got the `Children` that they were to get.
    fn take_over_sums(&mut self, columns: &Columns<'_>, entered: &[Row]) {
        if self.awaited_sums.is_empty() {
            return;
        }
        for &row in entered {
            let awaited = self.awaited_sums.remove(&columns.entities(row.archetype)[row.row as usize]);
            let mirror = self.mirror_mut(row.archetype).expect("the row was compared");
            if let (Some(sum), Some(of_row)) = (awaited, mirror.sums.get_mut(row.row as usize)) {
                *of_row = sum;
            }
        }
    }

    /// Remembers an entity of the forest if it lives in none of the mirrored archetypes.
    pub(super) fn keep_if_homeless(&mut self, columns: &Columns<'_>, row: Row) {
        if self.mirror(row.archetype).is_none() {
            self.homeless.push((columns.entities(row.archetype)[row.row as usize], row));
        }
    }
}

impl Differences {
    /// Numbers the rows of entities that only moved, to tell them from those that came.
    pub fn number_moved(&self, columns: &Columns<'_>, numbers: &mut Numbers) {
        self.moved.iter().enumerate().for_each(|(number, &row)| numbers.set(columns, row, number));
    }

    /// Whether `PreviousParent` was compared in an archetype, so that what is wrong there is among [`previous`](Self::previous).
    pub fn has_compared_previous(&self, archetype: u32) -> bool {
        self.compared_previous.binary_search(&archetype).is_ok()
    }

    pub fn has_only_moved(&self, row: Row, numbers: &Numbers) -> bool {
        !self.moved.is_empty() && self.moved.get(numbers.get(row)) == Some(&row)
    }
}
