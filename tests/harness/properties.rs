//! Properties that children inherit, and what they must be after a run.

use std::collections::HashMap;

use legion::{Entity, IntoQuery};
use legion_transform::prelude::*;
use legion_transform_testing::{Snapshot, effective, links::Links};

use super::test_world::TestWorld;

/// Adds up in a way that tells every entity on the path from every other: `3 * parent + own`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tint(pub i64);

impl Inherited for Tint {
    type Value = i64;
    fn combine(parent: Option<&i64>, own: Option<&Self>) -> i64 {
        parent.unwrap_or(&1).wrapping_mul(3).wrapping_add(own.map_or(0, |own| own.0))
    }
}

/// The nearest one counts. Its value owns memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Team(pub String);

impl Inherited for Team {
    type Value = Option<String>;
    fn combine(parent: Option<&Option<String>>, own: Option<&Self>) -> Option<String> {
        own.map(|own| own.0.clone()).or_else(|| parent.cloned().flatten())
    }
}

/// A bundle with both.
pub fn bundle() -> TransformSystemBundle {
    TransformSystemBundle::default().inherit::<Tint>().inherit::<Team>().track_changes()
}

/// The archetype and the value of each entity after a run.
pub type Seen<V> = HashMap<Entity, (u32, V)>;

/// Judges two properties.
#[derive(Default)]
pub struct Judge {
    tints: Seen<i64>,
    teams: Seen<Option<String>>,
}

impl Judge {
    /// Judges the last run, by the links that stand after it.
    pub fn judge(&mut self, test: &TestWorld) {
        let all = Snapshot::of(&test.world);
        let links = Links::of(&all);
        self.tints = judge::<Tint>(&self.tints, test, &all, &links);
        self.teams = judge::<Team>(&self.teams, test, &all, &links);
    }

    /// Runs and judges.
    pub fn run(&mut self, test: &mut TestWorld) {
        test.run();
        self.judge(test);
    }
}

/// Judges the last run for one property, by the links that stand after it. `last` is what it
/// returned for the run before.
pub fn judge<P: Inherited<Value: std::fmt::Debug>>(
    last: &Seen<P::Value>,
    test: &TestWorld,
    all: &Snapshot,
    links: &Links,
) -> Seen<P::Value> {
    let mut query = <(Entity, &LocalToWorld, Option<&Effective<P>>)>::query();
    let mut now = Seen::new();
    for chunk in query.iter_chunks(&test.world) {
        let archetype = chunk.archetype().index().0;
        for (&entity, _, value) in chunk {
            let value = value.unwrap_or_else(|| panic!("{entity:?} lacks its value"));
            now.insert(entity, (archetype, value.0.clone()));
        }
    }
    let expected = effective::<P>(&test.world, all, links);
    for (entity, (_, value)) in &now {
        assert!(*value == expected[entity], "{entity:?}: {value:?}, not {:?}", expected[entity]);
    }
    let Some(changes) = test.resources.get::<TransformChanges>() else { return now };
    let Some(changes) = changes.tracked(&test.world) else { return now };
    let last = if changes.begins_anew() { &Seen::new() } else { last };
    let listed = changes.effective::<P>();
    for (entity, seen) in &now {
        let is_listed = listed.contains(entity);
        assert!(is_listed || last.get(entity) == Some(seen), "{entity:?} is not listed: {seen:?}");
    }
    assert!(listed.iter().all(|&entity| test.world.contains(entity)), "a dead entity is listed");
    now
}
