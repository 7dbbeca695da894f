//! What is broken is left out, with a finding, and the rest is shown. What is no glTF ends in an
//! error that says why.

use serde_json::{Value, json};

use crate::files::{Folder, swinging};

/// An edit of the file's JSON or its buffer, and what the error or finding has to say about it.
type Case = (&'static str, fn(&mut Value, &mut Vec<u8>), &'static str);

#[test]
fn nodes_are_shown_whatever_is_wrong_with_them() {
    let cases: &[Case] = &[
        (
            "cycle",
            |json, _| json["nodes"][2]["children"] = json!([0]),
            "node 0 \"hook\" is its own ancestor: it is taken out of the children of node 2",
        ),
        ("self", |json, _| json["nodes"][2]["children"] = json!([2]), "is a child of both"),
        ("two parents", |json, _| json["nodes"][0]["children"] = json!([1, 2]), "below the first"),
        (
            "child out of range",
            |json, _| json["nodes"][2]["children"] = json!([7]),
            "the child 7 of node 2 \"bob\" is left out: there is none",
        ),
        (
            "root out of range",
            |json, _| json["scenes"][0]["nodes"] = json!([0, 9]),
            "the node 9 of scene 0 is left out",
        ),
        (
            "scene out of range",
            |json, _| json["scene"] = json!(3),
            "the scene 3 of the choice of scene is left out",
        ),
        ("scene by name", |json, _| json["scene"] = json!("main"), "\"main\" is not a number"),
        (
            "infinite",
            |json, _| json["nodes"][1]["translation"] = json!([0, 1e39, 0]),
            "node 1 \"rod\" is not finite: the node is shown where its parent is",
        ),
        (
            "huge",
            |json, _| (0..3).for_each(|i| json["nodes"][i]["scale"] = json!([1e20, 1e20, 1e20])),
            "node 1 \"rod\" is so large that it overflows",
        ),
        (
            "text",
            |json, _| json["nodes"][2]["scale"] = json!("twice"),
            "the scale of node 2 \"bob\" is left out: invalid type: string \"twice\"",
        ),
        (
            "short matrix",
            |json, _| json["nodes"][2]["matrix"] = json!([1, 0, 0]),
            "the matrix of node 2 \"bob\" is left out: invalid length 3",
        ),
        (
            "no node",
            |json, _| json["nodes"][2] = json!(7),
            "node 2 is left out: it is not an object",
        ),
        (
            "no list",
            |json, _| json["meshes"] = json!({}),
            "\"meshes\" is left out: it is not a list",
        ),
        ("no version", |json, _| json["asset"] = json!({}), "read as glTF 2.0"),
    ];
    for (name, edit, expected) in cases {
        let folder = Folder::new(name);
        let (mut json, mut bytes) = swinging();
        edit(&mut json, &mut bytes);
        for path in [
            folder.write_json("broken.gltf", &json, &bytes),
            folder.write_glb("broken.glb", &json, &bytes),
        ] {
            let summary = folder.view(&[&path]).expect(name);
            let findings = &summary.findings;
            assert_eq!(summary.nodes, 3, "{name}");
            assert!(findings.iter().any(|found| found.contains(expected)), "{name}: {findings:?}");
        }
    }
}

