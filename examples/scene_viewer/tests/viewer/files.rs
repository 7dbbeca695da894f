//! Files to show: a swinging chain of three nodes, and a folder of one's own to keep it in.

use std::{fs, path::PathBuf};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use scene_viewer::{
    ViewerError,
    command::{self, Report, Summary},
};
use serde_json::{Value, json};

/// Deleted with everything in it.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("scene_viewer-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().into()
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> String {
        fs::write(self.0.join(name), bytes).unwrap();
        self.path(name)
    }

    /// The buffer goes into a data URI.
    pub fn write_json(&self, name: &str, json: &Value, bytes: &[u8]) -> String {
        let mut json = json.clone();
        let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(bytes));
        json["buffers"][0]["uri"] = uri.into();
        self.write(name, json.to_string().as_bytes())
    }

    pub fn write_glb(&self, name: &str, json: &Value, bytes: &[u8]) -> String {
        self.write(name, &glb(json, bytes))
    }

    /// The buffer becomes a file of its own.
    pub fn name_buffer(&self, path: &str, name: &str, uri: &str, bytes: &[u8]) {
        let mut json: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        json["buffers"][0]["uri"] = uri.into();
        fs::write(path, json.to_string()).unwrap();
        self.write(name, bytes);
    }

    pub fn view(&self, arguments: &[&str]) -> Result<Summary, ViewerError> {
        let output = self.path("page.html");
        let arguments = arguments.iter().copied().chain(["--output", &output]).map(Into::into);
        match command::run(arguments.collect::<Vec<_>>().into_iter())? {
            Report::Page(summary) => Ok(*summary),
            Report::Help => panic!("help was not asked for"),
        }
    }

    pub fn page(&self) -> String {
        fs::read_to_string(self.0.join("page.html")).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn glb(json: &Value, bytes: &[u8]) -> Vec<u8> {
    let header = gltf::binary::Header { magic: *b"glTF", version: 2, length: 0 };
    let json = json.to_string().into_bytes();
    gltf::binary::Glb { header, json: json.into(), bin: Some(bytes.to_vec().into()) }
        .to_vec()
        .unwrap()
}

/// Three nodes; the middle one turns a quarter about z and moves, with three keys in two seconds.
///
/// The buffer: times (3 f32), rotations (3 Vec4), translations (3 Vec3); 96 bytes.
pub fn swinging() -> (Value, Vec<u8>) {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let times = [0.0, 1.0, 2.0_f32];
    let rotations = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, half, half], [0.0, 0.0, 0.0, 1.0_f32]];
    let translations = [[0.0, 1.0, 0.0], [0.0, 2.0, 0.0], [0.0, 1.0, 0.0_f32]];
    let numbers =
        times.iter().chain(rotations.iter().flatten()).chain(translations.iter().flatten());
    let json = json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": [0] }],
        "nodes": [
            { "name": "hook", "children": [1], "translation": [1, 0, 0] },
            { "name": "rod", "children": [2], "translation": [0, 1, 0] },
            { "name": "bob", "translation": [0, 1, 0], "scale": [2, 2, 2] },
        ],
        "animations": [{
            "name": "swing",
            "samplers": [
                { "input": 0, "output": 1, "interpolation": "LINEAR" },
                { "input": 0, "output": 2, "interpolation": "STEP" },
            ],
            "channels": [
                { "sampler": 0, "target": { "node": 1, "path": "rotation" } },
                { "sampler": 1, "target": { "node": 1, "path": "translation" } },
            ],
        }],
        "accessors": [
            {
                "bufferView": 0, "componentType": 5126, "count": 3, "type": "SCALAR",
                "min": [0.0], "max": [2.0],
            },
            { "bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC4" },
            { "bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC3" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": 12 },
            { "buffer": 0, "byteOffset": 12, "byteLength": 48 },
            { "buffer": 0, "byteOffset": 60, "byteLength": 36 },
        ],
        "buffers": [{ "byteLength": 96 }],
    });
    (json, numbers.flat_map(|x| x.to_le_bytes()).collect())
}
