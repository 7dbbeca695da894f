//! What the page draws: meshes, skins, morph targets and images reach it as the file has them, and
//! broken ones are left out.

use std::io::Read as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::{
    files::{Folder, cases, shown},
    strip::{PIXEL, strip, strip_with_embedded_image},
};

pub fn floats(text: &Value) -> Vec<f32> {
    let mut bytes = Vec::new();
    GzDecoder::new(&STANDARD.decode(text.as_str().unwrap()).unwrap()[..])
        .read_to_end(&mut bytes)
        .unwrap();
    bytes.chunks_exact(4).map(|x| f32::from_le_bytes(x.try_into().unwrap())).collect()
}

#[test]
fn the_page_has_the_files_meshes() {
    for (name, (json, bytes)) in [("data URI", strip()), ("buffer", strip_with_embedded_image())] {
        let folder = Folder::new("drawn");
        let paths = [
            folder.write_json("strip.gltf", &json, &bytes),
            folder.write_glb("strip.glb", &json, &bytes),
        ];
        for path in paths {
            let summary = folder.view(&[&path]).unwrap();
            assert!(summary.findings.is_empty(), "{name}: {:?}", summary.findings);
            let data = folder.data();
            assert_eq!(data["draws"], json!([[0, 0], null, null]));
            assert_eq!(data["kinds"], "sjj");
            let geometry = &data["geometry"];
            assert_eq!(geometry["images"], json!([format!("data:image/png;base64,{PIXEL}")]));
            assert_eq!(geometry["materials"][0]["color"], json!([1.0, 0.5, 0.25, 1.0]));
            assert_eq!(geometry["skins"][0]["joints"], json!([1, 2]));
            let numbers = floats(&geometry["data"]);
            let from = |at: &Value| &numbers[at.as_u64().unwrap() as usize / 4..];
            let primitive = &geometry["meshes"][0][0];
            assert_eq!(
                (&primitive["vertices"], &primitive["count"], &primitive["mode"]),
                (&json!(4), &json!(6), &json!(4))
            );
            assert_eq!(from(&primitive["position"])[9..12], [0.5, 2.0, 0.0]);
            assert_eq!(from(&primitive["weights"])[8..12], [0.0, 1.0, 0.0, 0.0]);
            assert_eq!(from(&primitive["targets"][0][0])[..3], [0.0, 0.0, 1.0]);
            // The upper joint was one metre up: twelve numbers a joint, column by column.
            assert_eq!(from(&geometry["skins"][0]["inverse"])[21..24], [0.0, -1.0, 0.0]);
        }
    }
}

#[test]
fn morph_weights_follow_their_animation() {
    let folder = Folder::new("weights");
    let (json, bytes) = strip();
    folder.view(&["--fps", "10", &folder.write_json("strip.gltf", &json, &bytes)]).unwrap();
    let clips = &folder.data()["clips"];
    let bulge = floats(&clips[0]["weights"]);
    assert_eq!(bulge.len(), 11);
    bulge.iter().enumerate().for_each(|(frame, weight)| {
        assert!((weight - frame as f32 / 10.0).abs() < 1e-6, "{frame}")
    });
    assert_eq!(floats(&clips[1]["weights"]), [0.25], "the rest pose has what the mesh says");
}

#[test]
fn what_is_broken_is_left_out_with_its_reason() {
    let table = r#"
u8 352 = 4 -> index 4 is beyond its 4 vertices
u8 80 = 2 -> joint 2 is beyond the 2 joints of skin 0
f32 0 = NaN -> accessor 0 holds an infinity or NaN
f32 160 = inf -> a matrix of skin 0 holds an infinity
/accessors/1/count = 3 -> 3 texture coordinates for 4 vertices
/accessors/2/count = 3 -> 3 joints for 4 vertices
/accessors/4/count = 1 -> skin 0 has 2 joints and 1 matrix
/accessors/2/componentType = 5126 -> accessor 2 holds F32
/accessors/8/count = 9 -> beyond buffer view 8
/bufferViews/5/byteOffset = 400 -> beyond buffer view 5
/scenes/0/nodes = [0] ; /scene = 0 -> joint 1 of skin 0 is not shown
/images/0 = { "uri": "gone.png" } -> image 0 is left out: gone.png
/images/0 = {} -> image 0 is left out: it has neither
/images/0 = { "uri": "data:image/png;base64,aGVsbG8=" } -> neither PNG nor JPEG
/accessors/7/count = 1 -> 1 value, and 2 belong
"#;
    let folder = Folder::new("broken meshes");
    for case in cases(table, &strip()) {
        assert_eq!(folder.view_case(&case).findings.len(), 1, "{}", case.line);
    }
}

