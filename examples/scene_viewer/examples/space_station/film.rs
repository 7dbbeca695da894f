//! The frames that were drawn, as a page draws them: both pictures, side by side.

use legion::{Entity, EntityStore, World};
use legion_transform::{components::Visible, prelude::*};
use nalgebra::{Matrix4, Vector3};

use crate::{
    page::{Actor, Film, Shape},
    scene::{Block, Cast, Power},
    stage::Stage,
    story,
};

/// Frames a second.
pub const RATE: u32 = 60;

/// From the middle to the viewer of the picture to the right, for the page's camera.
const ASIDE: Vector3<f32> = Vector3::new(184.0, 0.0, -155.0);

impl From<Block> for Shape {
    fn from(Block { half, color, is_lamp }: Block) -> Self {
        Self { half, color, shines: is_lamp }
    }
}

impl Film {
    /// The picture's name, and below it everybody but the sun, which is too far to be drawn.
    pub fn new(stages: [&Stage; 2]) -> Self {
        let mut film = Self { rate: RATE, notes: story::NOTES.into(), ..Self::default() };
        let names = ["left: frames in f64", "right: one chain of f32"];
        for (Stage { world, cast, .. }, name) in stages.into_iter().zip(names) {
            let first = film.actors.len();
            film.actors.push(Actor { name: name.into(), parent: None, moves: false, shape: None });
            for &(name, entity) in &cast.all[1..] {
                let parent = component::<Parent>(world, entity).map(|parent| parent.0);
                let parent = cast.all.iter().position(|(_, entity)| Some(*entity) == parent);
                film.actors.push(Actor {
                    name: name.into(),
                    parent: Some(first + parent.unwrap_or(0)),
                    moves: true,
                    shape: component::<Block>(world, entity).map(Shape::from),
                });
            }
        }
        film
    }

    /// `seen` is everybody's matrix relative to the viewer.
    pub fn record(&mut self, stages: [&Stage; 2], seen: [&[Matrix4<f32>]; 2]) {
        let mut frame = Vec::with_capacity(self.actors.len());
        for ((stage, seen), aside) in stages.into_iter().zip(seen).zip([-ASIDE, ASIDE]) {
            let place = Matrix4::new_translation(&aside);
            frame.push(place);
            let sizes = sizes(&stage.world, &stage.cast);
            let drawn = seen.iter().zip(sizes).skip(1);
            frame.extend(drawn.map(|(seen, size)| place * seen * Matrix4::new_scaling(size)));
        }
        self.worlds.push(frame);
    }
}

/// What is hidden has no size, and a lamp is as large as it is bright.
fn sizes(world: &World, cast: &Cast) -> impl Iterator<Item = f32> {
    cast.all.iter().map(|&(_, entity)| {
        let is_lamp = component::<Block>(world, entity).is_some_and(|block| block.is_lamp);
        let is_visible = component::<Effective<Visible>>(world, entity).is_none_or(|it| it.0);
        let power = component::<Effective<Power>>(world, entity).map_or(1.0, |it| it.0);
        f32::from(u8::from(is_visible)) * if is_lamp { power } else { 1.0 }
    })
}

fn component<T: legion::storage::Component + Clone>(world: &World, entity: Entity) -> Option<T> {
    world.entry_ref(entity).ok()?.into_component::<T>().ok().cloned()
}
