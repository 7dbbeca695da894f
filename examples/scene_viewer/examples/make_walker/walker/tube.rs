//! Tubes that a chain of joints bends: the tail and the feelers.

use std::f32::consts::TAU;

use nalgebra::Vector3;

/// Corners of a ring.
const AROUND: usize = 10;

/// Where it is bound, it lies straight along an axis, its first joint at the origin.
#[derive(Clone, Copy)]
pub struct Shape {
    pub joints: usize,
    /// From one joint to the next.
    pub step: Vector3<f32>,
    /// At the first joint and at the end.
    pub radii: [f32; 2],
}

/// A tube of a [`Shape`] with the nodes that bend it.
pub struct Tube {
    pub joints: Vec<usize>,
    pub shape: Shape,
    pub skin: Skin,
}

/// How it looks.
#[derive(Clone, Copy)]
pub enum Skin {
    /// One of the boxes' materials, by number.
    Plain(usize),
    Banded,
}

/// Bands of brass and ruby along a tube: a PNG of 1 by 8 pixels.
pub const BANDS: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAICAIAAAC3eAIWAAAAGUlEQVR42mN4tKeA4dqqKAYQPc3GhAGNDwDutA35yQjJjgAAAABJRU5ErkJggg==";

/// A tube's numbers, flat, by vertex.
#[derive(Default)]
pub struct Mesh {
    pub positions: Vec<f32>,
    pub normals: Vec<f32>,
    pub coordinates: Vec<f32>,
    pub joints: Vec<u8>,
    pub weights: Vec<f32>,
    pub indices: Vec<u16>,
}

impl Shape {
    /// Two rings a joint: one at the joint, which it shares with the joint before, and one half way
    /// to the next.
    pub fn mesh(&self) -> Mesh {
        let mut mesh = Mesh::default();
        let rings = 2 * self.joints;
        let side = self.step.cross(&Vector3::y()).normalize();
        for ring in 0..=rings {
            let part = ring as f32 / rings as f32;
            // Round at its end.
            let radius = (self.radii[0] + (self.radii[1] - self.radii[0]) * part)
                * if ring == rings { 0.35 } else { 1.0 };
            let (joint, before) = ((ring / 2).min(self.joints - 1), (ring / 2).saturating_sub(1));
            let shared = ring % 2 == 0 && ring > 0 && ring < rings;
            for corner in 0..AROUND {
                let (sin, cos) = (TAU * corner as f32 / AROUND as f32).sin_cos();
                let out = side * cos + Vector3::y() * sin;
                let place = self.step * (ring as f32 / 2.0) + out * radius;
                mesh.positions.extend_from_slice(place.as_slice());
                mesh.normals.extend_from_slice(out.as_slice());
                mesh.coordinates.extend([0.5, part * self.joints as f32 / 4.0]);
                mesh.joints.extend([joint as u8, if shared { before as u8 } else { 0 }, 0, 0]);
                mesh.weights.extend(if shared {
                    [0.5, 0.5, 0.0, 0.0]
                } else {
                    [1.0, 0.0, 0.0, 0.0]
                });
            }
        }
        mesh.indices = indices(rings);
        mesh
    }

    /// Sixteen numbers a joint, column by column.
    pub fn inverse_binds(&self) -> Vec<f32> {
        let back = |joint: usize| nalgebra::Matrix4::new_translation(&(-self.step * joint as f32));
        (0..self.joints).flat_map(|joint| back(joint).as_slice().to_vec()).collect()
    }
}

/// Two triangles between each two corners of each two rings, and a lid at the end.
fn indices(rings: usize) -> Vec<u16> {
    let at = |ring: usize, corner: usize| (ring * AROUND + corner % AROUND) as u16;
    let mut all = Vec::new();
    for ring in 0..rings {
        for corner in 0..AROUND {
            let [a, b, c, d] = [
                at(ring, corner),
                at(ring, corner + 1),
                at(ring + 1, corner),
                at(ring + 1, corner + 1),
            ];
            all.extend([a, c, b, b, c, d]);
        }
    }
    (1..AROUND - 1)
        .for_each(|corner| all.extend([at(rings, 0), at(rings, corner + 1), at(rings, corner)]));
    all
}
