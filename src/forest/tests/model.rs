//! Parents and ordered lists of children, plain and slow, beside a forest to which the same is done.

use std::collections::{BTreeSet, HashMap};

use super::Operation;
use crate::{
    forest::{Forest, NONE, NOWHERE, NewNode, NewParent, PropagationView, SubtreeRange},
    storage::columns::Row,
};

/// What an entity of the model hangs off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Above {
    Nothing,
    Cycle,
    Parent(usize),
}

/// Entities are numbers; those that are gone are `None`.
#[derive(Default)]
pub struct Model {
    forest: Forest,
    above: Vec<Option<Above>>,
    children: Vec<Vec<usize>>,
    rows: Vec<Option<Row>>,
    slots: Vec<u32>,
    dirty: BTreeSet<usize>,
    moved: BTreeSet<usize>,
}

impl Model {
    fn alive(&self) -> Vec<usize> {
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
            Operation::SetCyclic(choice) => self.with(choice, |model, entity| {
                model.forest.set_cyclic(model.slots[entity]);
                model.detach(entity);
                model.above[entity] = Some(Above::Cycle);
                model.dirty.insert(entity);
            }),
            Operation::Remove(choice) => self.with(choice, Self::remove),
            Operation::Place(choice, other) => self.with(choice, |model, entity| model.place(entity, other)),
            Operation::InsertAtRowOf(choice) => self.with(choice, Self::insert_at_row_of),
            Operation::TruncateRows(archetype, rows) => {
                self.forest.set_row_count(archetype, rows);
                let is_behind = |row: &Row| row.archetype == archetype && row.row as usize >= rows;
                self.rows.iter_mut().filter(|row| row.as_ref().is_some_and(is_behind)).for_each(|row| *row = None);
            }
            Operation::Rebuild => self.rebuild(),
            Operation::SetDirty(choice) => self.with_row(choice, |model, entity, row| {
                model.forest.set_dirty_rows(row.archetype, [row.row as usize].into_iter());
                model.dirty.insert(entity);
            }),
            Operation::SetMoved(choice) => self.with_row(choice, |model, entity, row| {
                model.forest.set_moved_rows(row.archetype, [row.row as usize].into_iter());
                model.moved.insert(entity);
            }),
            Operation::Propagate => {
                self.forest.begin_propagation();
                self.check_splits();
                self.forest.end_propagation();
                self.dirty.clear();
                self.moved.clear();
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
        let mut changed: Vec<(usize, bool)> = Vec::new();
        for &(choice, _) in batch {
            let (entity, is_new) = match choice.and_then(|choice| self.pick(choice)) {
                Some(entity) => (entity, false),
                None => (self.spawn(), true),
            };
            if !changed.iter().any(|&(other, _)| other == entity) {
                changed.push((entity, is_new));
            }
        }
        for &(entity, is_new) in &changed {
            self.detach(entity);
            if !is_new && self.slots[entity] != NONE {
                self.forest.detach(self.slots[entity]);
            }
        }
        let (mut nodes, mut indices, mut left) = (Vec::new(), HashMap::new(), Vec::new());
        for &(entity, _) in &changed {
            let row = self.rows[entity];
            if row.is_none() {
                continue; // It stays where it is, as a root.
            }
            if self.slots[entity] != NONE {
                left.push(self.slots[entity]);
            }
            let mut open = vec![entity];
            while let Some(at) = open.pop() {
                let parent = match self.above[at] {
                    Some(Above::Parent(parent)) => NewParent::Same(indices[&parent]),
                    _ => NewParent::Root,
                };
                indices.insert(at, nodes.len() as u32);
                nodes.push((at, parent));
                open.extend(self.children[at].iter().rev());
            }
        }
        for ((entity, _), &(_, parent)) in changed.into_iter().zip(batch) {
            let parent = self.pick(parent).filter(|&parent| !self.is_below(parent, entity));
            if let (Some(parent), Some(&index)) = (parent, indices.get(&entity)) {
                let slot = NewParent::Slot(self.slots[parent]);
                nodes[index as usize].1 = indices.get(&parent).map_or(slot, |&index| NewParent::Batch(index));
                self.above[entity] = Some(Above::Parent(parent));
                self.children[parent].push(entity);
            }
        }
        self.forest.remove_subtrees(&left);
        let row = |entity: usize| self.rows[entity].unwrap_or(NOWHERE);
        let mut inserted: Vec<NewNode> = nodes.iter().map(|&(entity, parent)| NewNode::new(row(entity), parent)).collect();
        self.forest.insert_subtrees(&mut inserted);
        for (&(entity, _), node) in nodes.iter().zip(&inserted) {
            self.slots[entity] = node.slot;
            self.moved.remove(&entity);
            if node.slot == NONE {
                self.lose(entity);
            } else {
                self.dirty.insert(entity);
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
        self.moved.remove(&entity);
    }

    fn remove(&mut self, entity: usize) {
        self.forest.remove(self.slots[entity]);
        self.lose(entity);
    }

    fn place(&mut self, entity: usize, other: usize) {
        let row = self.pick(other).and_then(|other| self.rows[other]).filter(|_| other.is_multiple_of(2));
        let row = row.unwrap_or(Row { archetype: 3, row: other as u32 });
        let is_free = self.alive().iter().all(|&entity| self.rows[entity] != Some(row));
        assert_eq!(self.forest.place(self.slots[entity], row), is_free);
        if is_free {
            self.rows[entity] = Some(row);
        }
    }

    /// A node that is to have another one's row is refused, and its child becomes a root.
    fn insert_at_row_of(&mut self, entity: usize) {
        let Some(row) = self.rows[entity] else { return };
        let child = self.spawn();
        let refused = NewNode::new(row, NewParent::Slot(self.slots[entity]));
        let below = NewNode::new(self.rows[child].expect("it was just spawned"), NewParent::Batch(0));
        let mut batch = [refused, below];
        self.forest.insert_subtrees(&mut batch);
        assert_eq!(batch[0].slot, NONE);
        if batch[1].slot == NONE {
            self.lose(child);
        } else {
            self.slots[child] = batch[1].slot;
            self.dirty.insert(child);
        }
    }

    fn rebuild(&mut self) {
        // Slots are found again by the rows, so each needs one.
        for entity in self.alive().into_iter().filter(|&entity| self.rows[entity].is_none()).collect::<Vec<_>>() {
            let row = Row { archetype: 4, row: entity as u32 };
            if self.forest.place(self.slots[entity], row) {
                self.rows[entity] = Some(row);
            }
        }
        self.forest.rebuild();
        for entity in self.alive() {
            self.slots[entity] = self.forest.slot(self.rows[entity].expect("it was given one"));
        }
        assert_eq!(self.forest.fragmentation(), 0);
        assert_eq!(self.forest.slots_len(), self.forest.len());
    }

    /// Everything is as in the model.
    pub fn check(&self) {
        self.forest.validate();
        let alive = self.alive();
        assert_eq!(self.forest.len(), alive.len());
        let view = self.forest.propagation();
        let bit = |words: &[u64], slot: u32| words[slot as usize / 64] & 1 << (slot % 64) != 0;
        for entity in alive {
            let slot = self.slots[entity];
            let above = self.above[entity];
            let parent = if let Some(Above::Parent(parent)) = above { Some(self.slots[parent]) } else { None };
            assert_eq!(self.forest.parent(slot), parent);
            assert_eq!(self.forest.is_cyclic(slot), above == Some(Above::Cycle));
            let children: Vec<u32> = self.children[entity].iter().map(|&child| self.slots[child]).collect();
            assert_eq!(self.forest.children(slot).collect::<Vec<_>>(), children);
            assert_eq!(self.forest.row(slot), self.rows[entity].unwrap_or(NOWHERE));
            assert_eq!(bit(view.dirty(), slot), self.dirty.contains(&entity));
            assert_eq!(bit(view.moved(), slot), self.moved.contains(&entity));
            let mut below = Vec::new();
            self.forest.for_each_in_subtree(slot, |slot| below.push(slot));
            assert_eq!(below, self.subtree(entity));
        }
    }

    fn subtree(&self, top: usize) -> Vec<u32> {
        let (mut subtree, mut open) = (Vec::new(), vec![top]);
        while let Some(entity) = open.pop() {
            subtree.push(self.slots[entity]);
            open.extend(self.children[entity].iter().rev());
        }
        subtree
    }

    /// However segments are split, every node is in one part, and its parent in an earlier segment, in a stem above or before it in the part.
    pub fn check_splits(&self) {
        let view = self.forest.propagation();
        let mut done = vec![false; self.forest.slots_len()];
        for segment in 0..self.forest.segments() {
            let range = self.forest.segment(segment);
            let mut parts = Vec::new();
            check_range(view, range, &mut done.clone(), &mut parts);
            for slot in parts {
                assert!(!std::mem::replace(&mut done[slot as usize], true), "{slot} is in two parts");
            }
            assert!(done[range.start() as usize..range.end() as usize].iter().all(|&done| done), "every slot is in a part");
        }
    }
}

/// `done` are the slots that are computed before this range is.
fn check_range(view: PropagationView<'_>, range: SubtreeRange, done: &mut [bool], parts: &mut Vec<u32>) {
    let mut compute = |slots: std::ops::Range<u32>, done: &mut [bool]| {
        for slot in slots {
            let node = view.nodes()[slot as usize];
            assert!(!node.is_linked() || done[node.parent as usize], "{slot} is computed before its parent");
            done[slot as usize] = true;
            parts.push(slot);
        }
    };
    if let Some((first, second)) = view.split(range) {
        assert!(first.len() > 0 && second.len() > 0);
        check_range(view, first, &mut done.to_vec(), parts);
        check_range(view, second, &mut done.to_vec(), parts);
    } else if range.len() > 0 {
        let rest = view.stem(range);
        assert!(rest.start() > range.start());
        compute(range.start()..rest.start(), done);
        check_range(view, rest, done, parts);
    }
}
