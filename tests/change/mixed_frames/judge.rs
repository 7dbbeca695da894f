//! Whether a world is right after a run.

use std::collections::{HashMap, HashSet};

use harness::snapshot;
use legion::{Entity, Resources, World};
use legion_transform_testing::{
    Derived, Kind, ListMirror, Reference, Snapshot, assert_relations, mismatch, snapshot::same_bits,
};

use super::life::{Life, is_derived};

/// Looks at a world after each run.
pub struct Judge {
    mirror: ListMirror,
    /// Within how many runs what was overwritten has to be right.
    runs: usize,
}

impl Judge {
    pub fn new(runs: usize) -> Self {
        Self { mirror: ListMirror::default(), runs }
    }

    pub fn judge(&mut self, world: &World, resources: &Resources, life: &mut Life) {
        life.overwritten.retain(|_, run| life.runs < *run + self.runs);
        let is_clean = life.overwritten.is_empty();
        self.mirror.follow_in(world, resources, is_clean);
        let now = snapshot(world);
        if is_clean {
            assert_relations(&now, &now, true);
        }
        check_values(world, &now, &dependent(&now, &life.overwritten));
        for (&(entity, kind), numbers) in &life.owned {
            if let Some(kept) = now.get(entity).and_then(|row| row.get(kind))
                && !is_derived(world, entity, kind)
            {
                assert!(same_bits(kept, numbers), "{kind:?} of {entity:?} is the user's");
            }
        }
    }
}

/// The entities whose components were overwritten, and all below them.
fn dependent(now: &Snapshot, overwritten: &HashMap<Entity, usize>) -> HashSet<Entity> {
    let mut dependent: HashSet<Entity> = overwritten.keys().copied().collect();
    if dependent.is_empty() {
        return dependent;
    }
    for row in &now.rows {
        let (mut path, mut at) = (HashSet::new(), Some(row.entity));
        while let Some(entity) = at.filter(|&entity| path.insert(entity)) {
            if dependent.contains(&entity) {
                dependent.extend(path);
                break;
            }
            at = now.get(entity).and_then(|row| row.parent);
        }
    }
    dependent
}

/// Compares all derived values with the formulas, but for these entities.
fn check_values(world: &World, now: &Snapshot, without: &HashSet<Entity>) {
    let reference = Reference::of(world);
    for row in now.rows.iter().filter(|row| !without.contains(&row.entity)) {
        for (kind, numbers) in &row.numbers {
            let value = reference.value(row.entity, *kind);
            let computed = value.filter(|value| !matches!(value, Derived::Kept(_)));
            let expected = computed.and_then(|value| value.bounded());
            if let Some(text) = expected.and_then(|value| mismatch(*kind, &value, numbers)) {
                let has: Vec<&Kind> = row.numbers.iter().map(|(kind, _)| kind).collect();
                panic!("{kind:?} of {:?}, which has {has:?}: {text}", row.entity);
            }
        }
    }
}
