//! The scene of a workload with all its roots as frames, seen from a ship that flies.

use legion::{Entity, IntoQuery, component};
use legion_transform::{
    TransformSystemBundle,
    frames::{Frame, Origin},
    prelude::*,
};
use nalgebra::Point3;

use crate::{
    turns::{Besides, Side},
    workloads::LegionWorld,
};

pub const USED: Side<'_> = Side {
    bundle: &|| TransformSystemBundle::default().large_worlds(),
    besides: Some(&Besides { prepare, edit: fly }),
};

fn prepare(built: &mut LegionWorld) {
    let LegionWorld { world, resources, .. } = built;
    let roots = <(Entity, &Translation)>::query().filter(!component::<Parent>());
    let at = |at: &Translation| Frame::at(Point3::from(at.0.vector.cast()));
    let roots: Vec<_> = { roots }.iter(world).map(|(&root, it)| (root, at(it))).collect();
    for (root, frame) in roots {
        world.entry(root).expect("alive").add_component(frame);
    }
    let ship = world.push_transform((Frame::default(),));
    resources.insert(Origin(ship));
}

/// The ship flies, so that all is seen otherwise.
fn fly(built: &mut LegionWorld) {
    let LegionWorld { world, resources, .. } = built;
    let Origin(ship) = *resources.get::<Origin>().expect("inserted before the first run");
    let mut ship = world.entry(ship).expect("alive");
    ship.get_component_mut::<Frame>().expect("a frame").position.x += 0.125;
}
