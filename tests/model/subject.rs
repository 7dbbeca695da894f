//! A world with all that follows its changes.

use harness::{
    TestWorld,
    properties::{Seen, judge},
    ticks::Ticks,
    user::Bystander,
};
use legion::{Entity, EntityStore, world::EntryRef};
use legion_transform_testing::{
    ListMirror, Snapshot, Value,
    links::Links,
    snapshot::{Row, same_bits},
};

use super::edits::Teleports;

pub struct Subject {
    pub test: TestWorld,
    /// Follows what the bundle lists as changed, if it does.
    mirror: ListMirror,
    /// The same, between the runs.
    ticks: Ticks,
    /// The values of a property after the last run.
    values: Seen<u64>,
}

impl Subject {
    pub fn new(test: TestWorld) -> Self {
        let (mirror, ticks) = (ListMirror::default(), Ticks::default());
        Self { test, mirror, ticks, values: Seen::new() }
    }

    /// Whether an entity has a component of this type.
    pub fn has(&self, name: usize, value: &Value) -> bool {
        let entry = self.test.cast.entity(name).and_then(|it| self.test.world.entry_ref(it).ok());
        let layout = |entry: EntryRef<'_>| entry.archetype().layout().component_types().to_vec();
        entry.is_some_and(|entry| layout(entry).contains(&value.type_id()))
    }

    /// Follows a run with all that follows changes. Returns what was listed without need.
    pub fn follow(&mut self) -> Vec<Entity> {
        let teleports = self.test.resources.remove::<Teleports>().unwrap_or_default();
        teleports.0.into_iter().for_each(|entity| self.ticks.teleport(entity));
        self.ticks.follow(&self.test);
        let links = Links::of(&Snapshot::of(&self.test.world));
        self.values = judge::<Bystander>(&self.values, &self.test, &links);
        self.mirror.follow(&self.test.world, &self.test.resources)
    }
}

/// Why two worlds that went through the same edits are not the same, bit for bit. Entities are
/// called by their rows.
pub fn difference(one: &Snapshot, other: &Snapshot) -> Option<String> {
    if one.rows.len() != other.rows.len() {
        return Some(format!("{} rows and {}", one.rows.len(), other.rows.len()));
    }
    let relations = |all: &Snapshot, row: &Row| {
        let name = |entity: &Entity| all.index.get(entity).copied();
        let list = row.children.as_ref().map(|list| list.iter().map(name).collect::<Vec<_>>());
        (
            row.archetype,
            row.parent.as_ref().map(name),
            row.previous.map(|p| p.as_ref().map(name)),
            list,
        )
    };
    one.rows.iter().zip(&other.rows).find_map(|(a, b)| {
        let is_same = relations(one, a) == relations(other, b)
            && a.numbers.len() == b.numbers.len()
            && a.numbers.iter().zip(&b.numbers).all(|(a, b)| a.0 == b.0 && same_bits(&a.1, &b.1));
        (!is_same)
            .then(|| format!("{:?} {a:?} and {:?} {b:?}", relations(one, a), relations(other, b)))
    })
}
