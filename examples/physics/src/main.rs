//! rapier3d moves the roots of a Legion world, and the bundle all that is below them.
//!
//! ```text
//! cargo run --manifest-path examples/physics/Cargo.toml
//! cargo run --manifest-path examples/physics/Cargo.toml -- --ticks 600 --output physics.html
//! ```
//!
//! # The wiring
//!
//! A body of rapier's is a component, [`Body`](physics::Body); rapier's world is a resource,
//! [`Physics`](physics::Physics). In each tick one system steps it and another one copies the poses
//! of bodies into `Translation` and `Rotation`. Children are plain entities that rapier does not
//! know: the bundle computes where they are.
//!
//! ```text
//!  direct, float, drive, spin        tell bodies what to do, record edits of entities
//!  flush                             entities come, go, and get other parents
//!  step                              bodies of entities that are gone are removed; rapier steps
//!  copy_bodies                       bodies => Translation, Rotation
//!  the bundle                        inputs => LocalToWorld of all
//!  follow                            Smooth takes the matrices over
//! ```
//!
//! rapier's vectors are glam's, so the crate's feature `glam-033` has the conversions:
//! `Translation` from a `Vec3`, `Rotation` from a `Quat`, and back.
//!
//! # The scene
//!
//! - A kinematic platform goes to and fro, and friction carries a passenger (`movers.rs`).
//! - A tank goes round, and the radar on its turret turns (`movers.rs`).
//! - It picks up a cargo in place, and releases it (`carry.rs`).
//! - A hauler is destroyed with all that is below it, a crate with a body of its own included.
//! - The cargo is teleported home, and no frame shows it on the way (`story.rs`).
//!
//! Ticks are 60 a second, frames 144: they come out of `Smooth`. `checks.rs` asserts in each tick
//! that every matrix is what the kit `legion_transform_testing` computes in `f64`, and that roots
//! are where rapier has them; and in each frame that all lies between the two ticks. With
//! `--output` the frames become a page. For a turret that aims and fires see the cookbook.

use std::process::ExitCode;

use legion::{Resources, Schedule, World, system, world::SubWorld};
use legion_transform::{prelude::*, smooth::Smooth};

#[expect(dead_code, reason = "the viewer also has meshes of many vertices")]
#[path = "../../scene_viewer/src/blob.rs"]
mod blob;
mod carry;
mod checks;
mod film;
mod movers;
#[path = "../../scene_viewer/src/pack.rs"]
mod pack;
#[path = "../../scene_viewer/examples/space_station/page.rs"]
mod page;
mod physics;
#[path = "../../scene_viewer/examples/space_station/program.rs"]
mod program;
mod scene;
mod story;
#[path = "../../scene_viewer/src/template.rs"]
mod template;

use checks::Checks;
use film::Recorder;
use movers::Tick;
use page::Film;
use physics::Physics;
use program::Program;
use story::Story;

const HELP: &str = "\
Runs a physics scene in which rapier3d moves the roots and legion_transform all that is below them,
and checks every matrix of every tick and frame.

Usage: physics [OPTIONS]

Options:
      --ticks N       ticks to run, 1 to 100000, 60 are a second [default: 300]
  -o, --output PATH   a page to write, which plays the first 20 seconds
  -h, --help          this text
";

fn main() -> ExitCode {
    let title = "rapier3d and legion_transform";
    let program = Program { name: "physics", help: HELP, title, ticks: 300 };
    program.run(|ticks, is_filmed| Ok(play(ticks, is_filmed)))
}

/// The systems of a tick, in their order.
fn schedule(bundle: TransformSystemBundle) -> Schedule {
    Schedule::builder()
        .add_system(story::direct_system())
        .add_system(movers::float_system())
        .add_system(movers::drive_system())
        .add_system(movers::spin_system())
        .flush()
        .add_system(physics::step_system())
        .add_system(physics::copy_bodies_system())
        .add_transforms(bundle)
        .add_system(follow_system())
        .build()
}

read_transforms! {
    /// `Smooth` takes over what the tick has changed.
    #[system]
    fn follow(
        world: &SubWorld<'_>,
        #[resource] smooth: &mut Smooth,
        #[resource] changes: &TransformChanges,
    ) {
        smooth.tick(world, changes).expect("the access that it needs is declared");
    }
}

/// Ticks at 60 Hz and frames at 144 Hz, until so many ticks are over.
///
/// Time is counted in parts of 1/720 s: a tick has 12, a frame 5.
///
/// ```text
///  ticks   |           |           |           |           |           |
///          0           12          24          36          48          60
///  frames       |    |    |    |    |    |    |    |    |    |    |    |
///               5    10   15   20   25   30   35   40   45   50   55   60
/// ```
fn play(ticks: u32, is_filmed: bool) -> (Checks, Option<Film>) {
    const TICK: u32 = 720 / physics::RATE;
    const FRAME: u32 = 720 / film::RATE;
    let (mut world, mut resources) = (World::default(), Resources::default());
    let bundle = TransformSystemBundle::default().track_changes();
    bundle.insert_resources(&mut resources);
    let mut schedule = schedule(bundle);
    let mut physics = Physics::new();
    let cast = scene::build(&mut world, &mut physics);
    resources.insert(physics);
    resources.insert(Story { cast, haulage: None, teleported: None });
    resources.insert(Smooth::default());
    let mut checks = Checks::new(&world);
    let mut film = is_filmed.then(Recorder::default);
    let (mut since, mut tick) = (0, 0);
    while tick < ticks {
        since += FRAME;
        while since >= TICK {
            since -= TICK;
            resources.insert(Tick(tick));
            schedule.execute(&mut world, &mut resources);
            checks.tick(&world, &resources);
            tick += 1;
        }
        if tick > 0 {
            let smooth = resources.get::<Smooth>().expect("inserted above");
            let alpha = since as f32 / TICK as f32;
            checks.frame(&world, &smooth, alpha);
            if let Some(film) = &mut film {
                film.record(&world, &smooth, alpha);
            }
        }
    }
    (checks, film.map(|film| film.film()))
}
