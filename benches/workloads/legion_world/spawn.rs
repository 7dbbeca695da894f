//! Spawning nodes: `LocalToWorld`, translation, rotation and scale, and what their kind has
//! besides.

use legion::{Entity, systems::CommandBuffer};
use legion_transform::{
    components::{PreviousParent, Visible},
    prelude::*,
};

use super::{LegionWorld, Mover, writes::components};
use crate::workloads::{
    archetypes::Marked,
    kind::{Batch, Extra, Kind},
    scene::Scene,
};

/// A user's component.
#[derive(Clone, Copy, Debug)]
struct Big(#[allow(dead_code)] [u8; 256]);

/// One of three components of a user.
#[derive(Clone, Copy, Debug)]
struct Payload<const N: usize>(#[allow(dead_code)] [f32; 8]);

fn payload<const N: usize>() -> Payload<N> {
    Payload([N as f32; 8])
}

/// Spawns a batch with `$extend!(components of each node)`: a macro, since each set of components
/// is a type of its own that only `extend` names.
macro_rules! extend_by_kind {
    ($extend:ident, $kind:expr, $linked:expr) => {{
        let Kind { below, above, extra } = $kind;
        match (below, $linked, above, extra) {
            (false, _, _, Extra::Archetype(number)) => $extend!([marked number]),
            (false, true, true, Extra::Payload) => $extend!(
                |_| Children::new(), |_| payload::<0>(), |_| payload::<1>(), |_| payload::<2>()
            ),
            (false, _, _, Extra::Payload) => $extend!(
                |_| payload::<0>(), |_| payload::<1>(), |_| payload::<2>()
            ),
            (false, true, true, _) => $extend!(|_| Children::new()),
            (false, ..) => $extend!(),
            (true, false, ..) => $extend!([unlinked] |_| LocalToParent::identity(), Parent),
            // Legion's tuples have eight components at most: `extend_transforms` adds the others.
            (true, true, true, Extra::Payload) => $extend!(
                [bare] Parent, |_| Children::new(), |_| payload::<0>(), |_| payload::<1>(),
                |_| payload::<2>()
            ),
            (true, true, false, Extra::Payload) => $extend!(
                Parent, |_| payload::<0>(), |_| payload::<1>(), |_| payload::<2>()
            ),
            (true, true, false, Extra::Mover) => $extend!(
                |_| LocalToParent::identity(), Parent, |_| PreviousParent::default(), |_| Mover
            ),
            (true, true, false, Extra::Big) => $extend!(
                |_| LocalToParent::identity(), Parent, |_| PreviousParent::default(),
                |_| Big([0; 256])
            ),
            (true, true, false, Extra::Visible) => $extend!(
                |_| LocalToParent::identity(), Parent, |_| Visible(true),
                |_| Effective::<Visible>::default()
            ),
            (true, true, false, _) => $extend!(
                |_| LocalToParent::identity(), Parent, |_| PreviousParent::default()
            ),
            (true, true, true, _) => $extend!(
                |_| LocalToParent::identity(), Parent, |_| PreviousParent::default(),
                |_| Children::new()
            ),
        }
    }};
}

/// The components of a batch's nodes, one after the other; `$component`s are made of the parent.
macro_rules! rows {
    ([bare] $scene:expr, $batch:expr, $entities:expr $(, $component:expr)*) => {
        $batch.nodes.iter().map(|&node| {
            let (translation, rotation, scale) = components(&$scene.trs(node));
            let parent = $entities[$scene.parents[node as usize] as usize];
            (translation, rotation, scale $(, ($component)(parent))*)
        })
    };
    ($scene:expr, $batch:expr, $entities:expr $(, $component:expr)*) => {
        $batch.nodes.iter().map(|&node| {
            let (translation, rotation, scale) = components(&$scene.trs(node));
            // A root asks for none.
            let parent = $scene.parents[node as usize] as usize;
            let _parent = $entities.get(parent).copied().unwrap_or($entities[0]);
            (LocalToWorld::identity(), translation, rotation, scale $(, ($component)(_parent))*)
        })
    };
}

impl LegionWorld {
    pub(super) fn spawn_batch(&mut self, scene: &Scene, batch: &Batch) {
        let Self { world, entities, .. } = self;
        macro_rules! extend {
            ([marked $number:ident]) => {
                world.extend(Marked::new(rows!(scene, batch, entities), $number)).to_vec()
            };
            ([bare] $($component:expr),*) => {
                world.extend_transforms(rows!([bare] scene, batch, entities $(, $component)*))
            };
            // Without what the crate's own way would add.
            ([unlinked] $($component:expr),*) => {
                world.extend(rows!(scene, batch, entities $(, $component)*)).to_vec()
            };
            ($($component:expr),*) => {
                world.extend_transforms(rows!(scene, batch, entities $(, $component)*))
            };
        }
        let spawned = extend_by_kind!(extend, batch.kind, self.linked);
        take_over(entities, batch, &spawned);
    }

    /// As [`spawn_batch`](Self::spawn_batch), when the commands are flushed. Not for thousands of
    /// archetypes.
    pub(super) fn spawn_batch_by(
        &mut self,
        commands: &mut CommandBuffer,
        scene: &Scene,
        batch: &Batch,
    ) {
        let Self { entities, .. } = self;
        macro_rules! extend {
            ([marked $number:ident]) => {
                unreachable!("archetype {} by commands", $number)
            };
            ([bare] $($component:expr),*) => {
                unreachable!("commands would not add the matrices")
            };
            ([unlinked] $($component:expr),*) => {
                extend!($($component),*)
            };
            ($($component:expr),*) => {{
                let rows: Vec<_> = rows!(scene, batch, entities $(, $component)*).collect();
                let spawned = commands.extend(rows);
                take_over(entities, batch, spawned);
            }};
        }
        extend_by_kind!(extend, batch.kind, self.linked);
    }
}

fn take_over(entities: &mut [Entity], batch: &Batch, spawned: &[Entity]) {
    batch.nodes.iter().zip(spawned).for_each(|(&node, &entity)| entities[node as usize] = entity);
}
