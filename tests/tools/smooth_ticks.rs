//! Between two ticks every entity is where the formula says, and where it is known exactly, it is
//! exact.

mod random;

use std::{
    collections::HashMap,
    f32::consts::{FRAC_PI_2, PI},
};

use harness::{TestWorld, motion::mismatch};
use legion::{Entity, IntoQuery};
use legion_transform::{prelude::*, smooth::Smooth};
use nalgebra::Matrix4;

use super::random_worlds::same_bits;

/// A world with a simulation, followed by a `Smooth`, and by plain copies of the last two ticks.
pub struct Ticks {
    pub test: TestWorld,
    pub smooth: Smooth,
    before: HashMap<Entity, Matrix4<f32>>,
    now: HashMap<Entity, Matrix4<f32>>,
    jumped: Vec<Entity>,
    /// What was drawn in the last frame, or where the entity was first if it came later.
    drawn: HashMap<Entity, Matrix4<f32>>,
}

impl Ticks {
    pub fn new() -> Self {
        Self {
            test: TestWorld::new(TransformSystemBundle::default().track_changes()),
            smooth: Smooth::default().with_last_frames(),
            before: HashMap::new(),
            now: HashMap::new(),
            jumped: Vec::new(),
            drawn: HashMap::new(),
        }
    }

    pub fn tick(&mut self) {
        self.test.run();
        let TestWorld { world, resources, .. } = &self.test;
        let walk = Walk::fresh(world).unwrap();
        let jumped = std::mem::take(&mut self.jumped);
        let below = jumped.iter().flat_map(|&entity| walk.descendants(entity).chain([entity]));
        let still: Vec<Entity> = below.collect();
        self.smooth.tick(world, &resources.get::<TransformChanges>().unwrap()).unwrap();
        self.before = std::mem::take(&mut self.now);
        let all = <(Entity, &LocalToWorld)>::query();
        self.now = { all }.iter(world).map(|(entity, matrix)| (*entity, matrix.0)).collect();
        for (&entity, &matrix) in &self.now {
            self.drawn.entry(entity).or_insert(matrix);
        }
        for entity in still {
            if let Some(&now) = self.now.get(&entity) {
                self.before.insert(entity, now);
                self.drawn.insert(entity, now);
            }
        }
    }

    /// Draws a frame: everything is where it should be, and was where it was drawn before.
    fn draw(&mut self, alpha: f32) {
        let mut drawn = HashMap::new();
        for (&entity, now) in &self.now {
            let before = self.before.get(&entity).unwrap_or(now);
            let seen = self.smooth.matrix(&self.test.world, entity, alpha).unwrap();
            assert_eq!(mismatch(before, now, alpha, &seen.0), None, "{entity:?}");
            let size = 1.0 + now.amax() + before.amax();
            let last = self.smooth.last_frame(&self.test.world, entity).unwrap();
            let wanted = &self.drawn[&entity];
            assert!((last.0 - wanted).amax() <= 1e-6 * size, "{entity:?}: {} {wanted}", last.0);
            drawn.insert(entity, seen.0);
        }
        self.check_columns(&drawn, alpha);
        self.smooth.end_frame(alpha);
        self.drawn = drawn;
    }

    /// Columns, and what is listed to be updated, have the same matrices.
    fn check_columns(&self, drawn: &HashMap<Entity, Matrix4<f32>>, alpha: f32) {
        let mut column = Vec::new();
        let mut chunks = <&LocalToWorld>::query();
        for chunk in chunks.iter_chunks(&self.test.world) {
            let index = chunk.archetype().index();
            self.smooth.column(index, alpha, &mut column);
            assert_eq!(self.smooth.entities(index), chunk.archetype().entities());
            assert_eq!(column.len(), chunk.archetype().entities().len());
            for (entity, matrix) in chunk.archetype().entities().iter().zip(&column) {
                assert!(same_bits(matrix, &drawn[entity]));
            }
        }
        let moving: HashMap<Entity, LocalToWorld> = self.smooth.updates(alpha).collect();
        for (entity, matrix) in &moving {
            assert!(same_bits(matrix, &drawn[entity]));
        }
        for (entity, now) in &self.now {
            let moved = self.before.get(entity).is_some_and(|before| !same_bits(before, now));
            assert!(moving.contains_key(entity) || !moved, "{entity:?}");
        }
    }
}

