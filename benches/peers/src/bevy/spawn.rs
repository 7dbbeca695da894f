//! Spawning nodes: a `Transform`, and what their kind has besides.

use bevy_ecs::{bundle::NoBundleEffect, prelude::*};
use bevy_math::{Quat, Vec3};
use bevy_transform::prelude::*;

use super::{Bevy, Mover, Payload};
use crate::workloads::{Batch, Extra, Scene, Trs};

impl Bevy {
    /// Spawns them; without their parents, if these are not there yet.
    pub(super) fn spawn_batch(&mut self, scene: &Scene, batch: &Batch, is_linked_late: bool) {
        let Self { world, entities, archetypes, .. } = self;
        let transform = |node: u32| transform_of(&scene.trs(node));
        let child = |node: u32, entities: &[Entity]| {
            (transform(node), ChildOf(entities[scene.parents[node as usize] as usize]))
        };
        match (batch.kind.below && !is_linked_late, batch.kind.extra) {
            (false, Extra::Archetype(number)) => {
                for &node in &batch.nodes {
                    entities[node as usize] = archetypes.spawn(world, number, transform(node));
                }
            }
            (false, Extra::Payload) => {
                extend(world, entities, batch, |node, _| (transform(node), payload()));
            }
            (false, _) => extend(world, entities, batch, |node, _| transform(node)),
            (true, Extra::Mover) => {
                extend(world, entities, batch, |node, all| (child(node, all), Mover));
            }
            (true, Extra::Payload) => {
                extend(world, entities, batch, |node, all| (child(node, all), payload()));
            }
            (true, _) => extend(world, entities, batch, child),
        }
    }

    /// Gives nodes their parents.
    pub(super) fn link(&mut self, scene: &Scene, batches: &[Batch]) {
        let Self { world, entities, .. } = self;
        let entity = |node: u32| entities[node as usize];
        let children =
            batches.iter().filter(|batch| batch.kind.below).flat_map(|batch| &batch.nodes);
        let links =
            children.map(|&node| (entity(node), ChildOf(entity(scene.parents[node as usize]))));
        let links: Vec<_> = links.collect();
        world.insert_batch(links);
        world.flush(); // the parents' lists are made by deferred commands
    }
}

fn payload() -> (Payload<0>, Payload<1>, Payload<2>) {
    (Payload([0.0; 8]), Payload([1.0; 8]), Payload([2.0; 8]))
}

fn extend<B: Bundle<Effect: NoBundleEffect>>(
    world: &mut World,
    entities: &mut [Entity],
    batch: &Batch,
    bundle: impl Fn(u32, &[Entity]) -> B,
) {
    let spawned: Vec<Entity> =
        world.spawn_batch(batch.nodes.iter().map(|&node| bundle(node, entities))).collect();
    batch.nodes.iter().zip(spawned).for_each(|(&node, entity)| entities[node as usize] = entity);
}

/// A pose as a component.
pub fn transform_of(trs: &Trs) -> Transform {
    Transform {
        translation: Vec3::from(trs.translation),
        rotation: Quat::from_array(trs.rotation),
        scale: Vec3::splat(trs.scale),
    }
}
