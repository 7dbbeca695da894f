//! What the page draws: meshes, skins, morph targets and images reach it as the file has them, and
//! broken ones are left out.

use std::io::Read as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::{
    files::Folder,
    strip::{PIXEL, parts, strip, strip_with_embedded_image},
};

pub fn data(folder: &Folder) -> Value {
    let page = folder.page();
    let (_, rest) = page.split_once(r#"<script id="data" type="application/json">"#).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

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
            let data = data(&folder);
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
    let clips = &data(&folder)["clips"];
    let bulge = floats(&clips[0]["weights"]);
    assert_eq!(bulge.len(), 11);
    bulge.iter().enumerate().for_each(|(frame, weight)| {
        assert!((weight - frame as f32 / 10.0).abs() < 1e-6, "{frame}")
    });
    assert_eq!(floats(&clips[1]["weights"]), [0.25], "the rest pose has what the mesh says");
}

#[test]
fn what_is_broken_is_left_out_with_its_reason() {
    type Edit = fn(&mut Value, &mut Vec<u8>);
    fn put(bytes: &mut [u8], at: usize, x: f32) {
        bytes[at..at + 4].copy_from_slice(&x.to_le_bytes());
    }
    let cases: &[(&str, Edit, &str)] = &[
        ("index", |_, bytes| bytes[parts::INDICES] = 4, "index 4 is beyond its 4 vertices"),
        ("joint", |_, bytes| bytes[parts::JOINTS] = 2, "joint 2 is beyond the 2 joints of skin 0"),
        (
            "position",
            |_, bytes| put(bytes, parts::POSITIONS, f32::NAN),
            "accessor 0 holds an infinity or NaN",
        ),
        (
            "inverse",
            |_, bytes| put(bytes, parts::INVERSES, f32::INFINITY),
            "a matrix of skin 0 holds an infinity",
        ),
        (
            "few coordinates",
            |json, _| json["accessors"][1]["count"] = json!(3),
            "3 texture coordinates for 4 vertices",
        ),
        (
            "few joints",
            |json, _| json["accessors"][2]["count"] = json!(3),
            "3 joints for 4 vertices",
        ),
        (
            "few matrices",
            |json, _| json["accessors"][4]["count"] = json!(1),
            "skin 0 has 2 joints and 1 matrix",
        ),
        (
            "float joints",
            |json, _| json["accessors"][2]["componentType"] = json!(5126),
            "accessor 2 holds F32",
        ),
        ("far indices", |json, _| json["accessors"][8]["count"] = json!(9), "beyond buffer view 8"),
        (
            "far morphs",
            |json, _| json["bufferViews"][5]["byteOffset"] = json!(400),
            "beyond buffer view 5",
        ),
        (
            "hidden joint",
            |json, _| json["scenes"][0]["nodes"] = json!([0]),
            "joint 1 of skin 0 is not shown",
        ),
        (
            "no image",
            |json, _| json["images"][0] = json!({ "uri": "gone.png" }),
            "image 0 is left out: gone.png",
        ),
        (
            "no source",
            |json, _| json["images"][0] = json!({}),
            "image 0 is left out: it has neither",
        ),
        (
            "text",
            |json, _| json["images"][0] = json!({ "uri": "data:image/png;base64,aGVsbG8=" }),
            "neither PNG nor JPEG",
        ),
        (
            "uneven weights",
            |json, _| json["accessors"][7]["count"] = json!(1),
            "1 value, and 2 belong",
        ),
    ];
    for (name, edit, expected) in cases {
        let folder = Folder::new(name);
        let (mut json, mut bytes) = strip();
        edit(&mut json, &mut bytes);
        if *name == "hidden joint" {
            json["scene"] = json!(0);
        }
        let summary = folder.view(&[&folder.write_json("broken.gltf", &json, &bytes)]).expect(name);
        let [finding] = &summary.findings[..] else { panic!("{name}: {:?}", summary.findings) };
        assert!(finding.contains(expected), "{name}: {finding}");
    }
}

#[test]
fn what_does_not_refer_to_anything_is_left_out_alone() {
    type Edit = fn(&mut Value);
    let cases: &[(&str, Edit, &str)] = &[
        (
            "position",
            |json| json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(99),
            "primitive 0 of mesh 0 is left out: its positions name accessor 99",
        ),
        (
            "joints",
            |json| json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"] = json!(99),
            "attributes[\"JOINTS_0\"]: index out of bounds",
        ),
        (
            "indices",
            |json| json["meshes"][0]["primitives"][0]["indices"] = json!(99),
            "indices: index out of bounds",
        ),
        (
            "target",
            |json| json["meshes"][0]["primitives"][0]["targets"][0]["POSITION"] = json!(99),
            "targets[0].positions: index out of bounds",
        ),
        (
            "material",
            |json| json["meshes"][0]["primitives"][0]["material"] = json!(9),
            "the material 9 of primitive 0 of mesh 0 is left out",
        ),
        (
            "mode",
            |json| json["meshes"][0]["primitives"][0]["mode"] = json!(9),
            "primitive 0 of mesh 0 is left out: mode: invalid value",
        ),
        ("skin", |json| json["nodes"][0]["skin"] = json!(9), "the skin 9 of node 0"),
        ("mesh", |json| json["nodes"][0]["mesh"] = json!(9), "the mesh 9 of node 0"),
        (
            "joint",
            |json| json["skins"][0]["joints"][1] = json!(9),
            "the mesh of node 0 is left out: skin 0: joints[1]: index out of bounds",
        ),
        (
            "texture",
            |json| {
                json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["index"] = json!(9)
            },
            "the texture 9 of material 0 is left out",
        ),
        ("image", |json| json["textures"][0]["source"] = json!(9), "the image 9 of texture 0"),
        ("sampler", |json| json["textures"][0]["sampler"] = json!(9), "the sampler 9 of texture 0"),
        (
            "filter",
            |json| {
                json["samplers"] = json!([{ "minFilter": 0 }]);
                json["textures"][0]["sampler"] = json!(0);
            },
            "the minFilter of sampler 0 is left out: glTF has no such value",
        ),
        (
            "alpha",
            |json| json["materials"][0]["alphaMode"] = json!("SMOKE"),
            "the alphaMode of material 0 is left out",
        ),
        (
            "primitive of text",
            |json| json["meshes"][0]["primitives"][0]["attributes"] = json!("none"),
            "primitive 0 of mesh 0 is left out: invalid type: string \"none\"",
        ),
        (
            "mesh without primitives",
            |json| json["meshes"][0] = json!({}),
            "mesh 0 is left out: it has no list of primitives",
        ),
        (
            "compressed",
            |json| {
                let accessor = json["accessors"][0].as_object_mut().unwrap();
                drop(accessor.remove("bufferView"));
                json["meshes"][0]["primitives"][0]["extensions"] =
                    json!({ "KHR_draco_mesh_compression": { "bufferView": 0, "attributes": {} } });
            },
            "primitive 0 of mesh 0 is left out: only KHR_draco_mesh_compression has its data",
        ),
    ];
    for (name, edit, expected) in cases {
        let folder = Folder::new(name);
        let (mut json, bytes) = strip();
        let position = json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
        assert_eq!(position, json!(0), "which \"compressed\" takes the data from");
        edit(&mut json);
        let path = folder.write_json("broken.gltf", &json, &bytes);
        let summary = folder.view(&[&path]).expect(name);
        assert_eq!(summary.nodes, 3, "{name}");
        let findings = &summary.findings;
        assert!(findings.iter().any(|found| found.contains(expected)), "{name}: {findings:?}");
    }
}

/// Valid files that are refused or lose parts in readers that are too strict.
#[test]
fn what_is_valid_is_shown_without_a_finding() {
    type Edit = fn(&mut Value);
    let cases: &[(&str, Edit)] = &[
        ("extras of any kind", |json| {
            json["extras"] = json!(5);
            json["nodes"][0]["extras"] = json!("text");
            json["meshes"][0]["primitives"][0]["extras"] = json!([1, 2]);
            json["accessors"][0]["extras"] = json!(true);
        }),
        ("attributes of an application", |json| {
            json["meshes"][0]["primitives"][0]["attributes"]["_WEAR"] = json!(0);
        }),
        ("no bounds", |json| {
            let accessor = json["accessors"][0].as_object_mut().unwrap();
            accessor.remove("min");
            accessor.remove("max");
        }),
        ("an extension that can be ignored", |json| {
            json["extensionsUsed"] = json!(["ACME_wear"]);
            json["nodes"][0]["extensions"] = json!({ "ACME_wear": {} });
        }),
    ];
    for (name, edit) in cases {
        let folder = Folder::new(name);
        let (mut json, bytes) = strip();
        edit(&mut json);
        let summary = folder.view(&[&folder.write_json("valid.gltf", &json, &bytes)]).expect(name);
        assert!(summary.findings.is_empty(), "{name}: {:?}", summary.findings);
        assert_eq!(data(&folder)["geometry"]["meshes"][0].as_array().unwrap().len(), 1, "{name}");
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
    let folder = Folder::new("whole");
    let (json, mut bytes) = strip();
    bytes[parts::JOINTS + 2] = 77;
    bytes[parts::WEIGHTS..parts::WEIGHTS + 4].copy_from_slice(&4.0_f32.to_le_bytes());
    let summary = folder.view(&[&folder.write_json("whole.gltf", &json, &bytes)]).unwrap();
    assert!(summary.findings.is_empty(), "{:?}", summary.findings);
    let geometry = &data(&folder)["geometry"];
    let at = geometry["meshes"][0][0]["weights"].as_u64().unwrap() as usize / 4;
    assert_eq!(floats(&geometry["data"])[at..at + 4], [1.0, 0.0, 0.0, 0.0]);
}
