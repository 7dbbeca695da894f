//! Files of `tests/odd`, as other viewers meet them: what each shows, and what is said about it.
//!
//! They were made by hand from the specification and from what people report. `expected.json` has
//! world matrices of some nodes at some seconds of the first animation, worked out in double
//! precision.

use std::path::{Path, PathBuf};

use scene_viewer::{command::stage::Stage, document, model::Model};
use serde_json::Value;

/// A file, and a part of each finding; none of a file in which nothing is wrong.
pub struct Case(&'static str, &'static [&'static str]);

impl Case {
    fn path(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/odd").join(self.0)
    }

    pub fn read(&self) -> Vec<u8> {
        std::fs::read(self.path()).unwrap()
    }
}

pub const CASES: [Case; 12] = [
    Case("bom.gltf", &[]),
    Case("flat_matrix.gltf", &[]),
    Case("flat_matrix_animated.gltf", &["node 0 is animated and given as a matrix"]),
    Case("meshopt.glb", &["buffer 1 is missing", "requires EXT_meshopt_compression"]),
    Case(
        "meshopt_short_chunk.glb",
        &[
            "and with it 1 channel",
            "requires EXT_meshopt_compression, which is not known here (it is on 2 buffer views, 1 \
             buffer)",
            "requires KHR_mesh_quantization",
        ],
    ),
    Case("padded_with_nul.glb", &[]),
    Case("positions_without_bounds.gltf", &[]),
    Case(
        "unknown_required.gltf",
        &["requires ACME_placement, which is not known here (it is on 1 node"],
    ),
    Case("uri_base64_escaped.gltf", &[]),
    Case("uri_percent.gltf", &[]),
    Case("zeros_in_a_morph_target.gltf", &[]),
    Case("zeros_in_a_track.gltf", &[]),
];

#[test]
fn each_shows_its_nodes_and_names_what_is_missing() {
    let expected: Value = serde_json::from_str(include_str!("../odd/expected.json")).unwrap();
    assert_eq!(expected.as_object().unwrap().len(), CASES.len(), "all files");
    for case @ Case(name, findings) in CASES {
        let document = document::read(&case.path()).expect(name);
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
