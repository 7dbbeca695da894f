//! The shipped scene is the one that `make_walker` makes.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

#[path = "../../examples/make_walker/walker/mod.rs"]
mod walker;

const SHIPPED: &str = include_str!("../../scenes/walker.gltf");

/// Numbers may differ in their last bits, because sines do between platforms.
fn assert_alike(made: &Value, shipped: &Value, path: &str) {
    match (made, shipped) {
        (Value::Array(made), Value::Array(shipped)) => {
            assert_eq!(made.len(), shipped.len(), "{path}");
            made.iter()
                .zip(shipped)
                .enumerate()
                .for_each(|(i, (a, b))| assert_alike(a, b, &format!("{path}[{i}]")));
        }
        (Value::Object(made), Value::Object(shipped)) => {
            assert!(made.keys().eq(shipped.keys()), "{path}");
            made.iter().for_each(|(key, value)| {
                assert_alike(value, &shipped[key], &format!("{path}.{key}"))
            });
        }
        (Value::Number(a), Value::Number(b)) => {
            assert!((a.as_f64().unwrap() - b.as_f64().unwrap()).abs() < 1e-4, "{path}: {a} {b}");
        }
        _ => assert_eq!(made, shipped, "{path}"),
    }
}

fn without_buffer(text: &str) -> (Value, Vec<f32>) {
    let mut json: Value = serde_json::from_str(text).unwrap();
    let uri = json["buffers"][0]["uri"].take();
    let bytes = STANDARD.decode(uri.as_str().unwrap().split_once(',').unwrap().1).unwrap();
    (
        json,
        bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect(),
    )
}

#[test]
fn it_can_be_made_again() {
    let figure = walker::figure();
    let (made, shipped) = (without_buffer(&walker::to_gltf(&figure)), without_buffer(SHIPPED));
    assert_alike(&made.0, &shipped.0, "");
    assert_eq!(made.1.len(), shipped.1.len());
    for (i, (a, b)) in made.1.iter().zip(&shipped.1).enumerate() {
        assert!((a - b).abs() < 1e-3, "number {i}: {a} {b}; run make_walker again");
    }
}

#[test]
fn it_has_every_kind_of_key_frame() {
    for interpolation in ["STEP", "LINEAR", "CUBICSPLINE"] {
        assert!(
            SHIPPED.contains(&format!("\"interpolation\":\"{interpolation}\"")),
            "{interpolation}"
        );
    }
}

#[test]
fn it_is_skinned_and_has_a_texture() {
    let json: Value = serde_json::from_str(SHIPPED).unwrap();
    let joints: Vec<_> = json["skins"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skin| skin["joints"].as_array().unwrap().len())
        .collect();
    assert_eq!(joints, [7, 7, 9], "the feelers and the tail");
    assert_eq!(json["images"].as_array().unwrap().len(), 1);
}
