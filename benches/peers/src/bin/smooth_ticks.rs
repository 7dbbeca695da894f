//! Frames between fixed ticks side by side: `Smooth` and bevy_transform_interpolation. `cargo run
//! --release --manifest-path benches/peers/Cargo.toml --features interpolation
//! --ignore-rust-version --bin smooth_ticks`.
//!
//! 100,000 entities move and turn in each tick, alone or each with a child. Nanoseconds an entity,
//! the fastest of 27: what a tick costs beside the simulation, and what a frame costs until all
//! world matrices are at hand. Ours needs the bundle's run in a tick, theirs propagation in a
//! frame.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

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

const ENTITIES: usize = 100_000;
const ROUNDS: usize = 30;
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
            let root = world.push_transform((
                Translation::new(i as f32, 0.0, 0.0),
                Rotation::identity(),
                0_u8,
            ));
            if children {
                world.push_child(root, (Translation::new(1.0, 0.0, 0.0),));
            }
        }
        Self {
            world,
            resources: Resources::default(),
            schedule,
            smooth: Smooth::default(),
            drawn: Vec::new(),
        }
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
        let begin = Instant::now();
        self.schedule.execute(&mut self.world, &mut self.resources);
        let changes = self.resources.get::<TransformChanges>().unwrap();
        self.smooth.tick(&self.world, &changes).unwrap();
        begin.elapsed()
    }

    fn frame(&mut self) -> Duration {
        let begin = Instant::now();
        self.drawn.clear();
        // All of each matrix is computed, also what is not summed.
        let matrices = self.smooth.updates(ALPHA).map(|(_, matrix)| black_box(matrix).0);
        self.drawn.extend(matrices.map(|matrix| matrix.m14 + matrix.m24));
        let time = begin.elapsed();
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
        let begin = Instant::now();
        self.0.world_mut().run_schedule(FixedFirst);
        let first = begin.elapsed();
        self.simulate();
        let begin = Instant::now();
        self.0.world_mut().run_schedule(FixedLast);
        first + begin.elapsed()
    }

    fn frame(&mut self) -> Duration {
        let step = self.0.world().resource::<Time<Fixed>>().timestep();
        let mut time = self.0.world_mut().resource_mut::<Time<Fixed>>();
        let over = time.overstep();
        time.discard_overstep(over);
        time.accumulate_overstep(step.mul_f32(ALPHA));
        let begin = Instant::now();
        self.0.world_mut().run_schedule(RunFixedMainLoop);
        self.0.world_mut().run_schedule(PostUpdate);
        begin.elapsed()
    }

    fn seen(&mut self) -> f64 {
        let mut query = self.0.world_mut().query::<&GlobalTransform>();
        let at = query.iter(self.0.world()).map(|it| it.translation());
        at.map(|Vec3 { x, y, .. }| f64::from(x + y)).sum()
    }
}

/// Nanoseconds of a tick, and of a frame; and what is seen.
fn measure<W: World>(children: bool) -> ([f64; 2], f64) {
    let mut world = W::new(children);
    let mut best = [f64::INFINITY; 2];
    let mut least = |at: usize, time: Duration| {
        best[at] = best[at].min(time.as_secs_f64() * 1e9 / ENTITIES as f64);
    };
    let mut seen = 0.0;
    for round in 0..ROUNDS {
        let (tick, frame) = (world.tick(), world.frame());
        seen = world.seen();
        if round >= 3 {
            least(0, tick);
            least(1, frame);
        }
    }
    (best, seen)
}

fn main() {
    println!("{:34}{:>10}{:>10}", "ns an entity that moves", "tick", "frame");
    for children in [false, true] {
        let what = if children { "each with a child" } else { "alone" };
        let (ours, seen) = measure::<Ours>(children);
        let (theirs, other) = measure::<Theirs>(children);
        assert!((seen - other).abs() < 1e-5 * seen.abs(), "{seen} {other}");
        for (name, times) in
            [("Smooth, with the bundle's run", ours), ("bevy_transform_interpolation", theirs)]
        {
            let times = times.map(|time| format!("{time:>10.1}")).concat();
            println!("{name:34}{times}  {what}");
        }
    }
}
