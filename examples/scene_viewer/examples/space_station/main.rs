//! A station at 1e9 m from the sun, and a ship that docks: what the crate's parts do together.
//!
//! ```text
//! cargo run --example space_station
//! cargo run --example space_station -- --output station.html
//! ```
//!
//! # The hierarchy
//!
//! ```text
//!  sun            Frame                      at 0
//!  ├─ station     Frame, Power               goes round the sun at 30 km/s, and round itself
//!  │  ├─ hub, dock
//!  │  ├─ deck     Rotation, Power            six of them
//!  │  │  ├─ rooms, spoke
//!  │  │  └─ lamp  Power                      three of them
//!  │  └─ viewer   Translation                Origin(viewer)
//!  └─ ship        Frame                      comes, docks, leaves
//!     └─ hull     Rotation, Scale            rolls; is modelled at half the size
//!        ├─ bridge, lamps
//!        ├─ engines      Visible             off while it is docked
//!        └─ mast
//!           └─ label     Inherits            only the place: upright, and of one size
//!
//!  from 8 s to 12 s:                         from 10 s on:
//!  station                                   ship
//!  └─ ship        its frame in the station   └─ viewer    and the world is seen from there
//! ```
//!
//! # What each part shows
//!
//! - `frames`: places in `f64`, so that a millimetre at the station is one. All is seen from the
//!   frame that the viewer stands in. As he boards the ship, that is another one.
//! - `Frame::between` docks the ship and lets it go again in place. The viewer has no frame:
//!   `world.set_parent` has him board.
//! - `Inherits`: the label is where the mast's top is, and neither rolls nor grows with the hull.
//! - `Inherited`: a deck without power is dark. The station saves power, and the ship that hangs on
//!   it gets less, too, until it leaves. `TransformChanges` names all whose value has changed.
//! - `Smooth`: ticks are 20 a second, frames 60.
//!
//! The same runs once more without frames: one chain of `f32` from the sun, whose steps are 64 m.
//! `checks.rs` compares each tick with what the kit `legion_transform_testing` computes in `f64`,
//! and asserts that nothing is seen to jump between frames. With `--output` a page plays both.
//! (Upright is the axes of the viewer's frame; without frames those of the sun, so that the label
//! turns in the picture to the right, which turns with the viewer.)

use std::{error::Error, process::ExitCode};

mod checks;
mod film;
mod page;
mod program;
mod scene;
mod stage;
mod story;

use checks::Checks;
use page::Film;
use program::Program;
use scene::Numbers;
use scene_viewer::{blob, pack, template};
use stage::Stage;

const HELP: &str = "\
Runs a space station at 1e9 m from the sun, at which a ship docks, in frames of f64 and in plain
f32, and checks every matrix of every tick and frame.

Usage: space_station [OPTIONS]

Options:
  -o, --output PATH   a page to write, which plays both side by side
  -h, --help          this text
";

const TITLE: &str = "a station at 1e9 m: frames in f64 (left), one chain of f32 (right)";

fn main() -> ExitCode {
    let program = Program { name: "space_station", help: HELP, title: TITLE, ticks: 0 };
    program.run(|_, is_filmed| play(is_filmed))
}

/// All ticks, in both worlds, and the frames between them.
///
/// ```text
///  ticks       |           |           |
///              7           8           9
///  frames      6   6 1/3   6 2/3   7   ...      drawn a tick late
/// ```
fn play(is_filmed: bool) -> Result<(Checks, Option<Film>), Box<dyn Error>> {
    const FRAMES: u32 = film::RATE / story::RATE;
    let mut stages = [Numbers::Frames, Numbers::OneChain].map(Stage::new);
    let mut film = is_filmed.then(|| Film::new([&stages[0], &stages[1]]));
    let mut checks = Checks::default();
    for tick in 0..story::TICKS {
        let time = f64::from(tick) / f64::from(story::RATE);
        for stage in &mut stages {
            stage.tick(time)?;
        }
        checks.tick(&stages[0], time);
        let [frames, one_chain] = &stages;
        for frame in 1..=FRAMES {
            let alpha = frame as f32 / FRAMES as f32;
            let seen = [frames.seen(alpha), one_chain.seen(alpha)];
            let seen = [&seen[0][..], &seen[1]];
            checks.pictures(seen, frame == FRAMES);
            if let Some(film) = &mut film {
                film.record([frames, one_chain], seen);
            }
        }
    }
    checks.finish();
    Ok((checks, film))
}
