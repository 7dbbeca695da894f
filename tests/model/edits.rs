//! Edits by slot number, so that the same ones can be made in several worlds, whatever their
//! entities are called.

use std::collections::HashMap;

use legion::{Entity, world::Entry};
use legion_transform::prelude::*;

use harness::{Kind, Numbers, Row, Snapshot, TestWorld, mirror::Mirror};

/// An entity, by the order in which it was spawned; slots are never used again.
pub type Slot = usize;

/// One change to a world, as a user makes it.
#[derive(Clone, Debug)]
pub enum Edit {
    Spawn {
        slot: Slot,
        components: Vec<(Kind, Numbers)>,
        parent: Option<Slot>,
        prelinked: bool,
    },
    /// Many at once, with `extend`: translated children of one parent, or roots.
    Extend {
        first: Slot,
        count: usize,
        parent: Option<Slot>,
        value: Numbers,
    },
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
    pub test: TestWorld,
    /// Follows what the bundle lists as changed, if it does.
    pub mirror: Mirror,
    entities: HashMap<Slot, Entity>,
    pub slots: HashMap<Entity, Slot>,
}

impl Subject {
    pub fn new(test: TestWorld) -> Self {
        Self { test, mirror: Mirror::default(), entities: HashMap::new(), slots: HashMap::new() }
    }

    /// Makes an edit. One that is about an entity that is not there, as in a shortened list of
    /// edits, does nothing.
    pub fn apply(&mut self, edit: &Edit) {
        match edit {
            Edit::Spawn { slot, components, parent, prelinked } => {
                let entity = self.test.spawn(components);
                if let Some(parent) = parent.and_then(|parent| self.name(parent)) {
                    self.test.put(entity, Parent(parent));
                }
                if *prelinked {
                    self.test.put(entity, PreviousParent::default());
                    self.test.put(entity, Children::new());
                }
                self.remember(*slot, &[entity]);
            }
            Edit::Extend { first, count, parent, value } => {
                self.extend(*first, *count, *parent, value)
            }
            Edit::Despawn(slot) => {
                if let Some(entity) = self.live(*slot) {
                    self.test.world.remove(entity);
                }
            }
            Edit::Parent(slot, parent) => {
                if let (Some(entity), Some(parent)) = (self.live(*slot), self.name(*parent)) {
                    self.test.put(entity, Parent(parent));
                }
            }
            Edit::Add(slot, kind, numbers) => self.with(*slot, |entry| kind.add(entry, numbers)),
            Edit::Set(slot, kind, numbers) => self.with(*slot, |entry| {
                if kind.is_on(entry) {
                    kind.set(entry, numbers);
                }
            }),
            Edit::Remove(slot, kind) => self.with(*slot, |entry| kind.remove(entry)),
            Edit::RemoveParent(slot) => {
                self.with(*slot, |entry| entry.remove_component::<Parent>())
            }
            Edit::PreviousParent(slot, None) => {
                self.with(*slot, |entry| entry.remove_component::<PreviousParent>())
            }
            Edit::PreviousParent(slot, Some(previous)) => {
                let previous = previous.and_then(|previous| self.name(previous));
                self.with(*slot, |entry| entry.add_component(PreviousParent(previous)));
            }
            Edit::Children(slot, None) => {
                self.with(*slot, |entry| entry.remove_component::<Children>())
            }
            Edit::Children(slot, Some(children)) => {
                let children: Children =
                    children.iter().filter_map(|child| self.name(*child)).collect();
                self.with(*slot, |entry| entry.add_component(children));
            }
        }
    }

    /// The entity of a slot, dead or alive.
    pub fn name(&self, slot: Slot) -> Option<Entity> {
        self.entities.get(&slot).copied()
    }

    fn live(&self, slot: Slot) -> Option<Entity> {
        self.name(slot).filter(|entity| self.test.world.contains(*entity))
    }

    fn with(&mut self, slot: Slot, edit: impl FnOnce(&mut Entry<'_>)) {
        if let Some(mut entry) = self.live(slot).and_then(|entity| self.test.world.entry(entity)) {
            edit(&mut entry);
        }
    }

    fn extend(&mut self, first: Slot, count: usize, parent: Option<Slot>, value: &Numbers) {
        let translation = |i: usize| Translation::new(value[0] + i as f32, value[1], value[2]);
        let entities: Vec<Entity> = match parent.and_then(|parent| self.name(parent)) {
            Some(parent) => {
                let rows = (0..count).map(|i| {
                    (
                        LocalToWorld::identity(),
                        LocalToParent::identity(),
                        translation(i),
                        Parent(parent),
                        PreviousParent(None),
                    )
                });
                self.test.world.extend(rows).to_vec()
            }
            None => {
                let rows =
                    (0..count).map(|i| (LocalToWorld::identity(), translation(i), Scale(value[0])));
                self.test.world.extend(rows).to_vec()
            }
        };
        self.remember(first, &entities);
    }

    fn remember(&mut self, first: Slot, entities: &[Entity]) {
        for (slot, &entity) in (first..).zip(entities) {
            self.slots.insert(entity, slot);
            self.entities.insert(slot, entity);
        }
    }

    pub fn get(&mut self, slot: Slot, kind: Kind) -> Option<Numbers> {
        kind.get(&self.test.world.entry(self.live(slot)?)?)
    }

    pub fn has(&mut self, slot: Slot, kind: Kind) -> bool {
        self.get(slot, kind).is_some()
    }

    pub fn parent(&mut self, slot: Slot) -> Option<Slot> {
        let parent = self.test.get::<Parent>(self.live(slot)?)?;
        self.slots.get(&parent.0).copied()
    }

    /// Why this world is not the same as another one that went through the same edits, bit for bit.
    pub fn difference(&self, own: &Snapshot, other: &Self, theirs: &Snapshot) -> Option<String> {
        let names = |slots: &HashMap<Entity, Slot>, row: &Row| {
            let slot = |entity: &Entity| slots.get(entity).copied();
            let children =
                row.children.as_ref().map(|children| children.iter().map(slot).collect::<Vec<_>>());
            (
                slot(&row.entity),
                row.parent.as_ref().map(slot),
                row.previous.map(|p| p.as_ref().map(slot)),
                children,
            )
        };
        if own.rows.len() != theirs.rows.len() {
            return Some(format!("{} rows and {}", own.rows.len(), theirs.rows.len()));
        }
        own.rows.iter().zip(&theirs.rows).find_map(|(a, b)| {
            let same = names(&self.slots, a) == names(&other.slots, b)
                && a.numbers.len() == b.numbers.len()
                && a.numbers
                    .iter()
                    .zip(&b.numbers)
                    .all(|(a, b)| a.0 == b.0 && harness::snapshot::same_bits(&a.1, &b.1));
            (!same).then(|| {
                format!("{:?} {a:?} and {:?} {b:?}", names(&self.slots, a), names(&other.slots, b))
            })
        })
    }
}
