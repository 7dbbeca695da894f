//! The shipped scene shows what the viewer can do.

use serde_json::Value;

const SHIPPED: &str = include_str!("../../scenes/walker.gltf");

#[test]
fn it_has_every_kind_of_key_frame() {
    for interpolation in ["STEP", "LINEAR", "CUBICSPLINE"] {
        let field = format!("\"interpolation\":\"{interpolation}\"");
        assert!(SHIPPED.contains(&field), "{interpolation}");
    }
}

#[test]
fn it_is_skinned_and_has_a_texture() {
    let json: Value = serde_json::from_str(SHIPPED).unwrap();
    let count = |list: &Value| list.as_array().unwrap().len();
    let joints: Vec<_> =
        json["skins"].as_array().unwrap().iter().map(|skin| count(&skin["joints"])).collect();
    assert_eq!(joints, [7, 7, 9], "the feelers and the tail");
    assert_eq!(count(&json["images"]), 1);
}
