//! One mesh in many places: `EXT_mesh_gpu_instancing`.

use scene_viewer::command::Summary;
use serde_json::{Value, json};

use crate::{
    drawn::{data, floats},
    files::{Folder, swinging},
    strip::strip,
};

type Edit = fn(&mut Value);

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

/// The file after an edit, and its page's data.
fn instanced(name: &str, edit: Edit) -> (Summary, Value) {
    let folder = Folder::new(name);
    let (mut json, bytes) = places();
    edit(&mut json);
    let path = folder.write_json("instances.gltf", &json, &bytes);
    (folder.view(&[&path]).unwrap(), data(&folder))
}

#[test]
fn each_place_is_a_child_with_the_mesh() {
    let (summary, page) = instanced("instances", |_| {});
    assert!(summary.findings.is_empty(), "{:?}", summary.findings);
    assert_eq!((summary.nodes, summary.depth), (6, 3));
    assert_eq!(page["names"], json!(["hook", "rod", "bob", "bob #0", "bob #1", "bob #2"]));
    assert_eq!(page["parents"], json!([-1, 0, 1, 2, 2, 2]));
    assert_eq!(page["draws"], json!([null, null, null, [0, null], [0, null], [0, null]]));
}

/// The bob stands at (1, 2, 0) and doubles: its children's places count twice.
#[test]
fn the_run_places_them() {
    let (_, page) = instanced("instances placed", |_| {});
    let rest = &page["clips"][1]["bounds"];
    // Down from (1, 2, 0) by two times the translations (0, 1, 0), (0, 2, 0), (0, 1, 0).
    assert_eq!(rest[1], json!([1.0, 6.0, 0.0]));
}

#[test]
fn what_cannot_be_read_is_drawn_once_and_told() {
    let cases: &[(&str, Edit, &str)] = &[
        (
            "no accessor",
            |json| attributes(json, json!({ "TRANSLATION": 9 })),
            "it names an accessor that is not there",
        ),
        ("no number", |json| attributes(json, json!({ "SCALE": "2" })), "that is not there"),
        ("nothing", |json| attributes(json, json!({})), "no TRANSLATION, ROTATION or SCALE"),
        ("times", |json| attributes(json, json!({ "SCALE": 0 })), "accessor 0 holds F32 Scalar"),
        (
            "uneven",
            |json| {
                json["accessors"][1]["count"] = json!(2);
                json["animations"] = json!([]);
            },
            "differ in number",
        ),
    ];
    for (name, edit, expected) in cases {
        let (summary, page) = instanced(&format!("instances {name}"), *edit);
        let [finding] = &summary.findings[..] else { panic!("{name}: {:?}", summary.findings) };
        assert!(finding.starts_with("instancing of \"bob\", which is drawn once, is left out: "));
        assert!(finding.contains(expected), "{name}: {finding}");
        assert_eq!(page["draws"], json!([null, null, [0, null]]));
    }
}

fn attributes(json: &mut Value, attributes: Value) {
    json["nodes"][2]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"] = attributes;
}

#[test]
fn a_node_without_a_mesh_has_no_instances() {
    let (summary, _) = instanced("instances without mesh", |json| {
        drop(json["nodes"][2].as_object_mut().unwrap().remove("mesh"));
    });
    assert!(summary.findings[0].contains("no mesh"), "{:?}", summary.findings);
    assert_eq!(summary.nodes, 3);
}

/// A sparse accessor needs no bytes for its zeros, so a small file may ask for any number.
#[test]
fn there_is_an_end_to_instances() {
    let (summary, _) = instanced("many instances", |json| {
        let sparse = json!({
            "count": 1,
            "indices": { "bufferView": 0, "componentType": 5125 },
            "values": { "bufferView": 1 },
        });
        let many = json!({
            "componentType": 5126, "count": 300_000, "type": "VEC3", "sparse": sparse,
            "min": [0, 0, 0], "max": [1, 1, 1],
        });
        json["accessors"].as_array_mut().unwrap().push(many);
        json["animations"] = json!([]);
        attributes(json, json!({ "TRANSLATION": 3 }));
    });
    assert_eq!(summary.nodes, 100_003);
    assert_eq!(summary.findings, ["100000 of 300000 instances of \"bob\" are shown"]);
}

/// Weights are animated at the node, which has given its mesh away.
#[test]
fn morph_targets_of_instances_rest() {
    let folder = Folder::new("morphed instances");
    let (mut json, bytes) = strip();
    let places = json!({ "attributes": { "TRANSLATION": 0 } });
    json["nodes"][0] = json!({ "mesh": 0, "extensions": { "EXT_mesh_gpu_instancing": places } });
    let summary = folder.view(&[&folder.write_json("strips.gltf", &json, &bytes)]).unwrap();
    let finding = "\"bulge\" moves morph targets of \"node 0\": its instances keep theirs at rest";
    assert_eq!(summary.findings, [finding]);
    let page = data(&folder);
    assert_eq!(page["weights"], json!([0, 0, 0, 1, 1, 1, 1]));
    assert_eq!(floats(&page["clips"][0]["weights"]), [0.25; 4]);
}

#[test]
fn instances_of_a_skinned_mesh_are_one() {
    let folder = Folder::new("skinned instances");
    let (mut json, bytes) = strip();
    let places = json!({ "attributes": { "TRANSLATION": 0 } });
    json["nodes"][0]["extensions"] = json!({ "EXT_mesh_gpu_instancing": places });
    let summary = folder.view(&[&folder.write_json("strips.gltf", &json, &bytes)]).unwrap();
    assert!(summary.findings[0].contains("moved by a skin"), "{:?}", summary.findings);
    assert_eq!(summary.nodes, 3);
}
