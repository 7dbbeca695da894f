//! Parents and ordered lists of children, plain and slow, beside a forest to which the same is
//! done.

use std::collections::{BTreeSet, HashMap};

use super::{Operation, insert};
use crate::engine::{
    forest::{Forest, NONE, NewParent},
    storage::Row,
};

/// The parent of an entity of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Above {
    Nothing,
    Held,
    Parent(usize),
}

/// Entities are numbers; `None` for removed ones.
#[derive(Default)]
pub struct Model {
    pub(super) forest: Forest,
    pub(super) above: Vec<Option<Above>>,
    pub(super) children: Vec<Vec<usize>>,
    pub(super) rows: Vec<Option<Row>>,
    pub(super) slots: Vec<u32>,
    pub(super) dirty: BTreeSet<usize>,
    pub(super) dirty_below: BTreeSet<usize>,
}

impl Model {
    pub(super) fn alive(&self) -> Vec<usize> {
        (0..self.above.len()).filter(|&entity| self.above[entity].is_some()).collect()
    }

    fn pick(&self, choice: usize) -> Option<usize> {
        let alive = self.alive();
        (!alive.is_empty()).then(|| alive[choice % alive.len()])
    }

    fn spawn(&mut self) -> usize {
        let entity = self.above.len();
        self.above.push(Some(Above::Nothing));
        self.children.push(Vec::new());
        self.rows.push(Some(Row { archetype: entity as u32 % 3, row: entity as u32 / 3 }));
        self.slots.push(NONE);
        entity
    }

    fn is_below(&self, mut entity: usize, top: usize) -> bool {
        loop {
            match self.above[entity] {
                _ if entity == top => return true,
                Some(Above::Parent(parent)) => entity = parent,
                _ => return false,
            }
        }
    }

    fn detach(&mut self, entity: usize) {
        if let Some(Above::Parent(parent)) = self.above[entity].replace(Above::Nothing) {
            self.children[parent].retain(|&child| child != entity);
        }
    }

    pub fn apply(&mut self, operation: Operation) {
        match operation {
            Operation::Insert(batch) => self.insert(&batch),
            Operation::Detach(choice) => self.with(choice, |model, entity| {
                model.forest.detach(model.slots[entity]);
                model.detach(entity);
            }),
            Operation::SetHeld(choice) => self.with(choice, |model, entity| {
                model.forest.set_held(model.slots[entity]);
                model.detach(entity);
                model.above[entity] = Some(Above::Held);
                model.dirty.insert(entity);
            }),
            Operation::Remove(choice) => self.with(choice, Self::remove),
            Operation::Place(choice, other) => {
                self.with(choice, |model, entity| model.place(entity, other))
            }
            Operation::InsertAtRowOf(choice) => self.with(choice, Self::insert_at_row_of),
            Operation::Leave(choice) => self.with_row(choice, |model, entity, row| {
                let others = model.rows.iter().flatten();
                let others = others.filter(|other| other.archetype == row.archetype);
                let last = others.map(|other| other.row).max().expect("it is there");
                assert_eq!(model.forest.leave(row, last), model.slots[entity]);
                model.rows[entity] = None;
                let last = Some(Row { row: last, ..row });
                model.rows.iter_mut().filter(|it| **it == last).for_each(|it| *it = Some(row));
            }),
            Operation::Rebuild => self.rebuild(),
            Operation::SetDirty(choice) => self.with_row(choice, |model, entity, row| {
                model.forest.set_dirty_rows(row.archetype, [row.row as usize].into_iter());
                model.dirty.insert(entity);
            }),
            Operation::SetDirtyBelow(choice) => self.with_row(choice, |model, entity, row| {
                model.forest.set_dirty_below(row.archetype, [row.row as usize].into_iter());
                model.dirty_below.insert(entity);
            }),
            Operation::Propagate => {
                self.forest.begin_propagation();
                self.check_splits();
                self.forest.end_propagation();
                self.dirty.clear();
                self.dirty_below.clear();
            }
        }
    }

    fn with(&mut self, choice: usize, run: impl FnOnce(&mut Self, usize)) {
        if let Some(entity) = self.pick(choice) {
            run(self, entity);
        }
    }

    fn with_row(&mut self, choice: usize, run: impl FnOnce(&mut Self, usize, Row)) {
        if let Some(entity) = self.pick(choice)
            && let Some(row) = self.rows[entity]
        {
            run(self, entity, row);
        }
    }

    /// Links some nodes anew, old and new ones, as a pass of the hierarchy does.
    fn insert(&mut self, batch: &[(Option<usize>, usize)]) {
        let entities = self.choose(batch);
        let (left, mut nodes) = self.take_subtrees(&entities);
        self.link(&entities, batch, &mut nodes);
        self.forest.remove_subtrees(&left);
        let row = |entity: usize| self.rows[entity].unwrap_or(Row::NOWHERE);
        let batch: Vec<(Row, NewParent)> =
            nodes.iter().map(|&(entity, parent)| (row(entity), parent)).collect();
        let slots = insert(&mut self.forest, &batch);
        for (&(entity, _), slot) in nodes.iter().zip(slots) {
            self.slots[entity] = slot;
            self.dirty_below.remove(&entity);
            if slot == NONE {
                self.lose(entity);
            } else {
                self.dirty.insert(entity);
            }
        }
    }

