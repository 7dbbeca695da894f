//! What is in a frame, far away: edits in the space of the frame, and queries by way of it. The
//! rows of the same calls in a world without frames are beside them in `edits.rs` and `queries.rs`.

use legion_transform::{edit::EditError, frames::Frame, prelude::*};
use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use super::{Round, Rows, Scene, each};

pub fn add(rows: &mut Rows) {
    let turn = UnitQuaternion::from_euler_angles(0.0, 0.1, 0.0);
    row(rows, "TransformQuery::in_frame", |it| {
        let space = it.bones.roots[0];
        it.read(|world, pick| TransformQuery::new(world).in_frame(pick, space).unwrap())
    });
    row(rows, "TransformQuery::between", |it| {
        let other = it.bones.picks[1];
        it.read(|world, pick| TransformQuery::new(world).between(pick, other).unwrap())
    });
    row(rows, "Edits::in_frame, set_local_to_world", |it| {
        let edits = Edits::default().in_frame(it.bones.roots[0]);
        it.edit(|world, pick, x| {
            let pose = Matrix4::new_translation(&Vector3::new(x, 0.0, 0.0));
            edits.set_local_to_world(world, pick, pose).unwrap();
        })
    });
    row(rows, "Edits::in_frame, rotate", move |it| {
        let edits = Edits::default().in_frame(it.bones.roots[0]);
        it.edit(|world, pick, _| edits.rotate(world, pick, turn).unwrap())
    });
    row(rows, "rotate", move |it| it.edit(|world, pick, _| world.rotate(pick, turn).unwrap()));
    once(rows, "set_parent", |it| {
        let pairs = it.bones.pairs();
        each(&pairs, |(pick, hand)| it.world.set_parent(pick, hand).unwrap())
    });
    once(rows, "set_parent, too far", |it| {
        let sun = it.world.push_transform((Frame::from_xyz(0.0, 1e10, 0.0),));
        it.run();
        each(it.bones.distinct(), |pick| {
            let made = it.world.set_parent(pick, sun);
            assert!(matches!(made, Err(EditError::TooFar { .. })), "{made:?}");
        })
    });
    once(rows, "remove_parent", |it| {
        each(it.bones.distinct(), |pick| it.world.remove_parent(pick).unwrap())
    });
    once(rows, "remove_parent, of the frame", |it| {
        let few = it.bones.few();
        each(&few, |root| it.world.remove_parent(root).unwrap())
    });
    once(rows, "set_parent, of a frame to a plain one", |it| {
        let few = it.bones.few();
        few.iter().for_each(|&root| it.world.remove_parent(root).unwrap());
        let crane = it.world.push_transform((Translation::identity(),));
        it.run();
        each(&few, |root| it.world.set_parent(root, crane).unwrap())
    });
}

/// Rounds that leave the hierarchy as it was.
fn row(rows: &mut Rows, name: &str, measure: impl Fn(&mut Scene) -> Round + 'static) {
    rows.push(&format!("in a frame: {name}"), Scene::in_a_frame, Box::new(measure), false);
}

/// Rounds that change the hierarchy.
fn once(rows: &mut Rows, name: &str, measure: impl Fn(&mut Scene) -> Round + 'static) {
    rows.push(&format!("in a frame: {name}"), Scene::in_a_frame, Box::new(measure), true);
}
