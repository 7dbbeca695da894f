//! Who is there, and what hangs below whom.

use legion::{Entity, World};
use legion_transform::{components::Visible, frames::Frame, prelude::*, spawn::ComponentTuple};
use nalgebra::Isometry3;

use crate::story::{self, WINDOW};

/// How large places are handled that do not fit into an `f32`.
#[derive(Clone, Copy, PartialEq)]
pub enum Numbers {
    /// As frames, in `f64`.
    Frames,
    /// As everything else, in `f32`: what the frames are compared with.
    OneChain,
}

/// A component: the box that is drawn of an entity.
#[derive(Clone, Copy, PartialEq)]
pub struct Block {
    /// Half of its size, in metres.
    pub half: [f32; 3],
    pub color: [f32; 3],
    /// It shines, and is drawn as large as its [`Power`] says.
    pub is_lamp: bool,
}

/// A component: the power of a deck, a lamp, a ship; 1 is full. Less above is less below.
pub struct Power(pub f32);

impl Inherited for Power {
    type Value = f32;
    fn combine(parent: Option<&f32>, own: Option<&Self>) -> f32 {
        parent.unwrap_or(&1.0) * own.map_or(1.0, |own| own.0)
    }
}

const STEEL: [f32; 3] = [0.30, 0.34, 0.40];
const WHITE: [f32; 3] = [0.80, 0.80, 0.75];
const RED: [f32; 3] = [0.70, 0.10, 0.08];
const BLUE: [f32; 3] = [0.10, 0.28, 0.62];
const GREEN: [f32; 3] = [0.10, 0.55, 0.20];
const LIGHT: [f32; 3] = [1.00, 0.80, 0.25];
const FIRE: [f32; 3] = [0.95, 0.35, 0.05];

const fn block(half: [f32; 3], color: [f32; 3]) -> Block {
    Block { half, color, is_lamp: false }
}

const fn lamp(size: f32, color: [f32; 3]) -> Block {
    Block { half: [size; 3], color, is_lamp: true }
}

/// Who is there.
pub struct Cast {
    pub sun: Entity,
    pub station: Entity,
    pub decks: Vec<Entity>,
    pub ship: Entity,
    pub hull: Entity,
    pub mast: Entity,
    pub label: Entity,
    pub engines: Entity,
    pub viewer: Entity,
    /// Everybody by name, parents first. It is the same list for both kinds of numbers.
    pub all: Vec<(&'static str, Entity)>,
}

/// Spawns one entity after the other, and keeps the list of all.
struct Builder<'w> {
    world: &'w mut World,
    numbers: Numbers,
    all: Vec<(&'static str, Entity)>,
}

impl Builder<'_> {
    fn add(&mut self, name: &'static str, parent: Entity, parts: impl ComponentTuple) -> Entity {
        let entity = self.world.push_child(parent, parts);
        self.all.push((name, entity));
        entity
    }

    /// The sun, or what is far from it.
    fn far(&mut self, name: &'static str, parent: Option<Entity>, pose: Isometry3<f64>) -> Entity {
        let entity = match (self.numbers, parent) {
            (Numbers::Frames, None) => self.world.push_transform((Frame::from(pose),)),
            (Numbers::Frames, Some(parent)) => self.world.push_child(parent, (Frame::from(pose),)),
            (Numbers::OneChain, None) => self.world.push_transform(small(&pose)),
            (Numbers::OneChain, Some(parent)) => self.world.push_child(parent, small(&pose)),
        };
        self.all.push((name, entity));
        entity
    }
}

/// A pose in `f32`. At 1e9 m that leaves steps of 64 m.
fn small(pose: &Isometry3<f64>) -> (Translation, Rotation) {
    (Translation(pose.translation.vector.cast().into()), Rotation(pose.rotation.cast()))
}

