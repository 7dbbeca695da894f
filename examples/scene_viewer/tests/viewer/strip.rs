//! A file to draw: a strip of four corners that two joints bend, with a texture and a morph target.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

/// One pixel, as PNG.
pub const PIXEL: &str = "\
    iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAA\
    AABJRU5ErkJggg==";

/// Where the parts of the buffer begin, in bytes: positions, texture coordinates, joints, weights,
/// inverse bind matrices, moved positions, times, weights of the target, indices; and the end.
const PARTS: [usize; 10] = [0, 48, 80, 96, 160, 288, 336, 344, 352, 360];

/// Two metres high; the upper joint is one metre up. The animation raises the weight of the morph
/// target to 1.
pub fn strip() -> (Value, Vec<u8>) {
    let mut bytes = Vec::new();
    let mut floats = |numbers: &[f32]| bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
    floats(&[-0.5, 0.0, 0.0, 0.5, 0.0, 0.0, -0.5, 2.0, 0.0, 0.5, 2.0, 0.0]);
    floats(&[0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    bytes.extend([0, 1, 0, 0].repeat(4));
    let mut floats = |numbers: &[f32]| bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
    floats(&[1.0, 0.0, 0.0, 0.0].repeat(2));
    floats(&[0.0, 1.0, 0.0, 0.0].repeat(2));
    let mut inverse: [f32; 16] = nalgebra::Matrix4::identity().as_slice().try_into().unwrap();
    floats(&inverse);
    inverse[13] = -1.0;
    floats(&inverse);
    floats(&[0.0, 0.0, 1.0].repeat(4));
    floats(&[0.0, 1.0]);
    floats(&[0.0, 1.0]);
    bytes.extend([0_u8, 1, 2, 2, 1, 3, 0, 0]);
    assert_eq!(bytes.len(), PARTS[9]);
    (json(), bytes)
}

fn json() -> Value {
    json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": [0, 1] }],
        "nodes": [
            { "name": "strip", "mesh": 0, "skin": 0 },
            { "name": "lower", "children": [2] },
            { "name": "upper", "translation": [0, 1, 0] },
        ],
        "meshes": [{ "weights": [0.25], "primitives": [{
            "attributes": { "POSITION": 0, "TEXCOORD_0": 1, "JOINTS_0": 2, "WEIGHTS_0": 3 },
            "indices": 8, "material": 0, "targets": [{ "POSITION": 5 }],
        }] }],
        "skins": [{ "joints": [1, 2], "inverseBindMatrices": 4 }],
        "materials": [{ "pbrMetallicRoughness": {
            "baseColorFactor": [1, 0.5, 0.25, 1], "baseColorTexture": { "index": 0 },
        } }],
        "textures": [{ "source": 0 }],
        "images": [{ "uri": format!("data:image/png;base64,{PIXEL}") }],
        "animations": [{
            "name": "bulge",
            "samplers": [{ "input": 6, "output": 7 }],
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "weights" } }],
        }],
        "accessors": [
            {
                "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
                "min": [-0.5, 0.0, 0.0], "max": [0.5, 2.0, 0.0],
            },
            { "bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC2" },
            { "bufferView": 2, "componentType": 5121, "count": 4, "type": "VEC4" },
            { "bufferView": 3, "componentType": 5126, "count": 4, "type": "VEC4" },
            { "bufferView": 4, "componentType": 5126, "count": 2, "type": "MAT4" },
            { "bufferView": 5, "componentType": 5126, "count": 4, "type": "VEC3" },
            {
                "bufferView": 6, "componentType": 5126, "count": 2, "type": "SCALAR",
                "min": [0.0], "max": [1.0],
            },
            { "bufferView": 7, "componentType": 5126, "count": 2, "type": "SCALAR" },
            { "bufferView": 8, "componentType": 5121, "count": 6, "type": "SCALAR" },
        ],
        "bufferViews": views(),
        "buffers": [{ "byteLength": PARTS[9] }],
    })
}

fn views() -> Vec<Value> {
    let views = PARTS.windows(2).map(|pair| (pair[0], pair[1] - pair[0]));
    views.map(|(at, len)| json!({ "buffer": 0, "byteOffset": at, "byteLength": len })).collect()
}

/// The file with its image in the buffer.
pub fn strip_with_embedded_image() -> (Value, Vec<u8>) {
    let (mut json, mut bytes) = strip();
    let image = STANDARD.decode(PIXEL).unwrap();
    json["bufferViews"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "buffer": 0, "byteOffset": PARTS[9], "byteLength": image.len() }));
    json["images"][0] = json!({ "bufferView": 9, "mimeType": "image/png" });
    bytes.extend(image);
    json["buffers"][0]["byteLength"] = bytes.len().into();
    (json, bytes)
}
