//! What is broken is left out, with a finding, and the rest is shown. What is no glTF ends in an
//! error that says why.

use serde_json::json;

use crate::files::{Folder, cases, shown, swinging};

#[test]
fn nodes_are_shown_whatever_is_wrong_with_them() {
    let table = r#"
/nodes/2/children = [0]
    -> node 0 "hook" is its own ancestor: it is taken out of the children of node 2
/nodes/2/children = [2] -> is a child of both
/nodes/0/children = [1, 2] -> below the first
/nodes/2/children = [7] -> the child 7 of node 2 "bob" is left out: there is none
/scenes/0/nodes = [0, 9] -> the node 9 of scene 0 is left out
/scene = 3 -> the scene 3 of the choice of scene is left out
/scene = "main" -> "main" is not a number
/nodes/1/translation = [0, 1e39, 0]
    -> node 1 "rod" is not finite: the node is shown where its parent is
/nodes/0/scale = [1e20, 1e20, 1e20] ; /nodes/1/scale = [1e20, 1e20, 1e20] ;
    /nodes/2/scale = [1e20, 1e20, 1e20] -> node 1 "rod" is so large that it overflows
/nodes/2/scale = "twice"
    -> the scale of node 2 "bob" is left out: invalid type: string "twice"
/nodes/2/matrix = [1, 0, 0] -> the matrix of node 2 "bob" is left out: invalid length 3
/nodes/2 = 7 -> node 2 is left out: it is not an object
/meshes = {} -> "meshes" is left out: it is not a list
/asset = {} -> read as glTF 2.0
"#;
    let folder = Folder::new("nodes");
    for case in cases(table, &swinging()) {
        assert_eq!(folder.view_case(&case).nodes, 3, "{}", case.line);
        let binary = folder.write_glb("broken.glb", &case.json, &case.bytes);
        assert_eq!(folder.view_told(&binary, &case.line, case.expected).nodes, 3, "{}", case.line);
    }
}

#[test]
fn channels_that_are_broken_are_left_out_and_the_rest_is_shown() {
    let table = r#"
f32 12 = NaN -> value 0 holds an infinity or NaN
f32 64 = inf -> value 0 holds an infinity or NaN
f32 4 = NaN -> time 1 is NaN
f32 8 = inf -> time 2 is inf
f32 0 = -1 -> time 0 is -1
f32 8 = 0.5 -> time 2 is not after
/bufferViews/1/byteLength = 47 -> beyond buffer view 1
/bufferViews/2/byteOffset = 61 -> beyond buffer view 2
/accessors/1/byteOffset = 4 -> beyond buffer view 1
/accessors/1/byteOffset = 18446744073709551612 -> beyond buffer view 1
/accessors/2/count = 9223372036854775807 -> beyond buffer view 2
/accessors/0/count = 0 -> accessor 0 is empty
/accessors/0/count = 2 -> 3 values, and 2 belong
/animations/0/samplers/0/interpolation = "CUBICSPLINE" -> and 9 belong
/accessors/1/componentType = 5125 -> accessor 1 holds U32
/accessors/1/type = "VEC3" -> accessor 1 holds F32
/bufferViews/1/byteStride = 4 -> overlap
/animations/0/channels/0/target/path = "weights" ; /accessors/1/type = "SCALAR" -> morph targets
/animations/0/channels/0/target/path = "color"
    -> left out of "swing": 1 of 2 channels, for moving what is no node
/extensionsUsed = ["KHR_animation_pointer"] ;
    /animations/0/channels/0/target = { "path": "pointer", "extensions":
    { "KHR_animation_pointer": { "pointer": "/materials/0/pbrMetallicRoughness/baseColorFactor" } } }
    -> left out of "swing": 1 of 2 channels, for moving what is no node
length = 50 -> should have 96
/animations/0/samplers/0/output = 8
    -> channel 0 of "swing" is left out: sampler 0: output: index out of bounds
/animations/0/channels/0/target/node = 8
    -> channel 0 of "swing" is left out: its target: node: index out of bounds
/animations/0/channels/1/sampler = 8
    -> channel 1 of "swing" is left out: it names sampler 8, which is not there
/animations/0/samplers/1/interpolation = "BOUNCE"
    -> channel 1 of "swing" is left out: sampler 1: interpolation: invalid value
/accessors/1/bufferView = 8 -> accessor 1: bufferView: index out of bounds
/bufferViews/1/buffer = 8 -> accessor 1: buffer view 1: buffer: index out of bounds
/accessors/1/componentType = 1 -> accessor 1: componentType: invalid value
/accessors/1/count = "many" -> accessor 1: invalid type: string "many"
/accessors/1/count = 1000000000 ; /accessors/1/bufferView = nothing
    -> accessor 1 has 1000000000 elements without data
/animations/0/channels/1 = { "target": { "node": 1, "path": "scale" } }
    -> channel 1 of "swing" is left out: missing field `sampler`
"#;
    let folder = Folder::new("channels");
    for case in cases(table, &swinging()) {
        assert_eq!(folder.view_case(&case).nodes, 3, "{}", case.line);
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
    let edit = r#"/nodes/1 =
        { "name": "rod", "children": [2], "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,1,0,1] }"#;
    let findings = shown("matrix", swinging(), edit).0.findings;
    assert!(findings[0].starts_with("rod is animated and given as a matrix"), "{findings:?}");
}

#[test]
fn rotations_of_another_length_are_normalised() {
    let edits = "/nodes/0/rotation = [0, 0, 0, 0] ; /nodes/2/rotation = [0, 2, 0, 0]";
    let findings = shown("length", swinging(), edits).0.findings;
    assert_eq!(findings.len(), 2, "{findings:?}");
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
