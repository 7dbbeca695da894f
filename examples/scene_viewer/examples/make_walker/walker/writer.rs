//! The figure as glTF 2.0 text, with its buffer inside.

use std::collections::HashMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::{
    figure::{COLORS, Channel, Figure, Interpolation, Node},
    tube::{BANDS, Skin, Tube},
};

const FLOAT: u32 = 5126;
const UNSIGNED_BYTE: u32 = 5121;
const UNSIGNED_SHORT: u32 = 5123;

pub fn to_gltf(figure: &Figure) -> String {
    let mut data = Data::default();
    let (positions, normals, indices) = cube();
    let attributes = json!({
        "POSITION": data.floats("VEC3", &positions, true),
        "NORMAL": data.floats("VEC3", &normals, false),
    });
    let indices = data.indices(&indices);
    let meshes = (0..COLORS.len()).map(|material| {
        let primitive =
            json!({ "attributes": attributes, "indices": indices, "material": material });
        json!({ "name": format!("{} cube", COLORS[material].0), "primitives": [primitive] })
    });
    let mut meshes: Vec<_> = meshes.collect();
    let mut skins = Vec::new();
    for tube in &figure.tubes {
        meshes.push(tube_mesh(&mut data, tube));
        let inverses = data.floats("MAT4", &tube.shape.inverse_binds(), false);
        skins.push(json!({ "joints": tube.joints, "inverseBindMatrices": inverses }));
    }
    let samplers: Vec<_> =
        figure.channels.iter().map(|channel| sampler(&mut data, channel)).collect();
    let channels = figure
        .channels
        .iter()
        .enumerate()
        .map(|(i, channel)| (i, json!({ "node": channel.node, "path": channel.path })))
        .map(|(i, target)| json!({ "sampler": i, "target": target }));
    let root = json!({
        "asset": { "version": "2.0", "generator": "legion_transform make_walker" },
        "scene": 0,
        "scenes": [{ "name": "walker", "nodes": figure.roots }],
        "nodes": figure.nodes.iter().map(node).collect::<Vec<_>>(),
        "meshes": meshes,
        "skins": skins,
        "materials": COLORS.iter().map(material).chain([banded()]).collect::<Vec<_>>(),
        "textures": [{ "source": 0, "sampler": 0 }],
        "samplers": [{}],
        "images": [{ "name": "bands", "uri": format!("data:image/png;base64,{BANDS}") }],
        "animations": [{
            "name": "round", "samplers": samplers, "channels": channels.collect::<Vec<_>>(),
        }],
        "accessors": data.accessors,
        "bufferViews": data.views,
        "buffers": [{
            "byteLength": data.bytes.len(),
            "uri": format!("data:application/octet-stream;base64,{}", STANDARD.encode(&data.bytes)),
        }],
    });
    lines(&root)
}

/// One element of each list a line, so that differences can be read.
fn lines(root: &Value) -> String {
    let list = |value: &Value| match value {
        Value::Array(items) if items.len() > 1 => {
            let items: Vec<_> = items.iter().map(|item| format!("    {item}")).collect();
            format!("[\n{}\n  ]", items.join(",\n"))
        }
        other => other.to_string(),
    };
    let entries: Vec<_> = root
        .as_object()
        .into_iter()
        .flatten()
        .map(|(k, v)| format!("  \"{k}\": {}", list(v)))
        .collect();
    format!("{{\n{}\n}}\n", entries.join(",\n"))
}

fn node(node: &Node) -> Value {
    let mut value = json!({ "name": node.name });
    if node.translation.norm() > 0.0 {
        value["translation"] = short(node.translation.as_slice());
    }
    if node.rotation.angle() > 0.0 {
        value["rotation"] = short(node.rotation.coords.as_slice());
    }
    if node.scale != nalgebra::Vector3::repeat(1.0) {
        value["scale"] = short(node.scale.as_slice());
    }
    if !node.children.is_empty() {
        value["children"] = json!(node.children);
    }
    if let Some(material) = node.material {
        value["mesh"] = json!(material as usize);
    }
    if let Some(tube) = node.tube {
        value["mesh"] = json!(COLORS.len() + tube);
        value["skin"] = json!(tube);
    }
    value
}

fn material((name, [r, g, b]): &(&str, [f32; 3])) -> Value {
    let color = short(&[*r, *g, *b, 1.0]);
    json!({ "name": name, "pbrMetallicRoughness": {
        "baseColorFactor": color, "metallicFactor": 0.3, "roughnessFactor": 0.6,
    } })
}

/// The material after the plain ones.
fn banded() -> Value {
    json!({ "name": "banded", "pbrMetallicRoughness": {
        "baseColorTexture": { "index": 0 }, "metallicFactor": 0.0,
    } })
}