#[test]
fn channels_that_are_broken_are_left_out_and_the_rest_is_shown() {
    fn put(bytes: &mut [u8], at: usize, x: f32) {
        bytes[at..at + 4].copy_from_slice(&x.to_le_bytes());
    }
    let cases: &[Case] = &[
        ("NaN", |_, bytes| put(bytes, 12, f32::NAN), "value 0 holds an infinity or NaN"),
        ("infinity", |_, bytes| put(bytes, 64, f32::INFINITY), "value 0 holds an infinity or NaN"),
        ("time NaN", |_, bytes| put(bytes, 4, f32::NAN), "time 1 is NaN"),
        ("time infinite", |_, bytes| put(bytes, 8, f32::INFINITY), "time 2 is inf"),
        ("time negative", |_, bytes| put(bytes, 0, -1.0), "time 0 is -1"),
        ("time backwards", |_, bytes| put(bytes, 8, 0.5), "time 2 is not after"),
        (
            "view too short",
            |json, _| json["bufferViews"][1]["byteLength"] = json!(47),
            "beyond buffer view 1",
        ),
        (
            "view too far",
            |json, _| json["bufferViews"][2]["byteOffset"] = json!(61),
            "beyond buffer view 2",
        ),
        (
            "offset too far",
            |json, _| json["accessors"][1]["byteOffset"] = json!(4),
            "beyond buffer view 1",
        ),
        (
            "offset huge",
            |json, _| json["accessors"][1]["byteOffset"] = json!(u64::MAX - 3),
            "beyond buffer view 1",
        ),
        (
            "count huge",
            |json, _| json["accessors"][2]["count"] = json!(u64::MAX / 2),
            "beyond buffer view 2",
        ),
        ("empty", |json, _| json["accessors"][0]["count"] = json!(0), "accessor 0 is empty"),
        ("uneven", |json, _| json["accessors"][0]["count"] = json!(2), "3 values, and 2 belong"),
        (
            "spline",
            |json, _| json["animations"][0]["samplers"][0]["interpolation"] = json!("CUBICSPLINE"),
            "and 9 belong",
        ),
        (
            "wrong type",
            |json, _| json["accessors"][1]["componentType"] = json!(5125),
            "accessor 1 holds U32",
        ),
        (
            "wrong shape",
            |json, _| json["accessors"][1]["type"] = json!("VEC3"),
            "accessor 1 holds F32",
        ),
        ("overlapping", |json, _| json["bufferViews"][1]["byteStride"] = json!(4), "overlap"),
        (
            "weights",
            |json, _| {
                json["animations"][0]["channels"][0]["target"]["path"] = json!("weights");
                json["accessors"][1]["type"] = json!("SCALAR");
            },
            "morph targets",
        ),
        (
            "unknown path",
            |json, _| json["animations"][0]["channels"][0]["target"]["path"] = json!("color"),
            "left out of \"swing\": 1 of 2 channels, for moving what is no node",
        ),
        (
            "pointer",
            |json, _| {
                json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
                let pointer =
                    json!({ "pointer": "/materials/0/pbrMetallicRoughness/baseColorFactor" });
                let extensions = json!({ "KHR_animation_pointer": pointer });
                let target = json!({ "path": "pointer", "extensions": extensions });
                json["animations"][0]["channels"][0]["target"] = target;
            },
            "left out of \"swing\": 1 of 2 channels, for moving what is no node",
        ),
        ("buffer too short", |_, bytes| bytes.truncate(50), "should have 96"),
        (
            "accessor out of range",
            |json, _| json["animations"][0]["samplers"][0]["output"] = json!(8),
            "channel 0 of \"swing\" is left out: sampler 0: output: index out of bounds",
        ),
        (
            "node out of range",
            |json, _| json["animations"][0]["channels"][0]["target"]["node"] = json!(8),
            "channel 0 of \"swing\" is left out: its target: node: index out of bounds",
        ),
        (
            "sampler out of range",
            |json, _| json["animations"][0]["channels"][1]["sampler"] = json!(8),
            "channel 1 of \"swing\" is left out: it names sampler 8, which is not there",
        ),
        (
            "unknown way",
            |json, _| json["animations"][0]["samplers"][1]["interpolation"] = json!("BOUNCE"),
            "channel 1 of \"swing\" is left out: sampler 1: interpolation: invalid value",
        ),
        (
            "view out of range",
            |json, _| json["accessors"][1]["bufferView"] = json!(8),
            "accessor 1: bufferView: index out of bounds",
        ),
        (
            "buffer out of range",
            |json, _| json["bufferViews"][1]["buffer"] = json!(8),
            "accessor 1: buffer view 1: buffer: index out of bounds",
        ),
        (
            "unknown number",
            |json, _| json["accessors"][1]["componentType"] = json!(1),
            "accessor 1: componentType: invalid value",
        ),
        (
            "count of text",
            |json, _| json["accessors"][1]["count"] = json!("many"),
            "accessor 1: invalid type: string \"many\"",
        ),
        (
            "huge without data",
            |json, _| {
                json["accessors"][1]["count"] = json!(1_000_000_000);
                drop(json["accessors"][1].as_object_mut().unwrap().remove("bufferView"));
            },
            "accessor 1 has 1000000000 elements without data",
        ),
        (
            "channel without sampler",
            |json, _| {
                json["animations"][0]["channels"][1] =
                    json!({ "target": { "node": 1, "path": "scale" } })
            },
            "channel 1 of \"swing\" is left out: missing field `sampler`",
        ),
    ];
    for (name, edit, expected) in cases {
        let folder = Folder::new(name);
        let (mut json, mut bytes) = swinging();
        edit(&mut json, &mut bytes);
        let path = folder.write_json("broken.gltf", &json, &bytes);
        let summary = folder.view(&[&path]).expect(name);
        assert_eq!(summary.nodes, 3);
        assert!(
            summary.findings.iter().any(|finding| finding.contains(expected)),
            "{name}: {:?}",
            summary.findings
        );
    }
}

