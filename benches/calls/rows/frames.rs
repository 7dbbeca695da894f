//! What is in a frame, far away: edits in the space of the frame, and queries by way of it. The rows
//! of the same calls in a world without frames are beside them in `edits.rs` and `queries.rs`.

use legion_transform::prelude::*;
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
    row(rows, "Edits::in_frame, set_world", |it| {
        let edits = Edits::default().in_frame(it.bones.roots[0]);
        it.edit(|world, pick, x| {
            let pose = Matrix4::new_translation(&Vector3::new(x, 0.0, 0.0));
            edits.set_world(world, pick, pose).unwrap();
        })
    });
    row(rows, "Edits::in_frame, rotate", move |it| {
        let edits = Edits::default().in_frame(it.bones.roots[0]);
        it.edit(|world, pick, _| edits.rotate(world, pick, turn).unwrap())
    });
    row(rows, "Edits::rotate", move |it| {
        it.edit(|world, pick, _| Edits::default().rotate(world, pick, turn).unwrap())
    });
    once(rows, "Edits::set_parent", |it| {
        let (edits, pairs) = (Edits::default(), it.bones.pairs());
        each(&pairs, |(pick, hand)| edits.set_parent(&mut it.world, pick, hand).unwrap())
    });
    once(rows, "Edits::remove_parent", |it| {
        let edits = Edits::default();
        each(it.bones.distinct(), |pick| edits.remove_parent(&mut it.world, pick).unwrap())
    });
    once(rows, "Edits::remove_parent, of the frame", |it| {
        let (edits, few) = (Edits::default(), it.bones.few());
        each(&few, |root| edits.remove_parent(&mut it.world, root).unwrap())
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