fn tube_mesh(data: &mut Data, tube: &Tube) -> Value {
    let mesh = tube.shape.mesh();
    let attributes = json!({
        "POSITION": data.floats("VEC3", &mesh.positions, true),
        "NORMAL": data.floats("VEC3", &mesh.normals, false),
        "TEXCOORD_0": data.floats("VEC2", &mesh.coordinates, false),
        "JOINTS_0": data.joints(&mesh.joints),
        "WEIGHTS_0": data.floats("VEC4", &mesh.weights, false),
    });
    let material = match tube.skin {
        Skin::Plain(material) => material,
        Skin::Banded => COLORS.len(),
    };
    let indices = data.indices(&mesh.indices);
    let primitive = json!({ "attributes": attributes, "indices": indices, "material": material });
    json!({ "name": format!("tube of {} joints", tube.joints.len()), "primitives": [primitive] })
}

fn sampler(data: &mut Data, channel: &Channel) -> Value {
    let shape = if channel.path == "rotation" { "VEC4" } else { "VEC3" };
    let interpolation = match channel.interpolation {
        Interpolation::Step => "STEP",
        Interpolation::Linear => "LINEAR",
        Interpolation::CubicSpline => "CUBICSPLINE",
    };
    let (input, output) =
        (data.floats("SCALAR", &channel.times, true), data.floats(shape, &channel.values, false));
    json!({ "input": input, "output": output, "interpolation": interpolation })
}

/// Six digits, of which glTF's readers keep all.
fn short(numbers: &[f32]) -> Value {
    let rounded = |x: &f32| (f64::from(*x) * 1e6).round() / 1e6;
    json!(numbers.iter().map(rounded).collect::<Vec<_>>())
}

#[derive(Default)]
struct Data {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    /// Many channels share their times.
    known: HashMap<(&'static str, Vec<u8>), usize>,
}

impl Data {
    fn floats(&mut self, shape: &'static str, numbers: &[f32], with_bounds: bool) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        if let Some(&accessor) = self.known.get(&(shape, bytes.clone())) {
            return accessor;
        }
        let width = match shape {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "MAT4" => 16,
            _ => 4,
        };
        let mut accessor =
            json!({ "componentType": FLOAT, "count": numbers.len() / width, "type": shape });
        if with_bounds {
            let bound = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
                (0..width)
                    .filter_map(|i| numbers.iter().skip(i).step_by(width).copied().reduce(pick))
                    .collect()
            };
            accessor["min"] = json!(bound(f32::min));
            accessor["max"] = json!(bound(f32::max));
        }
        self.known.insert((shape, bytes.clone()), self.accessors.len());
        self.add(accessor, &bytes)
    }

    fn indices(&mut self, indices: &[u16]) -> usize {
        let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
        self.once("indices", UNSIGNED_SHORT, "SCALAR", indices.len(), &bytes)
    }

    fn joints(&mut self, joints: &[u8]) -> usize {
        self.once("joints", UNSIGNED_BYTE, "VEC4", joints.len() / 4, joints)
    }

    fn once(
        &mut self,
        kind: &'static str,
        component: u32,
        shape: &str,
        count: usize,
        bytes: &[u8],
    ) -> usize {
        if let Some(&accessor) = self.known.get(&(kind, bytes.to_vec())) {
            return accessor;
        }
        self.known.insert((kind, bytes.to_vec()), self.accessors.len());
        self.add(json!({ "componentType": component, "count": count, "type": shape }), bytes)
    }

    fn add(&mut self, mut accessor: Value, bytes: &[u8]) -> usize {
        accessor["bufferView"] = json!(self.views.len());
        self.views.push(
            json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() }),
        );
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

/// The unit cube about the origin: four corners a face, so that faces are flat.
fn cube() -> (Vec<f32>, Vec<f32>, Vec<u16>) {
    let (mut positions, mut normals, mut indices) = (Vec::new(), Vec::new(), Vec::new());
    for axis in 0..3 {
        for sign in [-0.5_f32, 0.5] {
            let first = (positions.len() / 3) as u16;
            for (u, v) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
                let mut corner = [0.0; 3];
                (corner[axis], corner[(axis + 1) % 3], corner[(axis + 2) % 3]) = (sign, u, v);
                positions.extend(corner);
                let mut normal = [0.0; 3];
                normal[axis] = 2.0 * sign;
                normals.extend(normal);
            }
            let order: [u16; 6] = if sign > 0.0 { [0, 1, 2, 0, 2, 3] } else { [0, 2, 1, 0, 3, 2] };
            indices.extend(order.map(|i| first + i));
        }
    }
    (positions, normals, indices)
}
