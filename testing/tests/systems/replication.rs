//! A second world has the same entities in the same places, by the list of what changed.

use std::collections::HashMap;

use legion::*;
use legion_transform::prelude::*;
use proptest::prelude::*;

use super::{Trial, is_right};

/// The second world, and which entity of it stands for which.
#[derive(Default)]
struct Replica {
    world: World,
    entities: HashMap<Entity, Entity>,
}

impl Replica {
    /// Takes over what came and what changed.
    fn update(&mut self, world: &World, changes: &TransformChanges) {
        let changes = changes.of(world);
        for entity in changes.changed() {
            let entry = world.entry_ref(entity).unwrap();
            let matrix = *entry.get_component::<LocalToWorld>().unwrap();
            match self.entities.get(&entity) {
                Some(copy) => self.world.entry(*copy).unwrap().add_component(matrix),
                None => drop(self.entities.insert(entity, self.world.push((matrix,)))),
            }
        }
    }

    /// Takes over what is gone. The bug is to forget it.
    fn remove(&mut self, world: &World, changes: &TransformChanges) {
        for entity in changes.of(world).removed() {
            self.world.remove(self.entities.remove(entity).unwrap());
        }
    }
}

fn has_the_same_entities(forgets: bool, trial: Trial) {
    let bundle = || TransformSystemBundle::default().track_changes();
    trial.check().run(
        trial.edits(),
        || Schedule::builder().add_transforms(bundle()).build(),
        |world, resources| {
            let mut replica = resources.remove::<Replica>().unwrap_or_default();
            let changes = resources.get::<TransformChanges>().unwrap();
            replica.update(world, &changes);
            if !forgets {
                replica.remove(world, &changes);
            }
            drop(changes);
            prop_assert_eq!(replica.world.len(), world.len());
            for (entity, matrix) in <(Entity, &LocalToWorld)>::query().iter(world) {
                let copy = replica.world.entry_ref(replica.entities[entity]).unwrap();
                let copy = copy.get_component::<LocalToWorld>().unwrap();
                // Not a number equals no number, and is copied all the same.
                prop_assert_eq!(copy.0.map(f32::to_bits), matrix.0.map(f32::to_bits));
            }
            resources.insert(replica);
            Ok(())
        },
    );
}

#[test]
fn a_replica_has_the_same_entities() {
    is_right(|trial| has_the_same_entities(false, trial));
}

#[test]
fn a_replica_that_forgets_the_dead_is_found() {
    super::assert_fails(include_str!("replication.txt"), || {
        has_the_same_entities(true, Trial::ORDINARY);
    });
}
