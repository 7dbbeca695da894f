//! What happens, by the tick.
//!
//! ```text
//!  second    0         3        5.5       8      9      10        12                     20
//!  ship      comes ...................... docks .................  leaves ..................
//!  viewer        walks to the dock ............. waits  boards, to the bridge
//!  power               deck off  deck on         station on 40 %, and the ship that hangs on it
//! ```

use std::f64::consts::{PI, TAU};

use legion::{Entity, World};
use legion_transform::{components::Visible, edit::EditError, prelude::*};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use crate::scene::{Cast, Numbers, Power, put};

/// Ticks a second.
pub const RATE: u32 = 20;
pub const TICKS: u32 = 20 * RATE;

const DARK: f64 = 3.0;
const BRIGHT: f64 = 5.5;
const DOCKS: f64 = 8.0;
const SAVES: f64 = 9.0;
const BOARDS: f64 = 10.0;
const LEAVES: f64 = 12.0;

/// What to look at, for the page.
pub const NOTES: [(f64, &str); 8] = [
    (
        0.0,
        "The station is 1e9 m from the sun. Left: its place is a Frame, in f64, and it holds \
         together. Right: all is one chain of f32, in steps of 64 m. Decks leave their spokes, and \
         the ship jumps.",
    ),
    (
        1.5,
        "Look at the ship's red label. It inherits only the place of the mast: it stays upright \
         and keeps its size while the hull rolls. (Right: it turns with the picture.)",
    ),
    (DARK, "One deck has no power: its three lamps are out, because power is inherited."),
    (BRIGHT, "The deck has power again: its three lamps are lit."),
    (
        DOCKS,
        "The ship docks: the station is its parent now. Left: it stays in place to the \
         millimetre. Its engines are off: both fires are hidden.",
    ),
    (
        SAVES,
        "The station saves power: all lamps shrink to 40 %, and the ship's too, while it hangs on \
         the station.",
    ),
    (
        BOARDS,
        "The viewer, a green post, boards the ship. From now on all is seen from the ship's \
         frame. Left: nothing jumps.",
    ),
    (
        LEAVES,
        "The ship leaves: the sun is its parent again. Its lamps and engines are at full power, \
         and to the viewer it is the station that goes away.",
    ),
];

/// Where the viewer is at first, in the station.
pub const WINDOW: [f32; 3] = [0.0, -110.0, 0.0];
/// Where he waits, in the station and in the ship that has docked.
const AIRLOCK: [[f32; 3]; 2] = [[0.0, 0.0, 60.0], [0.0, 0.0, -35.0]];
/// Where he goes then, in the ship.
const BRIDGE: [f32; 3] = [0.0, 24.0, -12.0];

/// In the space of the sun: it goes round it at 30 km/s, and round itself in ten seconds.
pub fn station(time: f64) -> Isometry3<f64> {
    let along = Vector3::new(2.0, 1.0, 2.0) / 3.0;
    let aside = Vector3::new(2.0, -2.0, -1.0) / 3.0;
    let angle = 3e-5 * time;
    let place = 1e9 * (along * angle.cos() + aside * angle.sin());
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), TAU / 10.0 * time);
    Isometry3::from_parts(Translation3::from(place), turn)
}

/// In the space of the sun. It turns as fast as the station when it is there.
pub fn ship(time: f64) -> Isometry3<f64> {
    let away = away(time);
    let side = if time < LEAVES { -90.0 } else { 80.0 };
    let place = Translation3::new(side * away, 30.0 * away, 95.0 + 170.0 * away);
    let angle = if time < LEAVES { -TAU } else { PI };
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle * away);
    station(time) * Isometry3::from_parts(place, turn)
}

/// How far the ship is from the dock: 1 at both ends of the story.
fn away(time: f64) -> f64 {
    if time < LEAVES { 1.0 - smooth(time / DOCKS) } else { smooth((time - LEAVES) / 8.0) }
}

/// From 0 to 1, beginning and ending at rest.
fn smooth(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// Moves what moves by itself.
pub fn go(world: &mut World, cast: &Cast, numbers: Numbers, time: f64) {
    put(world, cast.station, station(time), numbers);
    if !(DOCKS < time && time <= LEAVES) {
        put(world, cast.ship, ship(time), numbers);
    }
    let roll = 0.5 * away(time) * (3.0 * time).sin();
    set(world, cast.hull, Rotation::from_rotation_z(roll as f32));
    let [outside, inside] = AIRLOCK;
    if (1.0..=7.0).contains(&time) {
        set(world, cast.viewer, between(WINDOW, outside, (time - 1.0) / 6.0));
    } else if (10.5..=11.5).contains(&time) {
        set(world, cast.viewer, between(inside, BRIDGE, time - 10.5));
    }
}

fn between(from: [f32; 3], to: [f32; 3], part: f64) -> Translation {
    let [from, to] = [Vector3::from(from), Vector3::from(to)];
    Translation(from.lerp(&to, smooth(part) as f32).into())
}

fn set<T: legion::storage::Component>(world: &mut World, entity: Entity, component: T) {
    if let Some(mut entry) = world.entry(entity) {
        entry.add_component(component);
    }
}

/// Does what is due in this tick. Nothing is moved by it: who gets another parent stays in place.
pub fn act(world: &mut World, cast: &Cast, time: f64) -> Result<(), EditError> {
    let is_now = |at: f64| (time - at).abs() < 0.5 / f64::from(RATE);
    if is_now(DARK) || is_now(BRIGHT) {
        set(world, cast.decks[1], Power(if time < BRIGHT - 0.5 { 0.0 } else { 1.0 }));
    }
    if is_now(SAVES) {
        set(world, cast.station, Power(0.4));
    }
    if is_now(DOCKS) {
        set(world, cast.engines, Visible(false));
        world.set_parent(cast.ship, cast.station)?; // its frame in f64
    }
    if is_now(BOARDS) {
        world.set_parent(cast.viewer, cast.ship)?; // `Origin` goes with him
    }
    if is_now(LEAVES) {
        set(world, cast.engines, Visible(true));
        world.set_parent(cast.ship, cast.sun)?;
    }
    Ok(())
}
