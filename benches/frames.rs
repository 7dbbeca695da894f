//! What games do in a frame besides moving, spawning and despawning: one row for each way in which
//! little changes and much might have changed.
//!
//! A row has the scene of a workload, at rest, and what happens in each tick.

use std::collections::VecDeque;

use legion::{Entity, IntoQuery, Schedule, storage::Component, world::Entry};
use legion_transform::{TransformSystemBundle as Bundle, prelude::*};

use crate::{
    harness::{Bench, EachTick, Side, Subject, nodes},
    workloads::{BONES, Change, LegionWorld, Random, Workload, bundle},
};

/// The name, the workload with the scene, and what its world has besides.
type Row = (&'static str, &'static str, fn(&mut LegionWorld) -> EachTick);

/// Workloads with 100,000 roots; 1,000 roots with 100 children each; 4,000 skeletons of 67 bones;
/// and these below 400 vehicles.
const FLAT: &str = "flat_bullets";
const FAMILIES: &str = "bullets";
const HUM: &str = "hum_static";
const VEHICLES: &str = "board";

/// How many children a root of the families has.
const CHILDREN: usize = 100;

const ROWS: [Row; 15] = [
    ("reinsert", FLAT, |_| Box::new(reinsert)),
    ("markers", HUM, |_| Box::new(markers)),
    ("pair", FAMILIES, pair),
    ("two_schedules", HUM, two_schedules),
    ("yield/local_to_parent", FAMILIES, yields::<LocalToParent>),
    ("yield/local_to_world", FAMILIES, yields::<LocalToWorld>),
    ("yield/children", FAMILIES, yields::<Children>),
    ("yield/parent", FAMILIES, yields::<Parent>),
    ("cycle", FAMILIES, cycle),
    ("nan", FLAT, |_| Box::new(nan)),
    ("scale_inverse/all", FAMILIES, |it| {
        add_to_children(it, ParentScaleInverse::identity());
        Box::new(change_all)
    }),
    ("scale_inverse/one", FAMILIES, |it| {
        add_to_children(it, ParentScaleInverse::identity());
        Box::new(|it, tick| shift(it, last(it, tick)))
    }),
    ("inverse/root", FAMILIES, |it| {
        add_to_children(it, WorldToLocal::identity());
        Box::new(|it, tick| shift(it, tick % roots(it)))
    }),
    ("unboard", VEHICLES, unboard),
    ("one_parent", FAMILIES, |_| Box::new(one_parent)),
];

/// Measures all of them.
pub fn frames(bench: &Bench) {
    let at_rest = |scene| Workload {
        change: Change::Nothing,
        ..*Workload::named(scene).expect("in the catalogue")
    };
    for (name, scene, begin) in ROWS {
        let workload = at_rest(scene);
        let id = format!("frames/{name}/{}", nodes(&workload));
        bench.ticks(&id, || Subject::new(&workload, nodes(&workload), Side::with(&bundle, begin)));
    }
    let workload = at_rest(FLAT);
    let side = Side::with(&|| Bundle::default().insert_missing(), groups);
    bench.ticks("frames/groups", || Subject::new(&workload, 1_100, side));
}

fn roots(it: &LegionWorld) -> usize {
    it.entities().len() / (CHILDREN + 1)
}

/// A child, another one each tick; the roots are the first nodes.
fn last(it: &LegionWorld, tick: usize) -> usize {
    it.entities().len() - 1 - tick * 997 % (it.entities().len() - roots(it))
}

fn entry(it: &mut LegionWorld, node: usize) -> Entry<'_> {
    let entity = it.entities()[node];
    it.world.entry(entity).expect("alive")
}

/// Moves a node.
fn shift(it: &mut LegionWorld, node: usize) {
    entry(it, node).get_component_mut::<Translation>().expect("all have it").0.x += 0.125;
}

fn add_to_children(it: &mut LegionWorld, component: impl Component + Copy) {
    (roots(it)..it.entities().len()).for_each(|node| entry(it, node).add_component(component));
}

/// A component is inserted where there is one, which Legion does in place, and an entity comes.
fn reinsert(it: &mut LegionWorld, tick: usize) {
    let at = Translation::new(tick as f32, 0.0, 0.0);
    entry(it, tick * 997 % it.entities().len()).add_component(at);
    it.world.push((LocalToWorld::identity(), at, Rotation::identity(), Scale(1.0)));
}

/// Marks entities that the program has in an archetype of their own.
#[derive(Clone, Copy)]
struct Marker;

/// 100 entities get a component, another one moves, and the 100 lose the component again.
fn markers(it: &mut LegionWorld, tick: usize) {
    let other = |k: usize| (tick * 997 + k * 101) % it.entities().len();
    let marked: Vec<usize> = (0..=100).map(other).collect();
    marked[1..].iter().for_each(|&node| entry(it, node).add_component(Marker));
    shift(it, marked[0]);
    marked[1..].iter().for_each(|&node| entry(it, node).remove_component::<Marker>());
}

