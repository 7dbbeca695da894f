//! What follows a run in which all bones moved: an entity.

use std::hint::black_box;

use legion::{Entity, IntoQuery, component};
use legion_transform::{frames::Frame, prelude::*};
use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use super::{Round, Rows, Scene, counted, timed};

pub fn add(rows: &mut Rows) {
    rows.add("TransformChanges::changed, all moved", |it| {
        move_all(it);
        let changes = it.resources.get::<TransformChanges>().expect("tracked");
        counted(|| changes.of(&it.world).changed().map(black_box).count())
    });
    for (what, change) in [("moved", move_all as fn(&mut Scene)), ("turned", turn_all)] {
        let mut row = |name, measure: fn(&mut Scene, fn(&mut Scene)) -> Round| {
            rows.add(&format!("Smooth::{name}, all {what}"), move |it| measure(it, change));
        };
        row("tick", |it, change| ticks(it, change)[0]);
        row("updates", |it, change| ticks(it, change)[1]);
        row("tick with last frames", |it, change| last_frames(it, change)[0]);
        row("motions", |it, change| last_frames(it, change)[1]);
        row("instances", |it, change| last_frames(it, change)[2]);
        row("updates and last_frame", |it, change| last_frames(it, change)[3]);
    }
    rows.add("InstanceSlots::follow, all moved", |it| slots(it, move_all)[0]);
    rows.add("InstanceSlots::updates, all moved", |it| slots(it, move_all)[1]);
    rows.add("InstanceSlots::take_changed, all moved", |it| slots(it, move_all)[2]);
    rows.add("Smooth::tick after change_origin, all moved", |it| {
        tick(it);
        it.smooth.change_origin(Frame::from_xyz(1.0, 2.0, 3.0));
        tick(it)[0]
    });
    rows.add("Smooth::tick after change_origin, nothing moved", |it| {
        tick(it);
        it.run();
        it.smooth.change_origin(Frame::from_xyz(1.0, 2.0, 3.0));
        follow(it)[0]
    });
    rows.add("Smooth::tick after teleport_by of all", |it| through_portals(it, true));
    rows.add("Smooth::tick after teleport of all", |it| through_portals(it, false));
}

fn through_portals(it: &mut Scene, keeps_pace: bool) -> Round {
    tick(it);
    let map = Matrix4::new_translation(&Vector3::new(0.125, 0.0, 0.0));
    let roots = <Entity>::query().filter(!component::<Parent>());
    for &root in { roots }.iter(&it.world) {
        match keeps_pace {
            true => it.smooth.teleport_by(root, map),
            false => it.smooth.teleport(root),
        }
    }
    tick(it)[0]
}

fn move_all(it: &mut Scene) {
    <&mut Translation>::query().for_each_mut(&mut it.world, |it| it.0.x += 0.125);
    it.run();
}

fn turn_all(it: &mut Scene) {
    let by = UnitQuaternion::from_euler_angles(0.01, 0.0, 0.0);
    <&mut Rotation>::query().for_each_mut(&mut it.world, |it| it.0 = by * it.0);
    move_all(it);
}

/// A tick and a frame, after others: the first tick only begins to follow.
fn ticks(it: &mut Scene, change: fn(&mut Scene)) -> [Round; 2] {
    tick(it);
    change(it);
    follow(it)
}

fn tick(it: &mut Scene) -> [Round; 2] {
    move_all(it);
    follow(it)
}

/// A tick and a frame after a run.
fn follow(it: &mut Scene) -> [Round; 2] {
    let bones = it.len();
    let Scene { world, resources, smooth, .. } = it;
    let changes = resources.get::<TransformChanges>().expect("tracked");
    let tick = timed(bones, || smooth.tick(world, &changes).unwrap());
    let updates = counted(|| smooth.updates(0.5).map(black_box).count());
    smooth.end_frame(0.5);
    [tick, updates]
}

/// The same with motion vectors: a tick, and frames of all that moved: in any order, by slots, and
/// with the last frame of each entity.
fn last_frames(it: &mut Scene, change: fn(&mut Scene)) -> [Round; 4] {
    let tick = |it: &mut Scene| {
        slots(it, change);
        let bones = it.len();
        let Scene { world, resources, with_last_frames: smooth, slots, .. } = it;
        let changes = resources.get::<TransformChanges>().expect("tracked");
        let tick = timed(bones, || smooth.tick(world, &changes).unwrap());
        let motions = counted(|| smooth.motions(0.5).map(black_box).count());
        let instances = counted(|| smooth.instances(slots, 0.5).map(black_box).count());
        let last = counted(|| {
            let updates = smooth.updates(0.5);
            let with_last = updates.map(|(it, now)| (it, now, smooth.last_frame(world, it)));
            with_last.map(black_box).count()
        });
        smooth.end_frame(0.5);
        [tick, motions, instances, last]
    };
    tick(it);
    tick(it)
}

/// A run that slots follow, the matrices of all, and what to upload.
fn slots(it: &mut Scene, change: fn(&mut Scene)) -> [Round; 3] {
    change(it);
    let bones = it.len();
    let Scene { world, resources, slots, .. } = it;
    let changes = resources.get::<TransformChanges>().expect("tracked");
    let follow = timed(bones, || slots.follow(world, &changes).unwrap());
    let updates = counted(|| slots.updates(world).expect("a world").map(black_box).count());
    let ranges = timed(bones, || slots.take_changed().map(black_box).count());
    [follow, updates, ranges]
}
