//! Skeletons whose roots have `Visible`, which all below inherit.

use legion::{Entity, IntoQuery, component};
use legion_transform::{TransformSystemBundle as Bundle, components::Visible, prelude::*};

use crate::{
    turns::{Besides, Side},
    workloads::LegionWorld,
};

/// All matrices change; with all values as well.
pub const BOTH: [Side<'_>; 2] = [
    Side { bundle: &Bundle::default, besides: Some(&Besides { prepare, edit: toggle_all }) },
    values(&Besides { prepare, edit: toggle_all }),
];

/// All matrices change in one world, and all values in the other.
pub const BESIDE: [Side<'_>; 2] = [
    Side { bundle: &Bundle::default, besides: Some(&Besides { prepare, edit: move_all }) },
    values(&Besides { prepare, edit: toggle_all }),
];

/// Likewise of one skeleton: its root moves, or is hidden and shown.
pub const ONE: [Side<'_>; 2] = [
    Side { bundle: &Bundle::default, besides: Some(&Besides { prepare, edit: move_one }) },
    values(&Besides { prepare, edit: toggle_one }),
];

const fn values(besides: &'static Besides) -> Side<'static> {
    Side { bundle: &|| Bundle::default().inherit::<Visible>(), besides: Some(besides) }
}

/// Roots get a component that is visible.
fn prepare(built: &mut LegionWorld) {
    let roots = <Entity>::query().filter(component::<LocalToWorld>() & !component::<Parent>());
    let roots: Vec<Entity> = { roots }.iter(&built.world).copied().collect();
    for root in roots {
        built.world.entry(root).expect("alive").add_component(Visible(true));
    }
}

fn toggle_all(built: &mut LegionWorld) {
    <&mut Visible>::query().for_each_mut(&mut built.world, |it| it.0 = !it.0);
}

fn move_all(built: &mut LegionWorld) {
    <&mut Translation>::query().for_each_mut(&mut built.world, |it| it.0.x += 0.125);
}

fn toggle_one(built: &mut LegionWorld) {
    let mut entry = root(built);
    let it = entry.get_component_mut::<Visible>().expect("a root has it");
    it.0 = !it.0;
}

fn move_one(built: &mut LegionWorld) {
    root(built).get_component_mut::<Translation>().expect("all have it").0.x += 0.125;
}

/// The root of the first skeleton.
fn root(built: &mut LegionWorld) -> legion::world::Entry<'_> {
    let root = built.entities()[0];
    built.world.entry(root).expect("alive")
}
