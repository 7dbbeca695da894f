//! Edits by slot number, so that the same ones can be made in several worlds, whatever their
//! entities are called.

mod rows;

use std::collections::HashMap;

use legion::{Entity, World, any, component, world::Entry};
use legion_transform::{
    TransformChanges,
    frames::{Frame, Origin},
    prelude::*,
};

use harness::{
    TestWorld,
    properties::{Seen, judge},
    ticks::Ticks,
    user::Bystander,
};
use legion_transform_testing::{
    Kind, ListMirror, Numbers, Snapshot,
    kind::Shape,
    links::Links,
    snapshot::{Row, same_bits},
};
use rows::{Named, below, extend, extend_frames};

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
    /// Many at once, with `extend`: translated children of one parent, or roots; or frames, a metre
    /// from one to the next.
    Extend {
        first: Slot,
        count: usize,
        parent: Option<Slot>,
        value: Numbers,
        frame: Option<Frame>,
    },
    Despawn(Slot),
    Parent(Slot, Slot),
    RemoveParent(Slot),
    Add(Slot, Kind, Numbers),
    Set(Slot, Kind, Numbers),
    Remove(Slot, Kind),
    PreviousParent(Slot, Option<Option<Slot>>),
    Children(Slot, Option<Vec<Slot>>),
    /// Other rows for an entity, with `push_with_id` or with a row source that names its id: then
    /// the new row comes before the old one goes.
    Replace {
        slot: Slot,
        parent: Option<Slot>,
        value: Numbers,
        by_source: bool,
    },
    /// All entities with `Translation` to another world, and back.
    Travel,
    /// `Frame` comes or is overwritten.
    Frame(Slot, Frame),
    /// The same, in place.
    SetFrame(Slot, Frame),
    RemoveFrame(Slot),
    /// The resource from where the world is seen.
    Origin(Option<Slot>),
    /// For what follows the ticks: it and all below jump.
    Teleport(Slot),
    /// The list of changes is gone: the next one begins anew.
    ForgetChanges,
    /// More events than the bundle keeps.
    Noise,
    Clear,
}

impl Edit {
    /// Whether it may overwrite what the bundle derives.
    pub fn overwrites(&self) -> bool {
        match self {
            Self::Add(_, kind, _) | Self::Set(_, kind, _) => {
                kind.shape() == Shape::Matrix || matches!(kind, Kind::Rotation | Kind::PostRotation)
            }
            Self::PreviousParent(_, value) => value.is_some(),
            Self::Children(_, value) => value.is_some(),
            _ => false,
        }
    }

    /// Whether entities may come to an archetype.
    pub fn inserts(&self) -> bool {
        let stays = matches!(
            self,
            Self::Set(..) | Self::SetFrame(..) | Self::Origin(_) | Self::Teleport(_)
        );
        !(stays || matches!(self, Self::Despawn(_) | Self::Clear | Self::ForgetChanges))
    }
}

/// A world in which slots have entities.
pub struct Subject {
    pub test: TestWorld,
    /// Follows what the bundle lists as changed, if it does.
    pub mirror: ListMirror,
    /// Likewise, between the runs.
    pub ticks: Ticks,
    /// The values of a property after the last run.
    values: Seen<u64>,
    entities: HashMap<Slot, Entity>,
    pub slots: HashMap<Entity, Slot>,
}

impl Subject {
    pub fn new(test: TestWorld) -> Self {
        let (mirror, ticks) = (ListMirror::default(), Ticks::default());
        let (entities, slots, values) = (HashMap::new(), HashMap::new(), Seen::new());
        Self { test, mirror, ticks, values, entities, slots }
    }

    /// Follows a run with all that follows changes. Returns what was listed without need.
    pub fn follow(&mut self) -> Vec<Entity> {
        self.ticks.follow(&self.test);
        let links = Links::of(&Snapshot::of(&self.test.world));
        self.values = judge::<Bystander>(&self.values, &self.test, &links);
        self.mirror.follow(&self.test.world, &self.test.resources)
    }

    /// Makes an edit. If its entity is not there, for example in a shortened list of edits, it does
    /// nothing.
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
            Edit::Extend { first, count, parent, value, frame } => {
                let parent = parent.and_then(|parent| self.name(parent));
                let entities = match frame {
                    Some(frame) => extend_frames(&mut self.test.world, *count, parent, *frame),
                    None => extend(&mut self.test.world, *count, parent, value),
                };
                self.remember(*first, &entities);
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
                if kind.get(entry).is_some() {
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
            Edit::Replace { slot, parent, value, by_source } => {
                self.replace(*slot, *parent, value, *by_source)
            }
            Edit::Frame(slot, frame) => self.with(*slot, |entry| entry.add_component(*frame)),
            Edit::SetFrame(slot, frame) => self.with(*slot, |entry| {
                if let Ok(old) = entry.get_component_mut::<Frame>() {
                    *old = *frame;
                }
            }),
            Edit::RemoveFrame(slot) => self.with(*slot, |entry| entry.remove_component::<Frame>()),
            Edit::Origin(slot) => match slot.and_then(|slot| self.name(slot)) {
                Some(entity) => self.test.resources.insert(Origin(entity)),
                None => drop(self.test.resources.remove::<Origin>()),
            },
            Edit::Teleport(slot) => {
                if let Some(entity) = self.name(*slot) {
                    self.ticks.teleport(entity);
                }
            }
            Edit::ForgetChanges => drop(self.test.resources.remove::<TransformChanges>()),
            Edit::Travel => {
                let mut elsewhere = World::default();
                elsewhere.move_from(&mut self.test.world, &component::<Translation>());
                self.test.world.move_from(&mut elsewhere, &any());
            }
            Edit::Noise => {
                let world = &mut self.test.world;
                let many = vec![(0_u8,); world.len() + 3_000];
                let noise = world.extend(many).to_vec();
                noise.into_iter().for_each(|entity| assert!(world.remove(entity)));
            }
            Edit::Clear => self.test.world.clear(),
        }
    }

    fn replace(&mut self, slot: Slot, parent: Option<Slot>, value: &Numbers, by_source: bool) {
        let Some(entity) = self.live(slot) else { return };
        let at = Translation::new(value[0], value[1], value[2]);
        let world = &mut self.test.world;
        let parent = parent.and_then(|parent| self.entities.get(&parent));
        match (parent.map(|&parent| below(parent, at)), by_source) {
            (Some(row), false) => world.push_with_id(entity, row),
            (Some(row), true) => {
                world.extend(Named::new(entity, row));
            }
            (None, false) => world.push_with_id(entity, (LocalToWorld::identity(), at)),
            (None, true) => {
                world.extend(Named::new(entity, (LocalToWorld::identity(), at)));
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

    pub fn frame(&self, slot: Slot) -> Option<Frame> {
        self.test.get::<Frame>(self.live(slot)?)
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
                    .all(|(a, b)| a.0 == b.0 && same_bits(&a.1, &b.1));
            (!same).then(|| {
                format!("{:?} {a:?} and {:?} {b:?}", names(&self.slots, a), names(&other.slots, b))
            })
        })
    }
}
