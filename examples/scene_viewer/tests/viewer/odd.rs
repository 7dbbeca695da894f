//! Files of `tests/odd`, as other viewers meet them: what each shows, and what is said about it.
//!
//! They were made by hand from the specification and from what people report. `expected.json` has
//! world matrices of some nodes at some seconds of the first animation, worked out in double
//! precision.

use std::path::Path;

use scene_viewer::{command::stage::Stage, document, model::Model};
use serde_json::Value;

/// A file, and a part of each finding; none of a file in which nothing is wrong.
type Case = (&'static str, &'static [&'static str]);

const CASES: [Case; 12] = [
    ("bom.gltf", &[]),
    ("flat_matrix.gltf", &[]),
    ("flat_matrix_animated.gltf", &["node 0 is animated and given as a matrix"]),
    ("meshopt.glb", &["buffer 1 is missing", "requires EXT_meshopt_compression"]),
    (
        "meshopt_short_chunk.glb",
        &[
            "and with it 1 channel",
            "requires EXT_meshopt_compression, which is not known here (it is on 2 buffer views, 1 \
             buffer)",
            "requires KHR_mesh_quantization",
        ],
    ),
    ("padded_with_nul.glb", &[]),
    ("positions_without_bounds.gltf", &[]),
    (
        "unknown_required.gltf",
        &["requires ACME_placement, which is not known here (it is on 1 node"],
    ),
    ("uri_base64_escaped.gltf", &[]),
    ("uri_percent.gltf", &[]),
    ("zeros_in_a_morph_target.gltf", &[]),
    ("zeros_in_a_track.gltf", &[]),
];

#[test]
fn each_shows_its_nodes_and_names_what_is_missing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/odd");
    let expected = std::fs::read_to_string(folder.join("expected.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    assert_eq!(expected.as_object().unwrap().len(), CASES.len(), "all files");
    for (name, findings) in CASES {
        let document = document::read(&folder.join(name)).expect(name);
        let model = Model::new(&document, None).expect(name);
        let actual = &model.findings;
        assert_eq!(actual.len(), findings.len(), "{name}: {actual:?}");
        for (finding, part) in actual.iter().zip(findings) {
            assert!(finding.contains(part), "{name}: {finding}");
        }
        check_matrices(name, &model, expected[name]["checks"].as_array().unwrap());
    }
}

fn check_matrices(name: &str, model: &Model, checks: &[Value]) {
    assert!(!checks.is_empty(), "{name}");
    let mut stage = Stage::new(model).expect(name);
    stage.rest(model);
    for check in checks {
        let time = check["time"].as_f64().unwrap() as f32;
        if let Some(animation) = model.animations.first() {
            stage.pose(animation, time);
        }
        let node = check["node"].as_u64().unwrap() as usize;
        let world = stage.run()[node];
        let expected = check["world"].as_array().unwrap();
        for (i, (actual, expected)) in world.iter().zip(expected).enumerate() {
            let error = f64::from(*actual) - expected.as_f64().unwrap();
            assert!(error.abs() < 1e-6, "{name}: node {node} at {time}, number {i}: {actual}");
        }
    }
}
