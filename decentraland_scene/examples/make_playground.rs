//! Makes `examples/scenes/playground.crdt`, the messages that `crdt_scene` merges without an
//! argument: a carousel with horses, a swing, and a balloon that flies away.
//!
//! ```text
//! cargo run --example make_playground
//! cargo run --example make_playground -- other.crdt
//! ```
//!
//! The messages are those that a scene sends while it runs: everything once, then what moves, step
//! by step. One message comes twice and one too late, as they do over a network.

use std::{error::Error, f32::consts::TAU, path::PathBuf};

use decentraland_scene::{
    merge::Replica,
    wire::{EntityId, SceneEntity, SceneTransform},
};
use nalgebra::{Unit, UnitQuaternion, Vector3};

/// A turn of the carousel.
const STEPS: u16 = 48;
const HORSES: u16 = 6;

const CAROUSEL: EntityId = EntityId(512);
const ROOF: EntityId = EntityId(513);
const FIRST_HORSE: EntityId = EntityId(514);
const SWING: EntityId = EntityId(530);
const ROPE: EntityId = EntityId(531);
const SEAT: EntityId = EntityId(532);
const BALLOON: EntityId = EntityId(540);

struct Recorder {
    replica: Replica,
    messages: Vec<u8>,
    /// Where the last message begins.
    last: usize,
}

impl Recorder {
    fn put(&mut self, entity: EntityId, transform: SceneTransform) -> Result<(), Box<dyn Error>> {
        self.last = self.messages.len();
        self.replica
            .put_transform(SceneEntity::local(entity), &transform)?
            .write(&mut self.messages)?;
        Ok(())
    }

    fn delete(&mut self, entity: EntityId) -> Result<(), Box<dyn Error>> {
        self.replica.delete_entity(SceneEntity::local(entity))?.write(&mut self.messages)?;
        Ok(())
    }

    fn last(&self) -> Vec<u8> {
        self.messages[self.last..].to_vec()
    }
}

fn at(parent: EntityId, position: [f32; 3]) -> SceneTransform {
    SceneTransform { parent, position: position.map(rounded), ..SceneTransform::IDENTITY }
}

fn turned(transform: SceneTransform, axis: Unit<Vector3<f32>>, angle: f32) -> SceneTransform {
    let rotation = UnitQuaternion::from_axis_angle(&axis, angle).into_inner().coords.map(rounded);
    SceneTransform { rotation: normalised(rotation.into()), ..transform }
}

/// At length 1 as exactly as `f32` can say it: dividing by the length once more changes no bit.
fn normalised(mut rotation: [f32; 4]) -> [f32; 4] {
    for _ in 0..8 {
        let length = rotation.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
        rotation = rotation.map(|x| (f64::from(x) / length) as f32);
    }
    rotation
}

/// So that every machine writes the same file, whatever its sine.
fn rounded(x: f32) -> f32 {
    (x * 1_048_576.0).round() / 1_048_576.0
}

/// What moves, at a step.
fn step(recorder: &mut Recorder, step: u16) -> Result<(), Box<dyn Error>> {
    let phase = f32::from(step % STEPS) / f32::from(STEPS) * TAU;
    recorder
        .put(CAROUSEL, turned(at(EntityId::ROOT, [6.0, 0.0, 8.0]), Vector3::y_axis(), phase))?;
    for horse in 0..HORSES {
        let place = f32::from(horse) / f32::from(HORSES) * TAU;
        let height = 1.0 + 0.3 * (3.0 * phase + 2.0 * place).sin();
        let transform = at(CAROUSEL, [2.0 * place.sin(), height, 2.0 * place.cos()]);
        recorder.put(
            EntityId(FIRST_HORSE.0 + u32::from(horse)),
            turned(transform, Vector3::y_axis(), place + TAU / 4.0),
        )?;
    }
    recorder
        .put(ROPE, turned(at(SWING, [0.0, 2.5, 0.0]), Vector3::x_axis(), 0.6 * (2.0 * phase).sin()))
}

fn main() -> Result<(), Box<dyn Error>> {
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/scenes/playground.crdt");
    let path = std::env::args_os().nth(1).map_or_else(|| shipped.into(), PathBuf::from);

    let mut recorder = Recorder { replica: Replica::default(), messages: Vec::new(), last: 0 };
    step(&mut recorder, 0)?;
    recorder.put(ROOF, at(CAROUSEL, [0.0, 3.0, 0.0]))?;
    recorder.put(SWING, at(EntityId::ROOT, [11.0, 0.0, 6.0]))?;
    recorder.put(SEAT, at(ROPE, [0.0, -2.0, 0.0]))?;
    recorder.put(BALLOON, at(SEAT, [0.0, 1.0, 0.0]))?;
    let tied = recorder.last();
    for number in 1..STEPS {
        step(&mut recorder, number)?;
        match number {
            12..30 => recorder.put(
                BALLOON,
                at(EntityId::ROOT, [11.0, 2.0 + 0.3 * f32::from(number - 12), 6.0]),
            )?,
            30 => recorder.delete(BALLOON)?,
            _ => {}
        }
        match number {
            10 => recorder.messages.extend(recorder.last()), // twice
            20 => recorder.messages.extend(&tied),           // too late
            _ => {}
        }
    }
    std::fs::write(&path, &recorder.messages)?;
    println!("{}: {} bytes", path.display(), recorder.messages.len());
    Ok(())
}