/// Moves the station or the ship.
pub fn put(world: &mut World, entity: Entity, pose: Isometry3<f64>, numbers: Numbers) {
    let Some(mut entry) = world.entry(entity) else { return };
    match numbers {
        Numbers::Frames => entry.add_component(Frame::from(pose)),
        Numbers::OneChain => {
            let (translation, rotation) = small(&pose);
            entry.add_component(translation);
            entry.add_component(rotation);
        }
    }
}

pub fn build(world: &mut World, numbers: Numbers) -> Cast {
    let mut builder = Builder { world, numbers, all: Vec::new() };
    let sun = builder.far("sun", None, Isometry3::identity());
    let station = builder.far("station", Some(sun), story::station(0.0));
    builder.world.entry(station).expect("just spawned").add_component(Power(1.0));
    let decks = station_parts(&mut builder, station);
    let ship = builder.far("ship", Some(sun), story::ship(0.0));
    let [hull, mast, label, engines] = ship_parts(&mut builder, ship);
    let viewer = (Translation(WINDOW.into()), block([3.0, 6.0, 3.0], GREEN));
    let viewer = builder.add("viewer", station, viewer);
    let all = builder.all;
    Cast { sun, station, decks, ship, hull, mast, label, engines, viewer, all }
}

/// Six decks round a hub.
fn station_parts(builder: &mut Builder<'_>, station: Entity) -> Vec<Entity> {
    builder.add("hub", station, (block([25.0, 25.0, 50.0], STEEL),));
    let dock = (Translation::new(0.0, 0.0, 55.0), block([14.0, 14.0, 5.0], RED));
    builder.add("dock", station, dock);
    let mut decks = Vec::new();
    for i in 0..6 {
        let turn = Rotation::from_rotation_z(f32::to_radians(60.0) * i as f32);
        let deck = builder.add("deck", station, (turn, Power(1.0)));
        let rooms = block([10.0, 84.0, 22.0], if i % 2 == 0 { WHITE } else { BLUE });
        builder.add("rooms", deck, (Translation::new(150.0, 0.0, 0.0), rooms));
        let spoke = block([57.0, 4.0, 4.0], STEEL);
        builder.add("spoke", deck, (Translation::new(83.0, 0.0, 0.0), spoke));
        for (y, power) in [(-55.0, 0.7), (0.0, 1.0), (55.0, 0.7)] {
            let at = Translation::new(150.0, y, 22.0);
            builder.add("lamp", deck, (at, lamp(9.0, LIGHT), Power(power)));
        }
        decks.push(deck);
    }
    decks
}

/// Modelled at half the size, and with a label that knows nothing of that.
fn ship_parts(builder: &mut Builder<'_>, ship: Entity) -> [Entity; 4] {
    let hull = (Rotation::identity(), Scale(2.0), block([7.0, 5.0, 17.0], WHITE));
    let hull = builder.add("hull", ship, hull);
    let bridge = (Translation::new(0.0, 6.0, -6.0), block([4.0, 3.0, 5.0], BLUE));
    builder.add("bridge", hull, bridge);
    for x in [-8.0, 8.0] {
        let at = Translation::new(x, 0.0, -10.0);
        builder.add("lamp", hull, (at, lamp(3.0, LIGHT), Power(1.0)));
    }
    let engines = builder.add("engines", hull, (Translation::new(0.0, 0.0, 20.0), Visible(true)));
    for x in [-4.0, 4.0] {
        let fire = block([1.5, 1.5, 4.0], FIRE);
        builder.add("fire", engines, (Translation::new(x, 0.0, 0.0), fire));
    }
    let mast = (Translation::new(0.0, 12.0, 8.0), block([0.5, 7.0, 0.5], STEEL));
    let mast = builder.add("mast", hull, mast);
    let only_place = Inherits { translation: true, ..Inherits::NOTHING };
    let label = (Translation::new(0.0, 26.0, 0.0), only_place, block([24.0, 7.0, 1.0], RED));
    let label = builder.add("label", mast, label);
    [hull, mast, label, engines]
}
