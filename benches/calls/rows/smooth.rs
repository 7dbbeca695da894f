//! What follows a run in which all bones moved: an entity.

use std::hint::black_box;

use legion::IntoQuery;
use legion_transform::{frames::Frame, prelude::*};

use super::{Round, Rows, Scene, counted, timed};

pub fn add(rows: &mut Rows) {
    rows.add("TransformChanges::changed, all moved", |it| {
        move_all(it);
        let changes = it.resources.get::<TransformChanges>().expect("tracked");
        counted(|| changes.of(&it.world).changed().map(black_box).count())
    });
    rows.add("Smooth::tick, all moved", |it| ticks(it)[0]);
    rows.add("Smooth::updates, all moved", |it| ticks(it)[1]);
    rows.add("Smooth::tick after change_origin, all moved", |it| {
        tick(it);
        it.smooth.change_origin(Frame::from_xyz(1.0, 2.0, 3.0));
        tick(it)[0]
    });
}

fn move_all(it: &mut Scene) {
    <&mut Translation>::query().for_each_mut(&mut it.world, |it| it.0.x += 0.125);
    it.run();
}

/// A tick and a frame, after others: the first tick only begins to follow.
fn ticks(it: &mut Scene) -> [Round; 2] {
    tick(it);
    tick(it)
}

fn tick(it: &mut Scene) -> [Round; 2] {
    move_all(it);
    let bones = it.len();
    let Scene { world, resources, smooth, .. } = it;
    let changes = resources.get::<TransformChanges>().expect("tracked");
    let tick = timed(bones, || smooth.tick(world, &changes).unwrap());
    let updates = counted(|| smooth.updates(0.5).map(black_box).count());
    smooth.end_frame(0.5);
    [tick, updates]
}