pub fn x(ticks: &Ticks, entity: Entity, alpha: f32) -> f32 {
    ticks.smooth.matrix(&ticks.test.world, entity, alpha).unwrap().position().x
}

#[test]
fn what_moves_is_in_between_and_the_rest_is_exact() {
    let mut it = Ticks::new();
    let (a, rests) = (it.test.at(1.0), it.test.at(9.0));
    let child = it.test.below(a, 1.0);
    it.tick();
    assert_eq!([x(&it, a, 0.3), x(&it, child, 0.3)], [1.0, 2.0], "just spawned");
    it.test.set(a, Translation::new(3.0, 0.0, 0.0));
    it.tick();
    assert_eq!([0.0, 0.5, 1.0, 7.0, -1.0].map(|t| x(&it, a, t)), [1.0, 2.0, 3.0, 3.0, 1.0]);
    assert_eq!([x(&it, child, 0.5), x(&it, rests, 0.5)], [3.0, 9.0]);
    // A spawned one next to it, another archetype, and a row that another entity takes.
    it.test.put(a, "a component of mine");
    it.test.set(a, Translation::new(5.0, 0.0, 0.0));
    let new = it.test.at(50.0);
    it.test.despawn(rests);
    it.tick();
    assert_eq!([x(&it, a, 0.5), x(&it, child, 0.5), x(&it, new, 0.5)], [4.0, 5.0, 50.0]);
    assert_eq!(it.smooth.matrix(&it.test.world, rests, 0.5), None);
    it.tick();
    assert_eq!(x(&it, a, 0.5), 5.0, "it rests");
    // The whole family jumps, once.
    it.smooth.teleport(a);
    it.test.set(a, Translation::new(500.0, 0.0, 0.0));
    it.tick();
    assert_eq!([x(&it, a, 0.5), x(&it, child, 0.5)], [500.0, 501.0]);
    it.test.set(a, Translation::new(502.0, 0.0, 0.0));
    it.tick();
    assert_eq!([x(&it, a, 0.5), x(&it, child, 0.5)], [501.0, 502.0]);
    // Another parent in place.
    Edits::default().set_parent(&mut it.test.world, child, new).unwrap();
    it.tick();
    assert_eq!([0.0, 0.5, 1.0].map(|t| x(&it, child, t)), [503.0; 3]);
    // Rows move after the tick: the entity is found all the same.
    it.test.set(a, Translation::new(504.0, 0.0, 0.0));
    it.tick();
    it.test.put(a, 7_u8);
    assert_eq!(x(&it, a, 0.5), 503.0);
}

/// Half a turn has an axis, and a whole turn less a bit goes the short way.
#[test]
fn turns_go_the_short_way() {
    let mut it = Ticks::new();
    let entity = it.test.push((LocalToWorld::identity(), Rotation::identity()));
    it.tick();
    for (angle, middle) in [(3.1, 1.55_f32), (-0.1, -0.05), (PI, FRAC_PI_2)] {
        it.test.set(entity, Rotation::identity());
        it.tick();
        it.tick();
        it.test.set(entity, Rotation::from_rotation_z(angle));
        it.tick();
        let right = it.smooth.matrix(&it.test.world, entity, 0.5).unwrap().right();
        let seen = right.y.atan2(right.x);
        assert!((seen.abs() - middle.abs()).abs() < 1e-3, "{angle}: {seen} {middle}");
        assert!((right.norm() - 1.0).abs() < 1e-6);
    }
}

/// The last frame is what was drawn, however many ticks were in between.
#[test]
fn the_last_frame_is_what_was_drawn() {
    let mut it = Ticks::new();
    let a = it.test.at(0.0);
    it.tick();
    let (mut position, mut last_alpha) = (0.0, 0.0);
    for (ticks, alpha) in [(1, 0.25), (0, 0.75), (2, 0.5), (0, 0.5), (3, 0.0), (1, 1.0), (0, 1.0)] {
        let drawn = it.smooth.matrix(&it.test.world, a, last_alpha).unwrap();
        for _ in 0..ticks {
            position += 1.0;
            it.test.set(a, Translation::new(position, 0.0, 0.0));
            it.tick();
        }
        let last = it.smooth.last_frame(&it.test.world, a).unwrap();
        assert_eq!(last, drawn, "{ticks} ticks");
        it.draw(alpha);
        last_alpha = alpha;
    }
    assert_eq!(Smooth::default().last_frame(&it.test.world, a), None, "not asked to keep it");
}
