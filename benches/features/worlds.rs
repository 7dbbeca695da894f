//! What worlds have besides their scenes: frames, other ways to inherit, and inherited values.

use legion::{Entity, IntoQuery, component, storage::Component, world::Entry};
use legion_transform::{
    components::Visible,
    frames::{Frame, Origin},
    prelude::*,
};
use nalgebra::Point3;

use crate::{
    harness::EachTick,
    workloads::{BONES, LegionWorld},
};

/// A component as large as [`Inherits`], which means nothing.
#[derive(Clone, Copy)]
pub struct Other(#[allow(dead_code)] [bool; 3]);

pub const OTHER: Other = Other([true, false, false]);
pub const PLACE: Inherits = Inherits { translation: true, ..Inherits::NOTHING };
pub const NO_SCALE: Inherits = Inherits { scale: false, ..Inherits::ALL };

/// Adds a component to a bone of each skeleton, without others below it.
pub fn label(built: &mut LegionWorld, it: impl Component + Copy) -> EachTick {
    const CROWN: usize = 6;
    add(built, it, |node| node % BONES == CROWN)
}

/// Adds a component to every tenth of the bones that have a parent.
pub fn tenth(built: &mut LegionWorld, it: impl Component + Copy) -> EachTick {
    add(built, it, |node| node % 10 == 9 && node % BONES != 0)
}

fn add(
    built: &mut LegionWorld,
    it: impl Component + Copy,
    wanted: impl Fn(usize) -> bool,
) -> EachTick {
    let entities = built.entities().to_vec();
    for (_, entity) in (0..).zip(entities).filter(|&(node, _)| wanted(node)) {
        built.world.entry(entity).expect("just spawned").add_component(it);
    }
    Box::new(|_, _| ())
}

/// All roots become frames, seen from a ship that flies, so that all is seen otherwise.
pub fn fly(built: &mut LegionWorld) -> EachTick {
    let LegionWorld { world, resources, .. } = built;
    let roots = <(Entity, &Translation)>::query().filter(!component::<Parent>());
    let at = |at: &Translation| Frame::at(Point3::from(at.0.vector.cast()));
    let roots: Vec<_> = { roots }.iter(world).map(|(&root, it)| (root, at(it))).collect();
    for (root, frame) in roots {
        world.entry(root).expect("alive").add_component(frame);
    }
    let ship = world.push_transform((Frame::default(),));
    resources.insert(Origin(ship));
    Box::new(move |built, _| {
        let mut ship = built.world.entry(ship).expect("alive");
        ship.get_component_mut::<Frame>().expect("a frame").position.x += 0.125;
    })
}

/// Roots get a component that is visible, and something changes in each tick.
fn shown(built: &mut LegionWorld, change: fn(&mut LegionWorld)) -> EachTick {
    let roots = <Entity>::query().filter(component::<LocalToWorld>() & !component::<Parent>());
    let roots: Vec<Entity> = { roots }.iter(&built.world).copied().collect();
    for root in roots {
        built.world.entry(root).expect("alive").add_component(Visible(true));
    }
    Box::new(move |built, _| change(built))
}

/// All skeletons are hidden, and shown.
pub fn toggle_all(built: &mut LegionWorld) -> EachTick {
    shown(built, |it| <&mut Visible>::query().for_each_mut(&mut it.world, |it| it.0 = !it.0))
}

/// One skeleton is hidden, and shown.
pub fn toggle_one(built: &mut LegionWorld) -> EachTick {
    shown(built, |built| {
        let mut root = first(built);
        let it = root.get_component_mut::<Visible>().expect("a root has it");
        it.0 = !it.0;
    })
}

/// All bones move.
pub fn move_all(built: &mut LegionWorld) -> EachTick {
    shown(built, |built| {
        <&mut Translation>::query().for_each_mut(&mut built.world, |it| it.0.x += 0.125);
    })
}

/// One skeleton moves.
pub fn move_one(built: &mut LegionWorld) -> EachTick {
    shown(built, |built| {
        first(built).get_component_mut::<Translation>().expect("all have it").0.x += 0.125;
    })
}

/// The root of the first skeleton.
fn first(built: &mut LegionWorld) -> Entry<'_> {
    let root = built.entities()[0];
    built.world.entry(root).expect("alive")
}
