//! What the worlds are made of, and what changes it.

use harness::Rng;
use legion::{Entity, IntoQuery, World, query::Query, world::Duplicate};
use legion_transform::{components::PreviousParent, ecosystem::merge::register_clones, prelude::*};
use nalgebra::{Quaternion, UnitQuaternion};

/// Spawns entities of which each is a root or has one of those before it for a parent, by number.
pub fn spawn(world: &mut World, parents: &[Option<usize>], rng: &mut Rng) -> Vec<Entity> {
    // No entity stands for each parent, until all are there.
    let nobody = World::default().push(());
    let links: Vec<_> = parents.iter().map(|parent| parent.map(|_| nobody)).collect();
    let all = extend(world, &links, rng);
    let above = parents.iter().flatten().map(|parent| all[*parent]);
    <&mut Parent>::query().iter_mut(world).zip(above).for_each(|(it, parent)| it.0 = parent);
    all
}

/// Spawns entities below these parents; all roots at once, and all children.
pub fn extend(world: &mut World, parents: &[Option<Entity>], rng: &mut Rng) -> Vec<Entity> {
    let it = LocalToWorld::identity();
    let roots = parents.iter().filter(|parent| parent.is_none());
    let roots: Vec<_> = roots.map(|_| (it, place(rng), turn(rng), size(rng))).collect();
    let children = parents.iter().flatten().map(|parent| {
        let (local, parent) = (LocalToParent::identity(), Parent(*parent));
        (it, local, parent, PreviousParent::default(), place(rng), turn(rng), size(rng))
    });
    let children: Vec<_> = children.collect();
    let mut roots = world.extend(roots).to_vec().into_iter();
    let mut children = world.extend(children).to_vec().into_iter();
    let each = parents.iter().map(|it| if it.is_some() { children.next() } else { roots.next() });
    each.map(|entity| entity.expect("it was spawned")).collect()
}

/// Gives new values to one entity in `every`, and writes those of all others as they are.
pub fn shift(world: &mut World, rng: &mut Rng, every: usize) {
    let mut query: Query<(&mut Translation, Option<&mut Rotation>)> = Query::new();
    query.for_each_mut(world, |(translation, rotation)| {
        let moves = rng.one_in(every);
        *translation = if moves { place(rng) } else { rewritten(translation) };
        if let Some(rotation) = rotation {
            *rotation = if moves { turn(rng) } else { rewritten(rotation) };
        }
    });
}

/// A value as it was, for a write that is one.
pub fn rewritten<T: Copy>(component: &T) -> T {
    std::hint::black_box(*component)
}

pub fn place(rng: &mut Rng) -> Translation {
    let mut number = || rng.below(2000) as f32 / 100.0 - 10.0;
    Translation::new(number(), number(), number())
}

pub fn turn(rng: &mut Rng) -> Rotation {
    let [x, y, z] = [0, 1, 2].map(|_| rng.float(-1.0, 1.0));
    Rotation(UnitQuaternion::new_normalize(Quaternion::new(0.5, x, y, z)))
}

pub fn size(rng: &mut Rng) -> Scale {
    Scale(0.5 + rng.below(16) as f32 / 16.0)
}

pub fn merger() -> Duplicate {
    let mut merger = Duplicate::default();
    register_clones(&mut merger);
    merger
}

/// All that a run derives is as if there had been none.
pub fn forget(world: &mut World) {
    <&mut LocalToWorld>::query().for_each_mut(world, |it| *it = LocalToWorld::identity());
    <&mut LocalToParent>::query().for_each_mut(world, |it| *it = LocalToParent::identity());
    <&mut PreviousParent>::query().for_each_mut(world, |it| *it = PreviousParent::default());
    <&mut Children>::query().for_each_mut(world, |it| *it = Children::new());
}
