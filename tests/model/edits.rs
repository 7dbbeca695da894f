//! Edits by slot number, so that the same ones can be made in several worlds, whatever their entities are called.

use std::collections::HashMap;

use legion::Entity;
use legion_transform::prelude::*;

use crate::common::{Kind, Numbers, Rig, Row, Snapshot};

/// An entity, by the order in which it was spawned; slots are never used again.
pub type Slot = usize;

/// One change to a world, as a user makes it.
#[derive(Clone, Debug)]
pub enum Edit {
    Spawn { components: Vec<(Kind, Numbers)>, parent: Option<Slot>, prelinked: bool },
    /// Many at once, with `extend`: translated children of one parent, or roots.
    Extend { count: usize, parent: Option<Slot>, value: Numbers },
    Despawn(Slot),
    Parent(Slot, Slot),
    RemoveParent(Slot),
    Add(Slot, Kind, Numbers),
    Set(Slot, Kind, Numbers),
    Remove(Slot, Kind),
    PreviousParent(Slot, Option<Option<Slot>>),
    Children(Slot, Option<Vec<Slot>>),
}

/// A world in which slots have entities.
pub struct Subject {
    pub rig: Rig,
    pub entities: Vec<Entity>,
    pub slots: HashMap<Entity, Slot>,
}

impl Subject {
    pub fn new(rig: Rig) -> Self {
        Self { rig, entities: Vec::new(), slots: HashMap::new() }
    }

    pub fn apply(&mut self, edit: &Edit) {
        match edit {
            Edit::Spawn { components, parent, prelinked } => {
                let entity = self.rig.spawn(components);
                if let Some(parent) = parent {
                    let parent = self.entities[*parent];
                    self.rig.put(entity, Parent(parent));
                }
                if *prelinked {
                    self.rig.put(entity, PreviousParent::default());
                    self.rig.put(entity, Children::new());
                }
                self.remember(&[entity]);
            }
            Edit::Extend { count, parent, value } => self.extend(*count, *parent, value),
            Edit::Despawn(slot) => assert!(self.rig.world.remove(self.entities[*slot])),
            Edit::Parent(slot, parent) => {
                let parent = self.entities[*parent];
                self.rig.put(self.entities[*slot], Parent(parent));
            }
            Edit::RemoveParent(slot) => self.rig.take::<Parent>(self.entities[*slot]),
            Edit::Add(slot, kind, numbers) => kind.add(&mut self.entry(*slot), numbers),
            Edit::Set(slot, kind, numbers) => kind.set(&mut self.entry(*slot), numbers),
            Edit::Remove(slot, kind) => kind.remove(&mut self.entry(*slot)),
            Edit::PreviousParent(slot, None) => self.rig.take::<PreviousParent>(self.entities[*slot]),
            Edit::PreviousParent(slot, Some(previous)) => {
                let previous = previous.map(|previous| self.entities[previous]);
                self.rig.put(self.entities[*slot], PreviousParent(previous));
            }
            Edit::Children(slot, None) => self.rig.take::<Children>(self.entities[*slot]),
            Edit::Children(slot, Some(children)) => {
                let children: Children = children.iter().map(|child| self.entities[*child]).collect();
                self.rig.put(self.entities[*slot], children);
            }
        }
    }

    fn entry(&mut self, slot: Slot) -> legion::world::Entry<'_> {
        self.rig.world.entry(self.entities[slot]).expect("a live slot")
    }

    fn extend(&mut self, count: usize, parent: Option<Slot>, value: &Numbers) {
        let translation = |i: usize| Translation::new(value[0] + i as f32, value[1], value[2]);
        let entities: Vec<Entity> = match parent {
            Some(parent) => {
                let parent = self.entities[parent];
                let rows = (0..count).map(|i| {
                    (LocalToWorld::identity(), LocalToParent::identity(), translation(i), Parent(parent), PreviousParent(None))
                });
                self.rig.world.extend(rows).iter().copied().collect()
            }
            None => {
                let rows = (0..count).map(|i| (LocalToWorld::identity(), translation(i), Scale(value[0])));
                self.rig.world.extend(rows).iter().copied().collect()
            }
        };
        self.remember(&entities);
    }

    fn remember(&mut self, entities: &[Entity]) {
        for &entity in entities {
            self.slots.insert(entity, self.entities.len());
            self.entities.push(entity);
        }
    }

    pub fn has(&mut self, slot: Slot, kind: Kind) -> bool {
        kind.is_on(&self.entry(slot))
    }

    pub fn parent(&mut self, slot: Slot) -> Option<Slot> {
        let parent = self.rig.get::<Parent>(self.entities[slot])?;
        self.slots.get(&parent.0).copied()
    }

    /// Why this world is not the same as another one that went through the same edits, bit for bit.
    pub fn difference(&self, own: &Snapshot, other: &Self, theirs: &Snapshot) -> Option<String> {
        let names = |slots: &HashMap<Entity, Slot>, row: &Row| {
            let slot = |entity: &Entity| slots.get(entity).copied();
            let children = row.children.as_ref().map(|children| children.iter().map(slot).collect::<Vec<_>>());
            (slot(&row.entity), row.parent.as_ref().map(slot), row.previous.map(|p| p.as_ref().map(slot)), children)
        };
        if own.rows.len() != theirs.rows.len() {
            return Some(format!("{} rows and {}", own.rows.len(), theirs.rows.len()));
        }
        own.rows.iter().zip(&theirs.rows).find_map(|(a, b)| {
            let same = names(&self.slots, a) == names(&other.slots, b)
                && a.numbers.len() == b.numbers.len()
                && a.numbers.iter().zip(&b.numbers).all(|(a, b)| a.0 == b.0 && crate::common::snapshot::same_bits(&a.1, &b.1));
            (!same).then(|| format!("{:?} {a:?} and {:?} {b:?}", names(&self.slots, a), names(&other.slots, b)))
        })
    }
}
