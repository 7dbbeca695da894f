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

/// The signs below the pictures: a box for each `#`.
const SIGNS: [[&str; 5]; 2] = [
    [
        ".## ##. #.#", //
        ".#. #.. #.#",
        "### ### ###",
        ".#. #.# ..#",
        ".#. ### ..#",
    ],
    [
        ".## ### ##.", //
        ".#. ..# ..#",
        "### .## .#.",
        ".#. ..# #..",
        ".#. ### ###",
    ],
];

impl From<Block> for Shape {
    fn from(Block { half, color, is_lamp }: Block) -> Self {
        Self { boxes: vec![[[0.0; 3], half]], color, shines: is_lamp }
    }
}

impl From<[&str; 5]> for Shape {
    fn from(sign: [&str; 5]) -> Self {
        let mut boxes = Vec::new();
        for (row, line) in sign.iter().enumerate() {
            for (column, _) in line.match_indices('#') {
                let middle = [10.0 * column as f32 - 50.0, -200.0 - 10.0 * row as f32, 0.0];
                boxes.push([middle, [4.5; 3]]);
            }
        }
        Self { boxes, color: [0.2, 0.22, 0.25], shines: true }
    }
}

impl Film {
    /// The picture's name, and below it everybody but the sun, which is too far to be drawn.
    pub fn new(stages: [&Stage; 2]) -> Self {
        let mut film = Self { rate: RATE, notes: story::NOTES.into(), ..Self::default() };
        let names = ["left: frames in f64", "right: one chain of f32"];
        for ((Stage { world, cast, .. }, name), sign) in stages.into_iter().zip(names).zip(SIGNS) {
            let first = film.actors.len();
            let shape = Some(sign.into());
            film.actors.push(Actor { name: name.into(), parent: None, moves: false, shape });
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
            // Turned towards the page's camera.
            frame.push(place * Matrix4::from_scaled_axis(Vector3::y() * 0.7));
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
