//! What a file may be meant to say, but does not: told, and mended as far as that can be.

use scene_viewer::command::Report;
use serde_json::json;

use crate::files::{Folder, shown, swinging};

#[test]
fn a_matrix_that_is_not_affine_is_made_so() {
    let edit = r#"/nodes/2 =
        { "name": "bob", "matrix": [1, 0, 0, 7, 0, 1, 0, 0, 0, 0, 1, 0, 3, 4, 5, 1] }"#;
    let findings = shown("projection", swinging(), edit).0.findings;
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert!(
        finding.starts_with("node 2 \"bob\" has a matrix with the last row 7 0 0 1: taken as"),
        "{finding}"
    );
    // Without the row nothing is said.
    let affine = shown("affine", swinging(), &edit.replace('7', "0")).0.findings;
    assert!(affine.is_empty(), "{affine:?}");
}

#[test]
fn a_matrix_beside_its_parts_is_told() {
    let edit = "/nodes/2/matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 3, 4, 5, 1]";
    let expected = "node 2 \"bob\" has a matrix and translation, scale: the matrix counts; write \
                    one or the other";
    assert_eq!(shown("both", swinging(), edit).0.findings, [expected]);
}

#[test]
fn other_versions_of_gltf_are_refused() {
    let cases = [
        (json!({ "version": "1.0" }), Some("version \"1.0\"")),
        (json!({ "version": "3.0" }), Some("version \"3.0\"")),
        (json!({ "version": "two" }), Some("version \"two\"")),
        (json!({ "version": "2.1", "minVersion": "2.1" }), Some("glTF \"2.1\" (asset.minVersion)")),
        (json!({ "version": "2.0", "minVersion": "next" }), Some("asset.minVersion")),
        (json!({ "version": "2.0", "minVersion": "2.0" }), None),
        (json!({ "version": "2.1" }), None),
    ];
    let folder = Folder::new("versions");
    for (asset, expected) in cases {
        let (mut json, bytes) = swinging();
        json["asset"] = asset.clone();
        let result = folder.view(&[&folder.write_json("version.gltf", &json, &bytes)]);
        match expected {
            None => assert!(result.unwrap().findings.is_empty(), "{asset}"),
            Some(expected) => {
                let error = result.expect_err(expected).to_string();
                let remedy = "export it again as glTF 2.0";
                assert!(error.contains(expected) && error.ends_with(remedy), "{asset}: {error}");
            }
        }
    }
}

/// glTF 1.0 names its nodes instead of numbering them: the version is told, not the first
/// difference.
#[test]
fn a_real_file_of_version_1_is_told_by_its_version() {
    let folder = Folder::new("version 1");
    let json = json!({ "asset": { "version": "1.0" }, "nodes": { "hook": { "children": [] } } });
    let error = folder.view(&[&folder.write("old.gltf", json.to_string().as_bytes())]);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("version \"1.0\""), "{error}");
}

#[test]
fn names_that_cannot_be_seen_have_a_stand_in() {
    let edits = r#"/nodes/0/name = "" ; /nodes/1/name = " \t\u200b" ; /animations/0/name = "  ""#;
    let (_, data) = shown("blank", swinging(), edits);
    assert_eq!(data["names"], json!(["node 0", "node 1", "bob"]));
    assert_eq!(data["unnamed"], json!([1, 1, 0]));
    assert_eq!(data["clips"][0]["name"], "animation 0");
}

#[test]
fn one_is_not_many() {
    let folder = Folder::new("one");
    let json = json!({ "asset": { "version": "2.0" }, "nodes": [{ "rotation": [0, 0, 0, 2] }] });
    let summary = folder.view(&[&folder.write("one.gltf", json.to_string().as_bytes())]).unwrap();
    let text = Report::Page(Box::new(summary)).to_string();
    let [first, second, _, found, ..] = text.lines().collect::<Vec<_>>()[..] else {
        panic!("{text}")
    };
    assert_eq!(first, "one.gltf: 1 node, depth 0, 0 animations");
    assert!(second.starts_with("  1 frame through the transform systems: the first run "));
    assert!(second.contains("s a run in which nothing moves"), "{second}");
    assert_eq!(found, "  1 finding:");
}

/// The first run makes the systems' tables, and is not what a frame costs.
#[test]
fn a_run_is_measured_apart_from_the_first() {
    let folder = Folder::new("first run");
    let nodes: Vec<_> = (0..3_000).map(|i| json!({ "translation": [i, 0, 0] })).collect();
    let json = json!({ "asset": { "version": "2.0" }, "nodes": nodes });
    let summary = folder.view(&[&folder.write("still.gltf", json.to_string().as_bytes())]).unwrap();
    assert_eq!(summary.frames, 1);
    assert!(summary.each < summary.first, "{:?} {:?}", summary.each, summary.first);
}
