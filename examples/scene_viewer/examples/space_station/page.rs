//! A page that plays a film: the viewer's own, with the data that `src/describe.rs` has of a file.
//! `examples/physics` has this file, too.

use nalgebra::Matrix4;
use serde_json::{Value, json};

use crate::{blob::Blob, pack::clip, template};

/// What a page plays.
#[derive(Default)]
pub struct Film {
    /// Frames a second.
    pub rate: u32,
    /// Parents first.
    pub actors: Vec<Actor>,
    /// By frame, then by actor.
    pub worlds: Vec<Vec<Matrix4<f32>>>,
    /// What to look at, and from which second on.
    pub notes: Vec<(f64, &'static str)>,
}

/// An entity of a film, or a place in it.
pub struct Actor {
    pub name: String,
    pub parent: Option<usize>,
    pub moves: bool,
    pub shape: Option<Shape>,
}

/// What is drawn of an actor: a box.
#[derive(Clone, Copy, PartialEq)]
pub struct Shape {
    /// Half of its size, about the actor's origin.
    pub half: [f32; 3],
    pub color: [f32; 3],
    pub shines: bool,
}

pub fn render(title: &str, film: &Film) -> String {
    let mut geometry = Geometry::default();
    let draws = of_all(film, |actor| {
        actor.shape.as_ref().map_or(Value::Null, |shape| json!([geometry.mesh(shape), null]))
    });
    // Meshes and plain nodes.
    let kind = |actor: &Actor| if actor.shape.is_some() { 'm' } else { 'n' };
    let data = json!({
        "title": title,
        "names": of_all(film, |actor| actor.name.as_str().into()),
        "parents": of_all(film, |actor| actor.parent.map_or(-1, |parent| parent as i64).into()),
        "moves": of_all(film, |actor| u8::from(actor.moves).into()),
        "kinds": film.actors.iter().map(kind).collect::<String>(),
        "boxes": of_all(film, |actor| actor.shape.as_ref().map_or(Value::Null, corners)),
        "draws": draws,
        "geometry": geometry.data(),
        "clips": [clip("all", (film.rate as f32).recip(), &film.worlds)],
        "notes": film.notes,
        "findings": [],
    });
    template::fill(title, &data)
}

fn of_all<'f>(film: &'f Film, value: impl FnMut(&'f Actor) -> Value) -> Vec<Value> {
    film.actors.iter().map(value).collect()
}

/// The corners of a shape, and its colour: for a browser that draws no meshes.
fn corners(&Shape { half, color, .. }: &Shape) -> Value {
    json!([half.map(|it| -it), half, color])
}

/// A mesh and a material for each shape.
#[derive(Default)]
struct Geometry {
    blob: Blob,
    shapes: Vec<Shape>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
}

impl Geometry {
    fn mesh(&mut self, shape: &Shape) -> usize {
        if let Some(known) = self.shapes.iter().position(|known| known == shape) {
            return known;
        }
        self.shapes.push(*shape);
        let (positions, normals, corners) = sides(shape.half);
        let [r, g, b] = shape.color;
        self.materials.push(json!({
            "color": [r, g, b, 1.0],
            "emissive": [0.0, 0.0, 0.0],
            "texture": null,
            "blends": false,
            "cutoff": null,
            "twoSided": false,
            "unlit": shape.shines,
        }));
        self.meshes.push(json!([{
            "mode": 4, // triangles
            "vertices": positions.len(),
            "position": self.blob.floats(positions.iter().flatten()),
            "normal": self.blob.floats(normals.iter().flatten()),
            "count": corners.len(),
            "indices": self.blob.shorts(corners),
            "material": self.materials.len() - 1,
        }]));
        self.meshes.len() - 1
    }

    fn data(self) -> Value {
        json!({
            "meshes": self.meshes,
            "materials": self.materials,
            "images": [],
            "skins": [],
            "data": self.blob.text(),
        })
    }
}

/// Positions and normals of the six sides of a box, four a side; and two triangles a side.
fn sides(half: [f32; 3]) -> (Vec<[f32; 3]>, Vec<[f32; 3]>, Vec<u16>) {
    let (mut positions, mut normals, mut corners) = (Vec::new(), Vec::new(), Vec::new());
    for (axis, sign) in (0..3).flat_map(|axis| [(axis, 1.0), (axis, -1.0)]) {
        let first = positions.len() as u16;
        let mut normal = [0.0; 3];
        normal[axis] = sign;
        // Counterclockwise as seen from outside.
        for (u, v) in [(-sign, -1.0), (sign, -1.0), (sign, 1.0), (-sign, 1.0)] {
            let mut position = [0.0; 3];
            for (i, side) in [(axis, sign), ((axis + 1) % 3, u), ((axis + 2) % 3, v)] {
                position[i] = side * half[i];
            }
            positions.push(position);
            normals.push(normal);
        }
        corners.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
    }
    (positions, normals, corners)
}
