//! Ticks and frames after random edits, and the formula on random matrices.

use harness::motion::mismatch;
use legion::Entity;
use legion_transform::prelude::*;
use nalgebra::{Matrix4, UnitQuaternion};
use proptest::{prelude::*, sample::Index};

use super::Ticks;

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
        shear in prop::array::uniform3(-3.0_f32..3.0),
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