#[test]
fn buffers_that_are_missing_are_named() {
    let cases = [
        ("gone.bin", "gone.bin"),
        ("data:text/plain,hello", "it has 5 bytes, and should have 96"),
        ("data:text/plain", "no comma"),
        ("data:;base64,@@", "data URI"),
    ];
    for (uri, expected) in cases {
        let folder = Folder::new("missing");
        let (json, bytes) = swinging();
        let path = folder.write_json("missing.gltf", &json, &bytes);
        folder.name_buffer(&path, "other.bin", uri, &bytes);
        let summary = folder.view(&[&path]).unwrap();
        assert_eq!((summary.nodes, summary.animations), (3, 0));
        // Once, though two channels need it.
        let [finding] = &summary.findings[..] else { panic!("{:?}", summary.findings) };
        assert!(finding.contains(expected) && finding.ends_with("with it 2 channels"), "{finding}");
    }
}

#[test]
fn an_animated_matrix_is_taken_apart() {
    let folder = Folder::new("matrix");
    let (mut json, bytes) = swinging();
    json["nodes"][1] =
        json!({ "name": "rod", "children": [2], "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,1,0,1] });
    let path = folder.write_json("matrix.gltf", &json, &bytes);
    let summary = folder.view(&[&path]).unwrap();
    assert!(
        summary.findings[0].starts_with("rod is animated and given as a matrix"),
        "{:?}",
        summary.findings
    );
}

#[test]
fn rotations_of_another_length_are_normalised() {
    let folder = Folder::new("length");
    let (mut json, bytes) = swinging();
    json["nodes"][0]["rotation"] = json!([0, 0, 0, 0]);
    json["nodes"][2]["rotation"] = json!([0, 2, 0, 0]);
    let summary = folder.view(&[&folder.write_json("length.gltf", &json, &bytes)]).unwrap();
    assert_eq!(summary.findings.len(), 2, "{:?}", summary.findings);
}

#[test]
fn a_file_without_nodes_is_an_empty_page() {
    let folder = Folder::new("empty");
    let path = folder.write("empty.gltf", br#"{ "asset": { "version": "2.0" } }"#);
    assert_eq!(folder.view(&[&path]).unwrap().nodes, 0);
}

#[test]
fn what_is_no_gltf_is_an_error() {
    let folder = Folder::new("none");
    let files: [(&str, &[u8]); 6] = [
        ("empty", b""),
        ("text", b"hello"),
        ("json", b"[1, 2]"),
        ("magic", b"glTF"),
        ("short length", b"glTF\x02\0\0\0\x05\0\0\0"),
        ("version 1", b"glTF\x01\0\0\0\x14\0\0\0\0\0\0\0JSON"),
    ];
    for (name, bytes) in files {
        let error = folder.view(&[&folder.write("file", bytes)]).expect_err(name).to_string();
        assert!(error.contains("not a usable glTF"), "{name}: {error}");
    }
}

#[test]
fn paths_and_options_that_do_not_work_are_named() {
    let folder = Folder::new("paths");
    let nowhere = folder.path("nowhere.gltf");
    let cases: [(&[&str], &str); 6] = [
        (&[&nowhere], "cannot read"),
        (&["--fps", "0"], "--fps"),
        (&["--fps", "NaN"], "--fps"),
        (&["--scene", "first"], "first"),
        (&["--wireframe"], "--wireframe"),
        (&["a.gltf", "b.gltf"], "b.gltf"),
    ];
    for (arguments, expected) in &cases {
        let error = folder.view(arguments).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let output = folder.path("no such folder/page.html");
    let error = scene_viewer::command::run(["-o".into(), output.into()].into_iter())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("cannot write") && error.contains("no such folder"), "{error}");
}

#[test]
fn a_chain_of_thirty_thousand_is_shown() {
    let n = 30_000;
    let nodes: Vec<_> = (0..n)
        .map(|i| if i + 1 < n { json!({ "children": [i + 1] }) } else { json!({}) })
        .collect();
    let json = json!({ "asset": { "version": "2.0" }, "nodes": nodes });
    let folder = Folder::new("deep");
    let summary = folder.view(&[&folder.write("deep.gltf", json.to_string().as_bytes())]).unwrap();
    assert_eq!((summary.nodes, summary.depth), (n, n - 1));
}