/// A user's component of entities that have no transform.
struct Hp(f32);

/// One `Hp` is written, and a parent comes with its child: all `Children` and `PreviousParent`s are
/// in doubt.
fn pair(it: &mut LegionWorld) -> EachTick {
    let users = it.world.extend((0..1_000).map(|i| (Hp(i as f32),))).to_vec();
    let mut last: Option<Entity> = None;
    Box::new(move |it, tick| {
        let mut user = it.world.entry(users[tick % users.len()]).expect("alive");
        user.get_component_mut::<Hp>().expect("has it").0 += 1.0;
        it.world.despawn_subtrees(last);
        let parts = (Translation::identity(), Rotation::identity(), Scale(1.0));
        let root = it.world.push_transform(parts);
        it.world.push_child(root, parts);
        last = Some(root);
    })
}

/// Another schedule runs, after one entity has moved and before another one does.
fn two_schedules(_: &mut LegionWorld) -> EachTick {
    let mut first = Schedule::builder().add_transforms(bundle()).build();
    Box::new(move |it, tick| {
        let other = |tick: usize| tick * 997 % it.entities().len();
        let nodes = [other(tick * 2), other(tick * 2 + 1)];
        shift(it, nodes[0]);
        first.execute(&mut it.world, &mut it.resources);
        shift(it, nodes[1]);
    })
}

/// Each archetype's column counts as written, while no value changes.
fn yields<T: Component>(_: &mut LegionWorld) -> EachTick {
    let mut query = <&mut T>::query();
    Box::new(move |it, _| query.for_each_mut(&mut it.world, |_| ()))
}

/// All children are on one cycle. A root moves.
fn cycle(it: &mut LegionWorld) -> EachTick {
    let next: Vec<Entity> = it.entities()[roots(it)..].to_vec();
    let next = next.iter().cycle().skip(1);
    <&mut Parent>::query().iter_mut(&mut it.world).zip(next).for_each(|(parent, next)| {
        parent.0 = *next;
    });
    Box::new(|it, tick| shift(it, tick % roots(it)))
}

/// One translation is a NaN every other tick.
fn nan(it: &mut LegionWorld, tick: usize) {
    let x = if tick % 2 == 1 { f32::NAN } else { tick as f32 };
    entry(it, 1_234).get_component_mut::<Translation>().expect("all have it").0.x = x;
}

/// All move, turn and get another scale, roots and children.
fn change_all(it: &mut LegionWorld, tick: usize) {
    let mut number = tick;
    <(&mut Translation, &mut Rotation, &mut Scale)>::query().for_each_mut(
        &mut it.world,
        |(translation, rotation, scale)| {
            number += 1;
            let turn = (number % 628) as f32 * 0.01;
            translation.0.x = turn;
            *rotation = Rotation::from_euler_angles(turn, 0.0, 0.5);
            scale.0 = 1.1 - turn * 0.03;
        },
    );
}

/// 20 skeletons leave their vehicles, and the 20 that left before board others.
fn unboard(it: &mut LegionWorld) -> EachTick {
    let vehicles = it.entities().len() / (10 * BONES + 1);
    let skeletons = vehicles * 10;
    let (mut random, mut afoot) = (Random::new(1), Vec::new());
    Box::new(move |it, tick| {
        for hips in afoot.drain(..) {
            let vehicle = it.entities()[random.below(vehicles)];
            let mut hips = entry(it, hips);
            hips.add_component(Parent(vehicle));
            hips.add_component(LocalToParent::identity());
        }
        let hips = |k: usize| vehicles + (tick * 20 + k) % skeletons * BONES;
        afoot.extend((0..20).map(hips));
        for &hips in &afoot {
            let mut hips = entry(it, hips);
            hips.remove_component::<Parent>();
            hips.remove_component::<LocalToParent>();
        }
    })
}

/// One child gets another parent, another one a marker, and the one that got it before loses it.
fn one_parent(it: &mut LegionWorld, tick: usize) {
    let parent = Parent(it.entities()[tick * 31 % roots(it)]);
    *entry(it, last(it, tick)).get_component_mut::<Parent>().expect("a child") = parent;
    entry(it, last(it, tick * 2 + 1)).remove_component::<Marker>();
    entry(it, last(it, tick * 2 + 3)).add_component(Marker);
}

/// 100 groups with ten children each come, and as many go: a group has nothing of the crate's.
fn groups(_: &mut LegionWorld) -> EachTick {
    let mut lives: VecDeque<Entity> = VecDeque::new();
    Box::new(move |it, _| {
        for _ in 0..100 {
            let group = it.world.push((Marker,));
            let child = |x| (Parent(group), Translation::new(x as f32, 0.0, 0.0));
            lives.push_back(group);
            lives.extend(it.world.extend((0..10).map(child)));
        }
        while lives.len() > 20 * 1_100 {
            it.world.remove(lives.pop_front().expect("there are some"));
        }
    })
}
