//! Components that make local matrices: inverses of a parent's scale, pivots, world inverses, and
//! entities that move while others come.

use legion::{
    Entity, EntityStore, IntoQuery, Query, Write, storage::Component, systems::SystemBuilder,
};
use legion_transform::{
    components::{CompositeRotation, CompositeScale, RotationPivot, ScalePivot},
    prelude::*,
};

use crate::{
    game::{Bullets, Game, Kind, Place, pose},
    row::{Frame, Row},
    workloads::Random,
};

pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (group, with_inverse) in [("scale_inverse", true), ("plain", false)] {
        let mut row = |name: &str, build: fn(Game) -> Frame| {
            let game =
                move || if with_inverse { with_scale_inverse() } else { Place::Families.game() };
            rows.push(Row::new(&format!("{group}/{name}"), "families", move || build(game())));
        };
        row("one", one);
        row("bullets", marked_bullets);
        row("all", all);
    }
    let mut row = |name, scene, build: fn() -> Frame| rows.push(Row::new(name, scene, build));
    row("inverse/root", "families", inverse_root);
    row("inverse/bullets", "families", inverse_bullets);
    row("pivots/scale", "flat", || pivots(pivot(), CompositeScale::identity()));
    row("pivots/rotation", "flat", || pivots(rotation_pivot(), CompositeRotation::identity()));
    row("move", "flat", || movers_and_bullets(true, false));
    row("spawn", "flat", || movers_and_bullets(false, true));
    row("move_and_spawn/direct", "flat", || movers_and_bullets(true, true));
    row("move_and_spawn/commands", "flat", movers_and_commands);
    rows
}

/// The scene, each of whose children gets a component more.
fn with<T: Component>(component: fn() -> T) -> Game {
    let mut game = Place::Families.game();
    for &entity in &game.entities[game.parents.len()..] {
        game.world.entry(entity).expect("alive").add_component(component());
    }
    game
}

fn with_scale_inverse() -> Game {
    with(ParentScaleInverse::identity)
}

/// One child moves.
fn one(game: Game) -> Frame {
    let mut tick = 0;
    Frame::new(game, move |game| {
        tick += 1;
        let children = &game.entities[game.parents.len()..];
        game.move_one(children[tick * 997 % children.len()], tick);
    })
}

/// Bullets in an archetype of their own.
fn marked_bullets(mut game: Game) -> Frame {
    let mut bullets = Bullets::new(&mut game, Kind::Marked, 10, 20);
    Frame::new(game, move |game| bullets.tick(&mut game.world))
}

/// All move, roots and children.
fn all(game: Game) -> Frame {
    let mut query = <(&mut Translation, &mut Rotation, &mut Scale)>::query();
    let poses: Vec<_> = (0..628).map(pose).collect();
    let mut tick = 0;
    Frame::new(game, move |game| {
        tick += 1;
        let mut poses = poses.iter().cycle().skip(tick);
        query.for_each_mut(&mut game.world, |(translation, rotation, scale)| {
            (*translation, *rotation, *scale) = *poses.next().expect("endless");
        });
    })
}

/// One root moves, above 100 children with `WorldToLocal`.
fn inverse_root() -> Frame {
    let mut tick = 0;
    Frame::new(with(WorldToLocal::identity), move |game| {
        tick += 1;
        game.move_one(game.parents[tick % game.parents.len()], tick);
    })
}

fn inverse_bullets() -> Frame {
    let mut game = with(WorldToLocal::identity);
    let mut bullets = Bullets::new(&mut game, Kind::Inverse, 1, 20);
    Frame::new(game, move |game| bullets.tick(&mut game.world))
}

fn pivot() -> ScalePivot {
    ScalePivot::new(0.5, 0.25, -0.25)
}

fn rotation_pivot() -> RotationPivot {
    RotationPivot::new(0.25, -0.5, 0.125)
}

/// One entity moves, where all have a pivot.
fn pivots<P: Component + Copy, C: Component + Copy>(pivot: P, composite: C) -> Frame {
    let mut game = Place::Flat.game();
    for &entity in &game.entities {
        let mut entry = game.world.entry(entity).expect("alive");
        entry.add_component(pivot);
        entry.add_component(composite);
    }
    let mut tick = 0;
    Frame::new(game, move |game| {
        tick += 1;
        let entity = game.entities[tick * 997 % game.entities.len()];
        let (translation, rotation, scale) = pose(tick);
        *game.component(entity) = translation;
        *game.component(entity) = rotation;
        *game.component(entity) = scale;
    })
}

type Poses = (Write<Translation>, Write<Rotation>, Write<Scale>);

/// One entity in a hundred moves, others each tick.
struct Movers {
    entities: Vec<Entity>,
    random: Random,
    tick: usize,
}

impl Movers {
    fn new(game: &Game) -> Self {
        Self { entities: game.entities.clone(), random: Random::new(9), tick: 0 }
    }

    fn write(&mut self, query: &mut Query<Poses>, world: &mut impl EntityStore) {
        self.tick += 1;
        for number in 0..self.entities.len() / 100 {
            let entity = self.entities[self.random.below(self.entities.len())];
            let (translation, rotation, scale) = query.get_mut(world, entity).expect("alive");
            (*translation, *rotation, *scale) = pose(self.tick + number);
        }
    }
}

fn movers_and_bullets(moves: bool, spawns: bool) -> Frame {
    let mut game = Place::Flat.game();
    let (mut movers, mut query) = (Movers::new(&game), Poses::query());
    let mut bullets = Bullets::new(&mut game, Kind::Leaf, 10, 20);
    Frame::new(game, move |game| {
        if moves {
            movers.write(&mut query, &mut game.world);
        }
        if spawns {
            bullets.tick(&mut game.world);
        }
    })
}

fn movers_and_commands() -> Frame {
    let mut game = Place::Flat.game();
    let mut movers = Movers::new(&game);
    let mut bullets = Bullets::new(&mut game, Kind::Leaf, 10, 20);
    let system = SystemBuilder::new("move").with_query(Poses::query()).build(
        move |commands, world, _, query| {
            movers.write(query, world);
            bullets.command(commands);
        },
    );
    game.systems(|builder| _ = builder.add_system(system), |_| ());
    Frame::new(game, |_| ())
}
