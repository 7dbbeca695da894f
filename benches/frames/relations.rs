//! Entities that get other parents, and large worlds in which few come and go.

use std::collections::VecDeque;

use legion::{Entity, EntityStore, IntoQuery, Schedule, World};
use legion_transform::prelude::*;

use crate::{
    game::{Bullets, Game, Kind, Marker, Place, pose, sized},
    row::{Frame, Row},
    workloads::{Random, Shape},
};

pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut row = |name, scene, build: fn() -> Frame| rows.push(Row::new(name, scene, build));
    row("board", "vehicles", board);
    row("unboard", "vehicles", unboard);
    row("reparent/ten", "million", || reparent(|_| 10));
    row("reparent/percent", "million", || reparent(|children| children / 100));
    row("bullets", "families", bullets);
    row("groups", "inserted", groups);
    row("one_parent/write_first", "1000_both", || one_parent(sized(1_000), 99, true));
    row("one_parent/marker_first", "1000_both", || one_parent(sized(1_000), 99, false));
    row("one_parent/write_first", "half_both", || one_parent(sized(50_000), 1, true));
    row("one_parent/marker_first", "half_both", || one_parent(sized(50_000), 1, false));
    rows
}

/// Skeletons below vehicles: the game, the vehicles and the hips.
fn vehicles() -> (Game, Vec<Entity>, Vec<Entity>) {
    let game = Game::of(Shape::Vehicles, 268_400);
    let is_root = |entity: &Entity| {
        let entry = game.world.entry_ref(*entity).expect("alive");
        !entry.archetype().layout().has_component::<Parent>()
    };
    let vehicles: Vec<Entity> = game.entities.iter().copied().take_while(is_root).collect();
    let hips = game.entities[vehicles.len()..].iter().step_by(67).copied().collect();
    (game, vehicles, hips)
}

/// 40 skeletons get another vehicle.
fn board() -> Frame {
    let (game, vehicles, hips) = vehicles();
    let mut random = Random::new(1);
    Frame::new(game, move |game| {
        for _ in 0..40 {
            let hips = hips[random.below(hips.len())];
            game.component::<Parent>(hips).0 = vehicles[random.below(vehicles.len())];
        }
    })
}

/// 20 skeletons leave their vehicles, and the 20 that left before board others.
fn unboard() -> Frame {
    let (game, vehicles, hips) = vehicles();
    let mut random = Random::new(1);
    let mut afoot: Vec<Entity> = Vec::new();
    let mut tick = 0;
    Frame::new(game, move |game| {
        for hips in afoot.drain(..) {
            let mut entry = game.world.entry(hips).expect("alive");
            entry.add_component(Parent(vehicles[random.below(vehicles.len())]));
            entry.add_component(LocalToParent::identity());
        }
        afoot.extend((0..20).map(|k| hips[(tick * 20 + k) % hips.len()]));
        for &hips in &afoot {
            let mut entry = game.world.entry(hips).expect("alive");
            entry.remove_component::<Parent>();
            entry.remove_component::<LocalToParent>();
        }
        tick += 1;
    })
}

/// Some children get other roots, picked at random.
fn reparent(count: fn(usize) -> usize) -> Frame {
    let game = Game::of(Shape::Families(99), 1_000_000);
    let children: Vec<Entity> = game.entities[game.parents.len()..].to_vec();
    let (mut query, mut random) = (<&mut Parent>::query(), Random::new(1));
    Frame::new(game, move |game| {
        for _ in 0..count(children.len()) {
            let child = children[random.below(children.len())];
            let parent = query.get_mut(&mut game.world, child).expect("alive");
            parent.0 = game.parents[random.below(game.parents.len())];
        }
    })
}

/// 100 groups with ten children each come, and as many go: a group has nothing of the crate's.
fn groups() -> Frame {
    let mut world = World::default();
    let entity = world.push_transform((pose(0).0,));
    let mut game = Game::new(world, vec![entity], Vec::new());
    let bundle = TransformSystemBundle::default().insert_missing();
    game.schedule = Schedule::builder().add_transforms(bundle).build();
    let mut lives: VecDeque<Entity> = VecDeque::new();
    Frame::new(game, move |game| {
        for number in 0..100 {
            let group = game.world.push((Marker,));
            let child = |i: usize| {
                let (t, r, s) = pose(number + i);
                (Parent(group), t, r, s)
            };
            lives.push_back(group);
            lives.extend(game.world.extend((0..10).map(child)));
        }
        while lives.len() > 20 * 1_100 {
            game.world.remove(lives.pop_front().expect("there are some"));
        }
    })
}

/// Ten bullets come and ten go.
fn bullets() -> Frame {
    let mut game = Place::Families.game();
    let mut bullets = Bullets::new(&mut game, Kind::Leaf, 10, 20);
    Frame::new(game, move |game| bullets.tick(&mut game.world))
}

/// Roots, entities with parent and children, and leaves: in the archetype of those in the middle
/// one gets another parent, another one a marker, and the one that got it before loses it.
fn one_parent(middle: usize, leaves: usize, writes_first: bool) -> Frame {
    const SIBLINGS: usize = 100;
    let mut world = World::default();
    let with_children = |number: usize| {
        let (t, r, s) = pose(number);
        (t, r, s, Children::new())
    };
    let roots = world.extend_transforms((0..middle / SIBLINGS).map(with_children));
    let mut entities = Vec::new();
    for &root in &roots {
        entities.extend(world.extend_children(root, (0..SIBLINGS).map(with_children)));
    }
    for &entity in &entities {
        world.extend_children(entity, (0..leaves).map(pose));
    }
    let (mut random, mut marked, mut tick) = (Random::new(1), None, 0);
    Frame::new(Game::new(world, entities, roots), move |game| {
        tick += 1;
        let (count, new_root) = (game.entities.len(), random.below(game.parents.len()));
        let write = |game: &mut Game| {
            let entity = game.entities[tick * 997 % count];
            game.component::<Parent>(entity).0 = game.parents[new_root];
        };
        let mut mark = |game: &mut Game| {
            let next = game.entities[(tick * 997 + 1) % count];
            if let Some(marked) = marked.replace(next) {
                game.world.entry(marked).expect("alive").remove_component::<Marker>();
            }
            game.world.entry(next).expect("alive").add_component(Marker);
        };
        if writes_first {
            write(game);
            mark(game);
        } else {
            mark(game);
            write(game);
        }
    })
}
