//! What is in a frame, far away: edits in the space of the frame, and queries by way of it. The
//! rows of the same calls in a world without frames are beside them in `edits.rs` and `queries.rs`.

use legion_transform::{edit::EditError, frames::Frame, prelude::*};
use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use super::{Row, Rows, Scene, each, edits, queries};

pub fn add(rows: &mut Rows) {
    let mut framed = Rows::default();
    calls(&mut framed);
    rows.0.extend(framed.0.into_iter().map(|row| Row {
        name: format!("in a frame: {}", row.name),
        scene: Scene::in_a_frame,
        ..row
    }));
}

fn calls(rows: &mut Rows) {
    let turn = UnitQuaternion::from_euler_angles(0.0, 0.1, 0.0);
    rows.add("TransformQuery::in_frame", |it| {
        let space = it.bones.roots[0];
        it.read(|world, pick| TransformQuery::new(world).in_frame(pick, space).unwrap())
    });
    queries::between(rows);
    rows.add("Edits::in_frame, set_local_to_world", |it| {
        let edits = Edits::default().in_frame(it.bones.roots[0]);
        it.edit(|world, pick, x| {
            let pose = Matrix4::new_translation(&Vector3::new(x, 0.0, 0.0));
            edits.set_local_to_world(world, pick, pose).unwrap();
        })
    });
    rows.add("Edits::in_frame, rotate", move |it| {
        let edits = Edits::default().in_frame(it.bones.roots[0]);
        it.edit(|world, pick, _| edits.rotate(world, pick, turn).unwrap())
    });
    edits::rotate(rows, turn);
    edits::parents(rows);
    rows.once("set_parent, too far", |it| {
        let sun = it.world.push_transform((Frame::from_xyz(0.0, 1e10, 0.0),));
        it.run();
        each(it.bones.distinct(), |pick| {
            let made = it.world.set_parent(pick, sun);
            assert!(matches!(made, Err(EditError::TooFar { .. })), "{made:?}");
        })
    });
    rows.once("remove_parent, of the frame", |it| {
        each(&it.bones.few(), |root| it.world.remove_parent(root).unwrap())
    });
    rows.once("set_parent, of a frame to a plain one", |it| {
        let few = it.bones.few();
        few.iter().for_each(|&root| it.world.remove_parent(root).unwrap());
        let crane = it.world.push_transform((Translation::identity(),));
        it.run();
        each(&few, |root| it.world.set_parent(root, crane).unwrap())
    });
}
