//! A page that plays a film: the viewer's own. `examples/scene_viewer/viewer/page.rs` gives it the
//! same data.

use serde_json::{Value, json};

use crate::{
    blob::Blob,
    film::{Actor, Film, RATE},
    pack::{Packed, pack},
    scene::Block,
    template,
};

pub fn render(title: &str, film: &Film) -> String {
    let worlds = film.worlds();
    let Packed { linear, position, data, bounds } = pack(&worlds);
    let clip = json!({
        "name": "all",
        "frames": worlds.len(),
        "interval": 1.0 / f64::from(RATE),
        "bounds": bounds,
        "linear": linear,
        "position": position,
        "data": data,
    });
    let mut geometry = Geometry::default();
    let draws = of_all(film, |actor| json!([geometry.mesh(&actor.block), null]));
    let data = json!({
        "title": title,
        "names": of_all(film, |actor| actor.block.name.into()),
        "parents": of_all(film, |actor| actor.parent.map_or(-1, |parent| parent as i64).into()),
        "moves": of_all(film, |actor| u8::from(actor.block.name != "ground").into()),
        "kinds": "m".repeat(film.actors.len()), // meshes
        "boxes": of_all(film, |Actor { block, .. }| {
            json!([block.half.map(|x| -x), block.half, block.color])
        }),
        "draws": draws,
        "geometry": geometry.data(),
        "clips": [clip],
        "findings": [],
    });
    template::fill(title, &data)
}

fn of_all(film: &Film, value: impl FnMut(&Actor) -> Value) -> Vec<Value> {
    film.actors.iter().map(value).collect()
}

/// A mesh and a material for each kind of block.
#[derive(Default)]
struct Geometry {
    blob: Blob,
    blocks: Vec<Block>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
}

impl Geometry {
    fn mesh(&mut self, block: &Block) -> usize {
        if let Some(known) = self.blocks.iter().position(|known| known == block) {
            return known;
        }
        self.blocks.push(*block);
        let (positions, normals, corners) = sides(block.half);
        let [r, g, b] = block.color;
        self.materials.push(json!({
            "color": [r, g, b, 1.0],
            "emissive": [0.0, 0.0, 0.0],
            "texture": null,
            "blends": false,
            "cutoff": null,
            "twoSided": false,
            "unlit": false,
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

/// Positions and normals of the six sides of a box, four for each; and two triangles for each.
fn sides(half: [f32; 3]) -> (Vec<[f32; 3]>, Vec<[f32; 3]>, Vec<u16>) {
    let (mut positions, mut normals, mut corners) = (Vec::new(), Vec::new(), Vec::new());
    for axis in 0..3 {
        for sign in [1.0, -1.0] {
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
    }
    (positions, normals, corners)
}