#[test]
fn what_does_not_refer_to_anything_is_left_out_alone() {
    let table = r#"
/meshes/0/primitives/0/attributes/POSITION = 99
    -> primitive 0 of mesh 0 is left out: its positions name accessor 99
/meshes/0/primitives/0/attributes/JOINTS_0 = 99 -> attributes["JOINTS_0"]: index out of bounds
/meshes/0/primitives/0/indices = 99 -> indices: index out of bounds
/meshes/0/primitives/0/targets/0/POSITION = 99 -> targets[0].positions: index out of bounds
/meshes/0/primitives/0/material = 9
    -> the material 9 of primitive 0 of mesh 0 is left out
/meshes/0/primitives/0/mode = 9 -> primitive 0 of mesh 0 is left out: mode: invalid value
/nodes/0/skin = 9 -> the skin 9 of node 0
/nodes/0/mesh = 9 -> the mesh 9 of node 0
/skins/0/joints/1 = 9
    -> the mesh of node 0 is left out: skin 0: joints[1]: index out of bounds
/materials/0/pbrMetallicRoughness/baseColorTexture/index = 9
    -> the texture 9 of material 0 is left out
/textures/0/source = 9 -> the image 9 of texture 0
/textures/0/sampler = 9 -> the sampler 9 of texture 0
/samplers = [{ "minFilter": 0 }] ; /textures/0/sampler = 0
    -> the minFilter of sampler 0 is left out: glTF has no such value
/materials/0/alphaMode = "SMOKE" -> the alphaMode of material 0 is left out
/meshes/0/primitives/0/attributes = "none"
    -> primitive 0 of mesh 0 is left out: invalid type: string "none"
/meshes/0 = {} -> mesh 0 is left out: it has no list of primitives
/accessors/0/bufferView = nothing ; /meshes/0/primitives/0/extensions =
    { "KHR_draco_mesh_compression": { "bufferView": 0, "attributes": {} } }
    -> primitive 0 of mesh 0 is left out: only KHR_draco_mesh_compression has its data
"#;
    let folder = Folder::new("references");
    for case in cases(table, &strip()) {
        assert_eq!(folder.view_case(&case).nodes, 3, "{}", case.line);
    }
}

/// Valid files that are refused or lose parts in readers that are too strict.
#[test]
fn what_is_valid_is_shown_without_a_finding() {
    let cases = [
        // Extras of any kind.
        r#"/extras = 5 ; /nodes/0/extras = "text" ; /meshes/0/primitives/0/extras = [1, 2] ;
            /accessors/0/extras = true"#,
        // Attributes of an application.
        "/meshes/0/primitives/0/attributes/_WEAR = 0",
        // No bounds.
        "/accessors/0/min = nothing ; /accessors/0/max = nothing",
        // An extension that can be ignored.
        r#"/extensionsUsed = ["ACME_wear"] ; /nodes/0/extensions = { "ACME_wear": {} }"#,
    ];
    for edits in cases {
        let (summary, data) = shown("valid", strip(), edits);
        assert!(summary.findings.is_empty(), "{edits}: {:?}", summary.findings);
        assert_eq!(data["geometry"]["meshes"][0].as_array().unwrap().len(), 1, "{edits}");
    }
}

#[test]
fn a_missing_buffer_is_told_once() {
    let folder = Folder::new("gone");
    let (json, bytes) = strip();
    let path = folder.write_json("gone.gltf", &json, &bytes);
    folder.name_buffer(&path, "other.bin", "gone.bin", &bytes);
    let summary = folder.view(&[&path]).unwrap();
    let [finding] = &summary.findings[..] else { panic!("{:?}", summary.findings) };
    assert!(finding.starts_with("buffer 0 is missing (gone.bin: "), "{finding}");
    assert!(finding.ends_with("and with it 1 channel, 1 primitive, 1 skinned mesh"), "{finding}");
}

/// A weight of zero makes a joint's number meaningless, and weights need not add up to one.
#[test]
fn weights_are_made_whole() {
    let (summary, data) = shown("whole", strip(), "u8 82 = 77 ; f32 96 = 4");
    assert!(summary.findings.is_empty(), "{:?}", summary.findings);
    let geometry = &data["geometry"];
    let at = geometry["meshes"][0][0]["weights"].as_u64().unwrap() as usize / 4;
    assert_eq!(floats(&geometry["data"])[at..at + 4], [1.0, 0.0, 0.0, 0.0]);
}
