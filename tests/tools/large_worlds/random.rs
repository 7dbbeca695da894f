//! Frames after random edits.

use harness::TestWorld;
use legion::Entity;
use legion_transform::{
    frames::{Frame, Origin},
    prelude::*,
};
use nalgebra::UnitQuaternion;
use proptest::{prelude::*, sample::Index};

use super::{check, large, see_from, version};

/// What happens to a world of frames and plain entities.
#[derive(Clone, Debug)]
enum Edit {
    SpawnFrame(Frame),
    SpawnPlain([f32; 3]),
    Move(Index, Frame),
    Link(Index, Index),
    Unlink(Index),
    Despawn(Index),
    Origin(Index),
    NoOrigin,
    Run,
}

fn any_frame() -> impl Strategy<Value = Frame> {
    let (position, turn) = (-100.0_f64..100.0, -3.0_f64..3.0);
    (prop::array::uniform3(position), prop::array::uniform3(turn)).prop_map(|(p, [x, y, z])| {
        Frame { position: p.into(), rotation: UnitQuaternion::from_euler_angles(x, y, z) }
    })
}

fn edit() -> impl Strategy<Value = Edit> {
    let index = any::<Index>;
    prop_oneof![
        4 => any_frame().prop_map(Edit::SpawnFrame),
        2 => prop::array::uniform3(-10.0_f32..10.0).prop_map(Edit::SpawnPlain),
        3 => (index(), any_frame()).prop_map(|(entity, frame)| Edit::Move(entity, frame)),
        4 => (index(), index()).prop_map(|(child, parent)| Edit::Link(child, parent)),
        1 => index().prop_map(Edit::Unlink),
        1 => index().prop_map(Edit::Despawn),
        2 => index().prop_map(Edit::Origin),
        1 => Just(Edit::NoOrigin),
        4 => Just(Edit::Run),
    ]
}

impl Edit {
    fn apply(&self, test: &mut TestWorld, entities: &mut Vec<Entity>) {
        let pick = |index: &Index| (!entities.is_empty()).then(|| *index.get(entities));
        let alive = |entity: &Entity| test.world.contains(*entity);
        match self {
            Self::SpawnFrame(frame) => entities.push(test.world.push_transform((*frame,))),
            Self::SpawnPlain(at) => {
                entities.push(test.world.push_transform((Translation::from(*at),)));
            }
            Self::Move(entity, frame) => {
                let Some(entity) = pick(entity).filter(alive) else { return };
                if test.has::<Frame>(entity) {
                    test.set(entity, *frame);
                }
            }
            Self::Link(child, parent) => {
                let (Some(child), Some(parent)) =
                    (pick(child).filter(alive), pick(parent).filter(alive))
                else {
                    return;
                };
                let walk = Walk::new(&test.world).unwrap();
                if child != parent && !walk.ancestors(parent).any(|above| above == child) {
                    test.put(child, LocalToParent::identity());
                    test.hang(child, parent);
                }
            }
            Self::Unlink(entity) => {
                let Some(entity) = pick(entity).filter(alive) else { return };
                test.take::<Parent>(entity);
                test.take::<LocalToParent>(entity);
            }
            Self::Despawn(entity) => {
                if let Some(entity) = pick(entity) {
                    test.world.remove(entity);
                }
            }
            Self::Origin(entity) => {
                if let Some(entity) = pick(entity) {
                    see_from(test, entity);
                }
            }
            Self::NoOrigin => drop(test.resources.remove::<Origin>()),
            Self::Run => test.run(),
        }
    }
}

proptest! {
    /// After any edits, every frame is where the formula says, and a second run changes nothing.
    #[test]
    fn frames_are_right_after_any_edits(edits in prop::collection::vec(edit(), 1..60)) {
        let mut test = large();
        let mut entities = Vec::new();
        for edit in &edits {
            edit.apply(&mut test, &mut entities);
            if matches!(edit, Edit::Run) {
                check(&test, &entities, 2e-4);
            }
        }
        test.run();
        check(&test, &entities, 2e-4);
        let versions = |test: &TestWorld| {
            let alive = entities.iter().filter(|entity| test.world.contains(**entity));
            alive.map(|entity| version(&test.world, *entity)).collect::<Vec<_>>()
        };
        let before = versions(&test);
        test.run();
        prop_assert_eq!(versions(&test), before);
    }
}
