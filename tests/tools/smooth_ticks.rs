//! Between two ticks every entity is where the formula says, and where it is known exactly, it is
//! exact.

use std::{
    collections::HashMap,
    f32::consts::{FRAC_PI_2, PI},
};

use harness::{TestWorld, motion::mismatch};
use legion::{Entity, IntoQuery};
use legion_transform::{prelude::*, smooth::Smooth};
use nalgebra::{Matrix4, UnitQuaternion};
use proptest::{prelude::*, sample::Index};

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

/// What happens between two ticks, or a frame.
#[derive(Clone, Debug)]
enum Step {
    Spawn([f32; 3]),
    Child(Index, [f32; 3]),
    Move(Index, [f32; 3], [f32; 3], [f32; 3]),
    Own(Index, Vec<f32>),
    Link(Index, Index),
    Mark(Index),
    Despawn(Index),
    Teleport(Index),
    Tick,
    Frame(f32),
}

fn step() -> impl Strategy<Value = Step> {
    let index = any::<Index>;
    let vector = || prop::array::uniform3(-4.0_f32..4.0);
    let factor = || prop_oneof![4 => 0.3_f32..3.0, 1 => -3.0_f32..-0.3];
    prop_oneof![
        3 => vector().prop_map(Step::Spawn),
        2 => (index(), vector()).prop_map(|(parent, at)| Step::Child(parent, at)),
        6 => (index(), vector(), vector(), prop::array::uniform3(factor()))
            .prop_map(|(entity, at, turn, scale)| Step::Move(entity, at, turn, scale)),
        1 => (index(), prop::collection::vec(-2.0_f32..2.0, 16))
            .prop_map(|(entity, matrix)| Step::Own(entity, matrix)),
        1 => (index(), index()).prop_map(|(child, parent)| Step::Link(child, parent)),
        1 => index().prop_map(Step::Mark),
        1 => index().prop_map(Step::Despawn),
        1 => index().prop_map(Step::Teleport),
        5 => Just(Step::Tick),
        4 => prop_oneof![Just(0.0), Just(1.0), 0.0_f32..1.0].prop_map(Step::Frame),
    ]
}

impl Step {
    fn apply(&self, it: &mut Ticks, entities: &mut Vec<Entity>) {
        let pick = |index: &Index| (!entities.is_empty()).then(|| *index.get(entities));
        let pick = |index: &Index| pick(index).filter(|entity| it.test.world.contains(*entity));
        match self {
            Self::Spawn(at) => {
                let whole = Transform::from_translation((*at).into());
                entities.push(it.test.world.push_transform(whole));
            }
            Self::Child(parent, at) => {
                let Some(parent) = pick(parent) else { return };
                let whole = Transform::from_translation((*at).into());
                entities.push(it.test.world.push_child(parent, whole));
            }
            Self::Move(entity, at, turn, scale) => {
                let Some(entity) = pick(entity) else { return };
                if it.test.has::<Rotation>(entity) {
                    let turn = UnitQuaternion::from_euler_angles(turn[0], turn[1], turn[2]);
                    it.test.set(entity, Translation::from(*at));
                    it.test.set(entity, Rotation(turn));
                    it.test.set(entity, NonUniformScale::from(*scale));
                }
            }
            Self::Own(entity, matrix) => {
                // A matrix of the user's own: projective, flat, anything.
                let Some(entity) = pick(entity) else { return };
                it.test.take::<Translation>(entity);
                it.test.take::<Rotation>(entity);
                it.test.take::<NonUniformScale>(entity);
                it.test.put(entity, LocalToWorld(Matrix4::from_column_slice(matrix)));
            }
            Self::Link(child, parent) => {
                let (Some(child), Some(parent)) = (pick(child), pick(parent)) else { return };
                let walk = Walk::new(&it.test.world).unwrap();
                if child != parent && !walk.ancestors(parent).any(|above| above == child) {
                    it.test.put(child, LocalToParent::identity());
                    it.test.put(child, Parent(parent));
                }
            }
            Self::Mark(entity) => {
                if let Some(entity) = pick(entity) {
                    it.test.put(entity, 1_u8);
                }
            }
            Self::Despawn(entity) => {
                if let Some(entity) = pick(entity) {
                    it.test.despawn(entity);
                }
            }
            Self::Teleport(entity) => {
                if let Some(entity) = pick(entity) {
                    it.smooth.teleport(entity);
                    it.jumped.push(entity);
                }
            }
            Self::Tick => it.tick(),
            Self::Frame(alpha) => {
                it.tick();
                it.draw(*alpha);
            }
        }
    }
}

proptest! {
    /// After any edits, ticks and frames.
    #[test]
    fn any_world_moves_smoothly(steps in prop::collection::vec(step(), 1..60)) {
        let mut it = Ticks::new();
        let mut entities = Vec::new();
        steps.iter().for_each(|step| step.apply(&mut it, &mut entities));
        it.tick();
        it.draw(0.4);
        it.draw(0.9);
    }

    /// The formula, on matrices alone: with shear, mirrors and scales of any size.
    #[test]
    fn two_ticks_are_joined_by_the_formula(
        turns in prop::array::uniform4(-3.0_f32..3.0),
        scales in prop::array::uniform6(prop_oneof![0.01_f32..100.0, -100.0_f32..-0.01]),
        shear in prop::array::uniform3(-1.0_f32..1.0),
        alpha in 0.0_f32..1.0,
    ) {
        let [a, b, c, d] = turns;
        let sheared = Matrix4::new(
            1.0, shear[0], shear[1], 0.0, 0.0, 1.0, shear[2], 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0,
            0.0, 1.0,
        );
        let trs = |turn: [f32; 3], scale: [f32; 3]| {
            let turn = UnitQuaternion::from_euler_angles(turn[0], turn[1], turn[2]);
            Transform::from_xyz(turn.i, 2.0, 3.0).with_rotation(turn).with_scale(scale).to_matrix()
        };
        let from = trs([a, b, c], [scales[0], scales[1], scales[2]]);
        let to = trs([b, c, d], [scales[3], scales[4], scales[5]]) * sheared;
        let mut it = Ticks::new();
        let entity = it.test.push((LocalToWorld(from),));
        it.tick();
        it.test.set(entity, LocalToWorld(to));
        it.tick();
        let seen = it.smooth.matrix(&it.test.world, entity, alpha).unwrap();
        prop_assert_eq!(mismatch(&from, &to, alpha, &seen.0), None);
    }
}
