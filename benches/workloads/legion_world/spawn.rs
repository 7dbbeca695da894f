//! Spawning nodes: `LocalToWorld`, translation, rotation and scale, and what their kind has
//! besides.

use legion_transform::{components::Visible, prelude::*};

use super::{LegionWorld, Mover, writes::components};
use crate::workloads::{
    archetypes::Marked,
    kind::{Batch, Extra, Kind},
    scene::Scene,
};

/// One of three components of a user.
#[derive(Clone, Copy, Debug)]
struct Payload<const N: usize>(#[allow(dead_code)] [f32; 8]);

fn payload<const N: usize>(_: u32) -> Payload<N> {
    Payload([N as f32; 8])
}

impl LegionWorld {
    /// Spawns nodes of one kind.
    pub(super) fn spawn_batch(&mut self, scene: &Scene, batch: &Batch) {
        let Self { world, entities, linked, .. } = self;
        let nodes = batch.nodes.iter().copied();
        let parent = |node: u32| Parent(entities[scene.parents[node as usize] as usize]);
        let children = |_| Children::new();
        // A macro, since each set of components is a type of its own. The crate adds the matrices
        // and `PreviousParent`: Legion's tuples have eight components at most.
        macro_rules! extend {
            ($($component:expr),*) => {
                world.extend_transforms(nodes.map(|node| {
                    let (translation, rotation, scale) = components(&scene.trs(node));
                    (translation, rotation, scale $(, $component(node))*)
                }))
            };
        }
        let Kind { below, above, extra } = batch.kind;
        let spawned = match (below, above && *linked, extra) {
            (false, _, Extra::Archetype(number)) => {
                let rows = nodes.map(|node| {
                    let (translation, rotation, scale) = components(&scene.trs(node));
                    (LocalToWorld::identity(), translation, rotation, scale)
                });
                world.extend(Marked::new(rows, number)).to_vec()
            }
            // Without what the crate's own way would add.
            (true, ..) if !*linked => {
                let rows = nodes.map(|node| {
                    let (translation, rotation, scale) = components(&scene.trs(node));
                    let matrices = (LocalToWorld::identity(), LocalToParent::identity());
                    (matrices.0, translation, rotation, scale, matrices.1, parent(node))
                });
                world.extend(rows).to_vec()
            }
            (false, false, Extra::Payload) => extend!(payload::<0>, payload::<1>, payload::<2>),
            (false, false, _) => extend!(),
            (false, true, Extra::Payload) => {
                extend!(children, payload::<0>, payload::<1>, payload::<2>)
            }
            (false, true, _) => extend!(children),
            (true, false, Extra::Payload) => {
                extend!(parent, payload::<0>, payload::<1>, payload::<2>)
            }
            (true, false, Extra::Mover) => extend!(parent, |_| Mover),
            (true, false, Extra::Visible) => {
                extend!(parent, |_| Visible(true), |_| Effective::<Visible>::default())
            }
            (true, false, _) => extend!(parent),
            (true, true, Extra::Payload) => {
                extend!(parent, children, payload::<0>, payload::<1>, payload::<2>)
            }
            (true, true, _) => extend!(parent, children),
        };
        for (node, entity) in batch.nodes.iter().zip(spawned) {
            entities[*node as usize] = entity;
        }
    }
}
