//! A world with all that follows its changes.

use std::collections::HashMap;

use harness::{
    TestWorld,
    properties::{Seen, judge},
    user::Bystander,
};
use legion::{Entity, EntityStore, world::EntryRef};
use legion_transform_testing::{
    Cast, ListMirror, SmoothMirror, Snapshot, Value,
    links::Links,
    snapshot::{Row, same_bits},
};

use super::edits::Teleports;

pub struct Subject {
    pub test: TestWorld,
    /// Follows what the bundle lists as changed, if it does.
    mirror: ListMirror,
    /// The same, between the runs.
    ticks: SmoothMirror,
    /// The values of a property after the last run.
    values: Seen<u64>,
}

impl Subject {
    pub fn new(test: TestWorld) -> Self {
        let (mirror, ticks) = (ListMirror::default(), SmoothMirror::default());
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
        self.ticks.follow(&self.test.world, &self.test.resources);
        let all = Snapshot::of(&self.test.world);
        self.values = judge::<Bystander>(&self.values, &self.test, &all, &Links::of(&all));
        self.mirror.follow(&self.test.world, &self.test.resources)
    }
}

/// The rows of a world by the numbers of their entities, those of others behind them; and the
/// place of each entity among these.
pub struct Named<'a>(Vec<&'a Row>, HashMap<Entity, usize>);

impl<'a> Named<'a> {
    pub fn new(all: &'a Snapshot, cast: &Cast) -> Self {
        let mut rows: Vec<&Row> = all.rows.iter().collect();
        rows.sort_by_key(|row| cast.name(row.entity).unwrap_or(usize::MAX));
        let names = rows.iter().enumerate().map(|(name, row)| (row.entity, name)).collect();
        Self(rows, names)
    }

    pub fn name(&self, entity: Entity) -> Option<usize> {
        self.1.get(&entity).copied()
    }
}

/// Why two worlds that went through the same edits are not the same, bit for bit. Entities may
/// stand in other archetypes and rows: where whole archetypes migrate, others are made on the way.
pub fn difference(one: &Named<'_>, other: &Named<'_>) -> Option<String> {
    if one.0.len() != other.0.len() {
        return Some(format!("{} rows and {}", one.0.len(), other.0.len()));
    }
    let relations = |all: &Named<'_>, row: &Row| {
        let name = |entity: &Entity| all.name(*entity);
        let list = row.children.as_ref().map(|list| list.iter().map(name).collect::<Vec<_>>());
        (row.parent.as_ref().map(name), row.previous.map(|p| p.as_ref().map(name)), list)
    };
    one.0.iter().zip(&other.0).find_map(|(a, b)| {
        let is_same = relations(one, a) == relations(other, b)
            && a.numbers.len() == b.numbers.len()
            && a.numbers.iter().zip(&b.numbers).all(|(a, b)| a.0 == b.0 && same_bits(&a.1, &b.1));
        (!is_same)
            .then(|| format!("{:?} {a:?} and {:?} {b:?}", relations(one, a), relations(other, b)))
    })
}