    /// The entities that a batch is about, each once and now without a parent.
    fn choose(&mut self, batch: &[(Option<usize>, usize)]) -> Vec<usize> {
        let mut entities = Vec::new();
        for &(choice, _) in batch {
            let entity =
                choice.and_then(|choice| self.pick(choice)).unwrap_or_else(|| self.spawn());
            if !entities.contains(&entity) {
                entities.push(entity);
            }
        }
        for &entity in &entities {
            self.detach(entity);
            if self.slots[entity] != NONE {
                self.forest.detach(self.slots[entity]);
            }
        }
        entities
    }

    /// The slots that these entities leave, and the nodes of their subtrees in preorder. An entity
    /// without a row stays where it is, as a root.
    fn take_subtrees(&self, entities: &[usize]) -> (Vec<u32>, Vec<(usize, NewParent)>) {
        let (mut left, mut nodes, mut indices) = (Vec::new(), Vec::new(), HashMap::new());
        for &top in entities.iter().filter(|&&entity| self.rows[entity].is_some()) {
            if self.slots[top] != NONE {
                left.push(self.slots[top]);
            }
            let mut open = vec![top];
            while let Some(entity) = open.pop() {
                let parent = match self.above[entity] {
                    Some(Above::Parent(parent)) => NewParent::Same(indices[&parent]),
                    _ => NewParent::Root,
                };
                indices.insert(entity, nodes.len() as u32);
                nodes.push((entity, parent));
                open.extend(self.children[entity].iter().rev());
            }
        }
        (left, nodes)
    }

    /// Gives the entities the parents that the batch names for them, unless that would close a
    /// cycle.
    fn link(
        &mut self,
        entities: &[usize],
        batch: &[(Option<usize>, usize)],
        nodes: &mut [(usize, NewParent)],
    ) {
        let indices: HashMap<usize, usize> =
            nodes.iter().enumerate().map(|(index, &(entity, _))| (entity, index)).collect();
        for (&entity, &(_, parent)) in entities.iter().zip(batch) {
            let parent = self.pick(parent).filter(|&parent| !self.is_below(parent, entity));
            if let (Some(parent), Some(&index)) = (parent, indices.get(&entity)) {
                let slot = NewParent::Slot(self.slots[parent]);
                nodes[index].1 =
                    indices.get(&parent).map_or(slot, |&index| NewParent::Batch(index as u32));
                self.above[entity] = Some(Above::Parent(parent));
                self.children[parent].push(entity);
            }
        }
    }

    /// An entity is gone from the forest, where its children have become roots.
    fn lose(&mut self, entity: usize) {
        self.detach(entity);
        for child in std::mem::take(&mut self.children[entity]) {
            self.above[child] = Some(Above::Nothing);
        }
        (self.above[entity], self.rows[entity], self.slots[entity]) = (None, None, NONE);
        self.dirty.remove(&entity);
        self.dirty_below.remove(&entity);
    }

    fn remove(&mut self, entity: usize) {
        self.forest.remove([self.slots[entity]]);
        self.lose(entity);
    }

    fn place(&mut self, entity: usize, other: usize) {
        let row =
            self.pick(other).and_then(|other| self.rows[other]).filter(|_| other.is_multiple_of(2));
        let row = row.unwrap_or(Row { archetype: 3, row: other as u32 });
        let is_free = self.alive().iter().all(|&entity| self.rows[entity] != Some(row));
        assert_eq!(self.forest.set_row(self.slots[entity], row), is_free);
        if is_free {
            self.rows[entity] = Some(row);
        }
    }

    /// A node that is to have another one's row is refused, and its child becomes a root.
    fn insert_at_row_of(&mut self, entity: usize) {
        let Some(row) = self.rows[entity] else { return };
        let child = self.spawn();
        let refused = (row, NewParent::Slot(self.slots[entity]));
        let below = (self.rows[child].expect("it was just spawned"), NewParent::Batch(0));
        let slots = insert(&mut self.forest, &[refused, below]);
        assert_eq!(slots[0], NONE);
        if slots[1] == NONE {
            self.lose(child);
        } else {
            self.slots[child] = slots[1];
            self.dirty.insert(child);
        }
    }

    /// Slots are found again by the rows, so each node needs one.
    fn give_rows(&mut self) {
        for entity in self
            .alive()
            .into_iter()
            .filter(|&entity| self.rows[entity].is_none())
            .collect::<Vec<_>>()
        {
            let row = Row { archetype: 4, row: entity as u32 };
            if self.forest.set_row(self.slots[entity], row) {
                self.rows[entity] = Some(row);
            }
        }
    }

    fn rebuild(&mut self) {
        self.give_rows();
        self.forest.rebuild();
        for entity in self.alive() {
            self.slots[entity] = self.forest.slot(self.rows[entity].expect("it was given one"));
        }
        assert_eq!(self.forest.slots_len(), self.forest.len());
        assert!(self.forest.segments() < 2, "no extent is apart");
    }
}
