//! Writes and insertions between two looks of the bundle: which rows are new, and which components
//! were written, may be in doubt.
//!
//! Ten bullets come each tick and ten go, while something else is written.

use legion::{
    Entity, IntoQuery, World,
    systems::{ParallelRunnable, SystemBuilder},
};
use legion_transform::prelude::*;

use crate::{
    check::check,
    game::{Bullets, Game, Hp, Kind, Marker, Place, pose, sized, transforms},
    row::{Frame, Row},
};

pub fn rows() -> Vec<Row> {
    type Build = fn(Game) -> Frame;
    let builds: [(&str, Build); 7] = [
        ("doubt/before", before),
        ("doubt/flush_before", flush_before),
        ("doubt/after", after),
        ("doubt/direct", direct),
        ("doubt/push", push),
        ("doubt/reinsert", reinsert),
        ("doubt/markers", markers),
    ];
    let row = |(name, build): (&str, Build)| {
        Place::ALL.map(|place| Row::new(name, place.name(), move || build(place.game())))
    };
    let mut rows: Vec<Row> = builds.into_iter().flat_map(row).collect();
    for (scene, count) in [("1000", 1_000), ("50000", 50_000), ("million", 1_000_000)] {
        rows.push(Row::new("doubt/lists", scene, move || lists(sized(count))));
    }
    rows
}

/// A system of the user's: every `Hp` is written, and bullets come and go by commands.
fn fight(game: &mut Game) -> impl ParallelRunnable + use<> {
    game.spawn_users();
    let mut bullets = Bullets::new(game, Kind::Leaf, 10, 20);
    SystemBuilder::new("fight").with_query(<&mut Hp>::query()).build(
        move |commands, world, _, query| {
            query.for_each_mut(world, |hp| hp.0 += 1.0);
            bullets.command(commands);
        },
    )
}

fn before(mut game: Game) -> Frame {
    let fight = fight(&mut game);
    game.systems(|builder| _ = builder.add_system(fight), |_| ());
    Frame::new(game, |_| ())
}

fn flush_before(mut game: Game) -> Frame {
    let fight = fight(&mut game);
    game.systems(|builder| _ = builder.add_system(fight).flush(), |_| ());
    Frame::new(game, |_| ())
}

fn after(mut game: Game) -> Frame {
    let fight = fight(&mut game);
    game.systems(|_| (), |builder| _ = builder.add_system(fight));
    // The last bullets come after the last tick.
    Frame::new(game, |_| ()).check(|game| {
        transforms().execute(&mut game.world, &mut game.resources);
        check(game);
    })
}

/// A bullet a tick, each for 200 ticks.
fn pushes(game: &mut Game) -> impl FnMut(&mut World) + use<> {
    let mut bullets = Bullets::new(game, Kind::Leaf, 1, 200);
    move |world| bullets.push(world)
}

/// One `Hp` is written and one bullet comes, with no system in between.
fn direct(mut game: Game) -> Frame {
    let (users, mut push) = (game.spawn_users(), pushes(&mut game));
    let mut tick = 0;
    Frame::new(game, move |game| {
        tick += 1;
        game.component::<Hp>(users[tick % users.len()]).0 += 1.0;
        push(&mut game.world);
    })
}

fn push(mut game: Game) -> Frame {
    game.spawn_users();
    let mut push = pushes(&mut game);
    Frame::new(game, move |game| push(&mut game.world))
}

/// Parents of one child each. One `Hp` is written, and a parent comes with its child: all
/// `Children` and all `PreviousParent`s are in doubt.
fn lists(count: usize) -> Frame {
    let mut world = World::default();
    let parent = |number| {
        let (t, r, s) = pose(number);
        (t, r, s, Children::new())
    };
    let parents = world.extend_transforms((0..count).map(parent));
    let child = |number| {
        let (t, r, s) = pose(number);
        (t, r, s, Parent(parents[number]))
    };
    let first = world.extend_transforms((0..count).map(child));
    let mut game = Game::new(world, first, parents);
    let users = game.spawn_users();
    let (mut last, mut tick) = (None, 0);
    Frame::new(game, move |game| {
        tick += 1;
        game.component::<Hp>(users[tick % users.len()]).0 += 1.0;
        last.take().into_iter().flatten().for_each(|gone| _ = game.world.remove(gone));
        let (t, r, s) = pose(tick);
        let root = game.world.push_transform((t, r, s, Children::new()));
        last = Some([game.world.push_transform((t, r, s, Parent(root))), root]);
    })
}

/// A component is inserted where there is one, which Legion does in place.
fn reinsert(mut game: Game) -> Frame {
    let mut push = pushes(&mut game);
    let mut tick = 0;
    Frame::new(game, move |game| {
        tick += 1;
        let entity = game.entities[tick * 997 % game.entities.len()];
        game.world.entry(entity).expect("alive").add_component(pose(tick).0);
        push(&mut game.world);
    })
}

/// 100 entities get a component, another one is written, and the 100 lose the component again.
fn markers(game: Game) -> Frame {
    let mut tick = 0;
    Frame::new(game, move |game| {
        tick += 1;
        let count = game.entities.len();
        let other = |k: usize| (tick * 997 + k * 101) % count;
        let marked: Vec<Entity> = (0..100).map(|k| game.entities[other(k)]).collect();
        for &entity in &marked {
            game.world.entry(entity).expect("alive").add_component(Marker);
        }
        game.move_one(game.entities[other(100)], tick);
        for &entity in &marked {
            game.world.entry(entity).expect("alive").remove_component::<Marker>();
        }
    })
}
