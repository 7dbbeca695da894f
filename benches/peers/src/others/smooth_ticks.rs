//! Frames between fixed ticks: `Smooth` and bevy_transform_interpolation.
//!
//! 100,000 entities move and turn in each tick, alone or each with a child: what a tick costs
//! beside the simulation, and what a frame costs until all world matrices are at hand. Ours needs
//! the bundle's run in a tick, theirs propagation in a frame.

use std::{hint::black_box, time::Duration};

use bevy_app::{App, FixedFirst, FixedLast, PostUpdate, RunFixedMainLoop, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_time::{Fixed, Time, TimePlugin};
use bevy_transform::{
    TransformPlugin,
    prelude::{GlobalTransform, Transform},
};
use bevy_transform_interpolation::prelude::TransformInterpolationPlugin;
use legion::{IntoQuery, systems::Resources};
use legion_transform::{
    TransformBuilderExt, TransformChanges, TransformSystemBundle, components::*, smooth::Smooth,
    spawn::SpawnTransforms,
};
use nalgebra::UnitQuaternion;

use super::{Side, Times};
use crate::bench::timed;

const ENTITIES: usize = 100_000;
const ALPHA: f32 = 0.4;
/// A turn in each tick, about x, y and z.
const TURN: [f32; 3] = [0.01, 0.02, 0.03];

trait World {
    fn new(children: bool) -> Self;
    /// Moves and turns all roots.
    fn simulate(&mut self);
    /// Simulates a tick. Only what stands around the simulation is timed.
    fn tick(&mut self) -> Duration;
    fn frame(&mut self) -> Duration;
    /// The sum of all x.
    fn seen(&mut self) -> f64;
}

struct Ours {
    world: legion::World,
    resources: Resources,
    schedule: legion::Schedule,
    smooth: Smooth,
    drawn: Vec<f32>,
}

impl World for Ours {
    fn new(children: bool) -> Self {
        let mut world = legion::World::default();
        let bundle = TransformSystemBundle::default().track_changes();
        let schedule = legion::Schedule::builder().add_transforms(bundle).build();
        for i in 0..ENTITIES {
            let at = Translation::new(i as f32, 0.0, 0.0);
            let root = world.push_transform((at, Rotation::identity(), 0_u8));
            if children {
                world.push_child(root, (Translation::new(1.0, 0.0, 0.0),));
            }
        }
        let (resources, smooth, drawn) = Default::default();
        Self { world, resources, schedule, smooth, drawn }
    }

    fn simulate(&mut self) {
        let turn = UnitQuaternion::from_euler_angles(TURN[0], TURN[1], TURN[2]);
        for (translation, rotation, _) in
            <(&mut Translation, &mut Rotation, &u8)>::query().iter_mut(&mut self.world)
        {
            translation.0.y += 0.1;
            rotation.0 *= turn;
        }
    }

    fn tick(&mut self) -> Duration {
        self.simulate();
        timed(|| {
            self.schedule.execute(&mut self.world, &mut self.resources);
            let changes = self.resources.get::<TransformChanges>().unwrap();
            self.smooth.tick(&self.world, &changes).unwrap();
        })
    }

    fn frame(&mut self) -> Duration {
        let time = timed(|| {
            self.drawn.clear();
            // All of each matrix is computed, also what is not summed.
            let matrices = self.smooth.updates(ALPHA).map(|(_, matrix)| black_box(matrix).0);
            self.drawn.extend(matrices.map(|matrix| matrix.m14 + matrix.m24));
        });
        self.smooth.end_frame(ALPHA);
        time
    }

    fn seen(&mut self) -> f64 {
        self.drawn.iter().map(|&x| f64::from(x)).sum()
    }
}

#[derive(Component)]
struct Root;

struct Theirs(App);

impl World for Theirs {
    fn new(children: bool) -> Self {
        let mut app = App::new();
        app.add_plugins((
            TaskPoolPlugin::default(),
            TimePlugin,
            TransformPlugin,
            TransformInterpolationPlugin::interpolate_all(),
        ));
        app.finish();
        let world = app.world_mut();
        for i in 0..ENTITIES {
            let root = world.spawn((Root, Transform::from_xyz(i as f32, 0.0, 0.0))).id();
            if children {
                world.spawn((Transform::from_xyz(1.0, 0.0, 0.0), ChildOf(root)));
            }
        }
        app.update();
        Self(app)
    }

    fn simulate(&mut self) {
        let turn = Quat::from_euler(bevy_math::EulerRot::ZYX, TURN[2], TURN[1], TURN[0]);
        let mut query = self.0.world_mut().query_filtered::<&mut Transform, With<Root>>();
        for mut transform in query.iter_mut(self.0.world_mut()) {
            transform.translation.y += 0.1;
            transform.rotation *= turn;
        }
    }

    /// The simulation stands between the two, as `FixedUpdate`.
    fn tick(&mut self) -> Duration {
        let first = timed(|| self.0.world_mut().run_schedule(FixedFirst));
        self.simulate();
        first + timed(|| self.0.world_mut().run_schedule(FixedLast))
    }

    fn frame(&mut self) -> Duration {
        let step = self.0.world().resource::<Time<Fixed>>().timestep();
        let mut time = self.0.world_mut().resource_mut::<Time<Fixed>>();
        let over = time.overstep();
        time.discard_overstep(over);
        time.accumulate_overstep(step.mul_f32(ALPHA));
        timed(|| {
            self.0.world_mut().run_schedule(RunFixedMainLoop);
            self.0.world_mut().run_schedule(PostUpdate);
        })
    }

    fn seen(&mut self) -> f64 {
        let mut query = self.0.world_mut().query::<&GlobalTransform>();
        let at = query.iter(self.0.world()).map(|it| it.translation());
        at.map(|Vec3 { x, y, .. }| f64::from(x + y)).sum()
    }
}

impl<W: World> Side<bool> for W {
    /// A tick with a frame behind it. One of both is timed.
    fn step(&mut self, is_frame: bool, _: usize) -> Duration {
        let [tick, frame] = [self.tick(), self.frame()];
        if is_frame { frame } else { tick }
    }
}

pub fn print() {
    let mut table = Times::new("what is timed", "move", "bevy_transform_interpolation");
    for children in [false, true] {
        let (mut theirs, mut ours) = (Theirs::new(children), Ours::new(children));
        for number in 0..3 {
            theirs.step(false, number);
            ours.step(false, number);
        }
        for (name, is_frame) in [("tick", false), ("frame", true)] {
            let name = format!("{name}{}", if children { ", each with a child" } else { "" });
            table.row((&name, is_frame, ENTITIES), (&mut theirs, &mut ours));
            let (seen, other) = (ours.seen(), theirs.seen());
            assert!((seen - other).abs() < 1e-5 * seen.abs(), "{seen} {other}");
        }
    }
    println!("{}", table.0.text());
}
