//! One mesh in many places: `EXT_mesh_gpu_instancing`.

use serde_json::{Value, json};

use crate::{
    drawn::floats,
    files::{Folder, cases, shown, swinging},
    strip::strip,
};

/// The bob becomes a mesh in three places: its buffer's three translations. The mesh's positions
/// are the same numbers.
pub fn places() -> (Value, Vec<u8>) {
    let (mut json, bytes) = swinging();
    json["meshes"] = json!([{ "primitives": [{ "attributes": { "POSITION": 2 } }] }]);
    json["accessors"][2]["min"] = json!([0.0, 1.0, 0.0]);
    json["accessors"][2]["max"] = json!([0.0, 2.0, 0.0]);
    json["nodes"][2]["mesh"] = json!(0);
    json["nodes"][2]["extensions"] =
        json!({ "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": 2, "ROTATION": 1 } } });
    json["extensionsUsed"] = json!(["EXT_mesh_gpu_instancing"]);
    json["extensionsRequired"] = json!(["EXT_mesh_gpu_instancing"]);
    (json, bytes)
}

#[test]
fn each_place_is_a_child_with_the_mesh() {
    let (summary, page) = shown("instances", places(), "");
    assert!(summary.findings.is_empty(), "{:?}", summary.findings);
    assert_eq!((summary.nodes, summary.depth), (6, 3));
    assert_eq!(page["names"], json!(["hook", "rod", "bob", "bob #0", "bob #1", "bob #2"]));
    assert_eq!(page["parents"], json!([-1, 0, 1, 2, 2, 2]));
    assert_eq!(page["draws"], json!([null, null, null, [0, null], [0, null], [0, null]]));
}

/// The bob stands at (1, 2, 0) and doubles: its children's places count twice.
#[test]
fn the_run_places_them() {
    let (_, page) = shown("instances placed", places(), "");
    let rest = &page["clips"][1]["bounds"];
    // Down from (1, 2, 0) by two times the translations (0, 1, 0), (0, 2, 0), (0, 1, 0).
    assert_eq!(rest[1], json!([1.0, 6.0, 0.0]));
}

#[test]
fn what_cannot_be_read_is_drawn_once_and_told() {
    let table = r#"
/nodes/2/extensions/EXT_mesh_gpu_instancing/attributes = { "TRANSLATION": 9 }
    -> it names an accessor that is not there
/nodes/2/extensions/EXT_mesh_gpu_instancing/attributes = { "SCALE": "2" } -> that is not there
/nodes/2/extensions/EXT_mesh_gpu_instancing/attributes = {} -> no TRANSLATION, ROTATION or SCALE
/nodes/2/extensions/EXT_mesh_gpu_instancing/attributes = { "SCALE": 0 }
    -> accessor 0 holds F32 Scalar
/accessors/1/count = 2 ; /animations = [] -> differ in number
"#;
    let folder = Folder::new("broken instances");
    for case in cases(table, &places()) {
        let findings = folder.view_case(&case).findings;
        let [finding] = &findings[..] else { panic!("{}: {findings:?}", case.line) };
        assert!(finding.starts_with("instancing of \"bob\", which is drawn once, is left out: "));
        assert_eq!(folder.data()["draws"], json!([null, null, [0, null]]), "{}", case.line);
    }
}

#[test]
fn a_node_without_a_mesh_has_no_instances() {
    let (summary, _) = shown("instances without mesh", places(), "/nodes/2/mesh = nothing");
    assert!(summary.findings[0].contains("no mesh"), "{:?}", summary.findings);
    assert_eq!(summary.nodes, 3);
}

/// A sparse accessor needs no bytes for its zeros, so a small file may ask for any number.
#[test]
fn there_is_an_end_to_instances() {
    let many = r#"/animations = [] ; /accessors/3 = {
        "componentType": 5126, "count": 300000, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1],
        "sparse": {
            "count": 1, "indices": { "bufferView": 0, "componentType": 5125 },
            "values": { "bufferView": 1 }
        } } ;
        /nodes/2/extensions/EXT_mesh_gpu_instancing/attributes = { "TRANSLATION": 3 }"#;
    let (summary, _) = shown("many instances", places(), many);
    assert_eq!(summary.nodes, 100_003);
    assert_eq!(summary.findings, ["100000 of 300000 instances of \"bob\" are shown"]);
}

/// Weights are animated at the node, which has given its mesh away.
#[test]
fn morph_targets_of_instances_rest() {
    let instanced = r#"/nodes/0 = { "mesh": 0, "extensions":
        { "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": 0 } } } }"#;
    let (summary, page) = shown("morphed instances", strip(), instanced);
    let finding = "\"bulge\" moves morph targets of \"node 0\": its instances keep theirs at rest";
    assert_eq!(summary.findings, [finding]);
    assert_eq!(page["weights"], json!([0, 0, 0, 1, 1, 1, 1]));
    assert_eq!(floats(&page["clips"][0]["weights"]), [0.25; 4]);
}

#[test]
fn instances_of_a_skinned_mesh_are_one() {
    let instanced = r#"/nodes/0/extensions =
        { "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": 0 } } }"#;
    let (summary, _) = shown("skinned instances", strip(), instanced);
    assert!(summary.findings[0].contains("moved by a skin"), "{:?}", summary.findings);
    assert_eq!(summary.nodes, 3);
}
