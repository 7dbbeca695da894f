//! What a run costs where little or nothing has changed: two schedules, many worlds, queries that
//! only seem to write, cycles, and values that are not finite.

use legion::{IntoQuery, World, storage::Component};
use legion_transform::prelude::*;

use crate::{
    check::{check, check_matrices},
    game::{Bullets, Game, Kind, Place, pose, sized, transforms},
    row::{Frame, Row},
};

pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for place in Place::ALL {
        let mut row = |name, build: fn(Game) -> Frame| {
            rows.push(Row::new(name, place.name(), move || build(place.game())));
        };
        row("schedules/one", one_schedule);
        row("schedules/two", two_schedules);
    }
    let mut row = |name, scene, build: fn() -> Frame| rows.push(Row::new(name, scene, build));
    row("yield/local_to_parent", "families", yields::<LocalToParent>);
    row("yield/local_to_world", "families", yields::<LocalToWorld>);
    row("yield/children", "families", yields::<Children>);
    row("yield/parent", "families", yields::<Parent>);
    row("cycle/standing", "cycle", || Frame::new(cycle(), |_| ()).check(check_cycle));
    row("cycle/one_moves", "cycle", cycle_and_mover);
    row("worlds/200", "worlds", || worlds(200));
    row("worlds/1000", "worlds", || worlds(1_000));
    row("spawn/ten_million", "flat", ten_million);
    row("nan", "flat", || nan(false));
    row("nan/check", "flat", || nan(true));
    rows
}

/// Some entity of the game moves, another one each time.
fn mover() -> impl FnMut(&mut Game) {
    let mut tick = 0;
    move |game| {
        tick += 1;
        game.move_one(game.entities[tick * 997 % game.entities.len()], tick);
    }
}

fn one_schedule(game: Game) -> Frame {
    Frame::new(game, mover())
}

/// The run of the second schedule is timed.
fn two_schedules(game: Game) -> Frame {
    let (mut first, mut move_one) = (transforms(), mover());
    Frame::new(game, move |game| {
        move_one(game);
        first.execute(&mut game.world, &mut game.resources);
        move_one(game);
    })
}

/// Each archetype's column counts as written, while no value changes.
fn yields<T: Component>() -> Frame {
    let mut query = <&mut T>::query();
    Frame::new(Place::Families.game(), move |game| query.for_each_mut(&mut game.world, |_| ()))
}

/// Entities on one cycle, and a root.
fn cycle() -> Game {
    let mut world = World::default();
    let root = world.push_transform(pose(0));
    let row = |number: usize| {
        let (t, r, s) = pose(number);
        (t, r, s, Parent(root), Children::new())
    };
    let entities = world.extend_transforms((0..sized(100_000)).map(row));
    let next = entities.iter().cycle().skip(1);
    <&mut Parent>::query().iter_mut(&mut world).zip(next).for_each(|(parent, next)| {
        parent.0 = *next;
    });
    Game::new(world, entities, vec![root])
}

fn cycle_and_mover() -> Frame {
    let mut tick = 0;
    let edit = move |game: &mut Game| {
        tick += 1;
        game.move_one(game.parents[0], tick);
    };
    Frame::new(cycle(), edit).check(check_cycle)
}

fn check_cycle(game: &mut Game) {
    check_matrices(&game.world, false);
    let findings = game.resources.get::<Findings>().expect("there is one");
    assert_eq!(findings.of(&game.world).count(), game.entities.len());
}

/// Small worlds that share their resources; times are those of one.
fn worlds(count: usize) -> Frame {
    let small = || {
        let mut world = World::default();
        let root = world.push_transform(pose(0));
        world.extend_children(root, (1..10).map(pose));
        world
    };
    let mut game = Game::new(small(), Vec::new(), Vec::new());
    game.others.extend((1..sized(count)).map(|_| small()));
    let tick = |game: &mut Game| {
        let Game { world, others, resources, schedule, .. } = game;
        std::iter::once(world).chain(others).for_each(|world| schedule.execute(world, resources));
    };
    Frame::new(game, |_| ()).tick(tick).runs(sized(count))
}

fn ten_million() -> Frame {
    let mut world = World::default();
    world.extend_transforms((0..sized(10_000_000)).map(pose));
    let mut game = Game::new(world, Vec::new(), Vec::new());
    let mut bullets = Bullets::new(&mut game, Kind::Leaf, 1, 20);
    Frame::new(game, move |game| bullets.tick(&mut game.world))
}

/// One translation is a NaN every other tick. The findings are read, or the whole world checked.
fn nan(checks: bool) -> Frame {
    let mut tick = 0;
    let edit = move |game: &mut Game| {
        tick += 1;
        let entity = game.entities[1_234];
        game.move_one(entity, tick);
        if tick % 2 == 1 {
            game.component::<Translation>(entity).0.x = f32::NAN;
        }
    };
    let tick = move |game: &mut Game| {
        game.run();
        let found = if checks {
            Findings::check(&game.world).len()
        } else {
            let findings = game.resources.get::<Findings>().expect("there is one");
            findings.of(&game.world).count()
        };
        std::hint::black_box(found);
    };
    Frame::new(Place::Flat.game(), edit).tick(tick).check(check_nan)
}

/// The last translation was finite. Another NaN is found, too.
fn check_nan(game: &mut Game) {
    check(game);
    let entity = game.entities[1_234];
    game.component::<Translation>(entity).0.x = f32::NAN;
    game.run();
    let found: Vec<_> = Findings::check(&game.world).iter().map(|found| found.entity).collect();
    assert_eq!(found, [entity]);
}
