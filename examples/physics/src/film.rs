//! The frames that were drawn, as a page draws them: the same actors in each frame.
//!
//! ```text
//!  frame     0       1       2       3
//!  tank      here    here    here    here
//!  hauler    flat    here    here    flat
//! ```
//!
//! *Flat* is a matrix without size: nothing is seen of a hauler that has not come yet, or is gone.

use std::collections::HashMap;

use legion::{Entity, EntityStore, IntoQuery, World};
use legion_transform::{prelude::*, smooth::Smooth};
use nalgebra::Matrix4;

use crate::{
    page::{self, Film, Shape},
    physics,
    scene::Block,
    story,
};

/// Frames a second.
pub const RATE: u32 = 144;
/// At most so many are kept: 20 seconds.
const MOST_FRAMES: usize = 20 * RATE as usize;

#[derive(Default)]
pub struct Recorder {
    /// In the order in which they came, parents first.
    actors: Vec<Actor>,
    frames: Vec<HashMap<Entity, Matrix4<f32>>>,
}

struct Actor {
    entity: Entity,
    block: Block,
    /// When it came.
    parent: Option<usize>,
    /// Where it came.
    first: Matrix4<f32>,
}

impl Recorder {
    /// What a renderer does in each frame: the matrices come from `Smooth`, not from the world.
    pub fn record(&mut self, world: &World, smooth: &Smooth, alpha: f32) {
        if self.frames.len() == MOST_FRAMES {
            return;
        }
        let mut frame = HashMap::new();
        for (&entity, _) in <(Entity, &Block)>::query().iter(world) {
            let Some(matrix) = smooth.matrix(world, entity, alpha) else { continue };
            frame.insert(entity, matrix.0);
            self.actor(world, smooth, entity);
        }
        self.frames.push(frame);
    }

    /// The number of an actor. If it is new, it is added after those above it.
    fn actor(&mut self, world: &World, smooth: &Smooth, entity: Entity) -> Option<usize> {
        let known = self.actors.iter().position(|actor| actor.entity == entity);
        if known.is_some() {
            return known;
        }
        let entry = world.entry_ref(entity).ok()?;
        let block = *entry.get_component().ok()?;
        let parent = entry.get_component::<Parent>().ok();
        let parent = parent.and_then(|parent| self.actor(world, smooth, parent.0));
        let first = smooth.matrix(world, entity, 1.0)?.0;
        self.actors.push(Actor { entity, block, parent, first });
        Some(self.actors.len() - 1)
    }

    /// All that was recorded.
    pub fn film(&self) -> Film {
        let mut places: Vec<_> = self.actors.iter().map(|actor| actor.first).collect();
        let whole = |frame: &HashMap<Entity, Matrix4<f32>>| {
            let place = |(actor, place): (&Actor, &mut Matrix4<f32>)| {
                *place = frame.get(&actor.entity).copied().unwrap_or_else(|| flat(place));
                *place
            };
            self.actors.iter().zip(&mut places).map(place).collect()
        };
        let actor = |&Actor { block: Block { name, half, color }, parent, .. }: &Actor| {
            let shape = Shape { half, color, shines: false };
            page::Actor { name: name.into(), parent, moves: name != "ground", shape: Some(shape) }
        };
        Film {
            rate: RATE,
            actors: self.actors.iter().map(actor).collect(),
            worlds: self.frames.iter().map(whole).collect(),
            notes: notes(self.frames.len()),
        }
    }
}

/// The story's lines, period by period, as long as there are frames.
fn notes(frames: usize) -> Vec<(f64, &'static str)> {
    let seconds = |tick: u32| f64::from(tick) / f64::from(physics::RATE);
    let periods = (0..).step_by(story::PERIOD as usize);
    let all =
        periods.flat_map(|start| story::NOTES.map(|(tick, text)| (seconds(start + tick), text)));
    all.take_while(|&(second, _)| second < frames as f64 / f64::from(RATE)).collect()
}

/// At the same place, without size.
fn flat(matrix: &Matrix4<f32>) -> Matrix4<f32> {
    let mut flat = Matrix4::zeros();
    flat.set_column(3, &matrix.column(3));
    flat
}
