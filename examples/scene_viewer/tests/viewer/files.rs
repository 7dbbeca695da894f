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

    /// Shows a file of a table, as JSON, and looks whether it is told what is wrong with it.
    pub fn view_case(&self, Case { line, json, bytes, expected }: &Case<'_>) -> Summary {
        self.view_told(&self.write_json("broken.gltf", json, bytes), line, expected)
    }

    /// Shows a file of which this has to be said.
    pub fn view_told(&self, path: &str, what: &str, expected: &str) -> Summary {
        let summary = self.view(&[path]).expect(what);
        let findings = &summary.findings;
        assert!(findings.iter().any(|found| found.contains(expected)), "{what}: {findings:?}");
        summary
    }

    pub fn page(&self) -> String {
        fs::read_to_string(self.0.join("page.html")).unwrap()
    }

    /// What the page's script gets.
    pub fn data(&self) -> Value {
        let page = self.page();
        let (_, rest) = page.split_once(r#"<script id="data" type="application/json">"#).unwrap();
        serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
    }
}

/// A file of a table, and what has to be said about it.
pub struct Case<'a> {
    pub line: String,
    pub json: Value,
    pub bytes: Vec<u8>,
    pub expected: &'a str,
}

/// The files of a table: a line has edits of this file, with ` ; ` between them, and behind `->`
/// what has to be said. An indented line goes on with the one before.
///
/// ```text
/// /nodes/2/children = [0]   sets a part of the JSON, or takes it away: = nothing
/// f32 12 = NaN, u8 8 = 4    set a number in the buffer, at these bytes
/// length = 50               cuts the buffer off
/// ```
pub fn cases<'a>(table: &'a str, file: &(Value, Vec<u8>)) -> Vec<Case<'a>> {
    let mut cases: Vec<Case<'a>> = Vec::new();
    let mut edits = String::new();
    for line in table.lines().filter(|line| !line.is_empty()) {
        let (left, expected) = line.split_once("-> ").unwrap_or((line, ""));
        edits.push_str(left);
        if expected.is_empty() {
            continue;
        }
        let line = std::mem::take(&mut edits);
        let (json, bytes) = edited(file.clone(), &line);
        cases.push(Case { line, json, bytes, expected });
    }
    assert!(edits.is_empty(), "{edits}");
    cases
}

/// A file after edits, as a table has them.
pub fn edited((mut json, mut bytes): (Value, Vec<u8>), edits: &str) -> (Value, Vec<u8>) {
    let edits = edits.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    for edit in edits.split(" ; ").filter(|edit| !edit.is_empty()) {
        let (place, value) = edit.split_once(" = ").expect(edit);
        set(&mut json, &mut bytes, place.trim(), value.trim());
    }
    (json, bytes)
}

/// What comes of a file after edits, and its page's data.
pub fn shown(name: &str, file: (Value, Vec<u8>), edits: &str) -> (Summary, Value) {
    let folder = Folder::new(name);
    let (json, bytes) = edited(file, edits);
    let summary = folder.view(&[&folder.write_json("shown.gltf", &json, &bytes)]).unwrap();
    (summary, folder.data())
}

fn set(json: &mut Value, bytes: &mut Vec<u8>, place: &str, value: &str) {
    let Some((above, key)) = place.rsplit_once('/') else {
        return match place.split_once(' ').map(|(kind, at)| (kind, at.parse::<usize>().unwrap())) {
            None => bytes.truncate(value.parse().unwrap()),
            Some(("u8", at)) => bytes[at] = value.parse().unwrap(),
            Some((_, at)) => {
                let number: f32 = value.parse().unwrap();
                bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
            }
        };
    };
    match json.pointer_mut(above).expect(place) {
        Value::Array(list) => {
            let at: usize = key.parse().unwrap();
            list.resize_with(list.len().max(at + 1), Value::default);
            list[at] = serde_json::from_str(value).unwrap();
        }
        part if value == "nothing" => drop(part.as_object_mut().unwrap().remove(key).expect(place)),
        part => part[key] = serde_json::from_str(value).unwrap(),
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
