//! From JSON to the gltf crate's types, part by part, so that one flaw costs one part.
//!
//! Other parts name a part by its number, so one that cannot be read keeps its place. A stand-in
//! takes it, and the reason is kept for what needs the part:
//!
//! ```text
//! "accessors": [ {..}, {"count": "many", ..}, {..} ]
//!                  0          1                 2
//!                             flaws["accessor 1"] = invalid type: string "many", expected u64
//! ```
//!
//! Of a node, a material, a sampler or a texture only the field that cannot be read is left out.

use std::{collections::HashMap, fmt};

use gltf::json::{Animation, Mesh, Root};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::{findings::Flaw, names};

/// Why parts cannot be read, by their names.
#[derive(Default)]
pub struct Flaws(HashMap<String, String>);

impl Flaws {
    /// # Errors
    /// Why this part cannot be read.
    pub fn check(&self, part: fmt::Arguments<'_>) -> Result<(), Flaw> {
        // Most files have none, and need no names.
        let why = (!self.0.is_empty()).then(|| self.0.get(&part.to_string())).flatten();
        why.map_or(Ok(()), |why| Err(why.as_str().into()))
    }

    pub fn insert(&mut self, part: String, why: String) {
        self.0.insert(part, why);
    }
}

/// A file's parts.
pub struct Parts {
    pub root: Root,
    pub flaws: Flaws,
    pub findings: Vec<String>,
}

/// Reads all parts that this viewer uses. Numbers of other parts are not checked.
///
/// # Errors
/// If the JSON is not an object. All else is left out.
pub fn read(value: Value) -> Result<Parts, String> {
    let Value::Object(mut file) = value else { return Err("its JSON is not an object".into()) };
    file.values_mut().for_each(forget_extras);
    let mut reader = Reader { file, flaws: Flaws::default(), findings: Vec::new() };
    let accessor = json!({ "componentType": 5126, "count": 0, "type": "SCALAR" });
    let root = Root {
        accessors: reader.list("accessors", "accessor", &accessor),
        animations: reader.each("animations", Reader::animation),
        buffers: reader.list("buffers", "buffer", &json!({ "byteLength": 0 })),
        buffer_views: reader.list(
            "bufferViews",
            "buffer view",
            &json!({ "buffer": u32::MAX, "byteLength": 0 }),
        ),
        images: reader.list("images", "image", &json!({})),
        materials: reader.fields("materials", "material", &json!({})),
        meshes: reader.each("meshes", Reader::mesh),
        nodes: reader.fields("nodes", "node", &json!({})),
        samplers: reader.fields("samplers", "sampler", &json!({})),
        scene: reader.scene(),
        scenes: reader.fields("scenes", "scene", &json!({ "nodes": [] })),
        skins: reader.list("skins", "skin", &json!({ "joints": [] })),
        textures: reader.fields("textures", "texture", &json!({})),
        ..Root::default()
    };
    Ok(Parts { root, flaws: reader.flaws, findings: reader.findings })
}

/// glTF allows any JSON as `extras`, and the gltf crate objects only.
fn forget_extras(part: &mut Value) {
    match part {
        Value::Array(parts) => parts.iter_mut().for_each(forget_extras),
        Value::Object(fields) => {
            fields.remove("extras");
            fields.values_mut().for_each(forget_extras);
        }
        _ => {}
    }
}

struct Reader {
    /// What is not read yet.
    file: Map<String, Value>,
    flaws: Flaws,
    findings: Vec<String>,
}

impl Reader {
    fn take(&mut self, key: &str) -> Vec<Value> {
        match self.file.remove(key) {
            None => Vec::new(),
            Some(Value::Array(parts)) => parts,
            Some(_) => {
                self.findings.push(format!("{key:?} is left out: it is not a list"));
                Vec::new()
            }
        }
    }

    fn each<T>(&mut self, key: &str, mut read: impl FnMut(&mut Self, usize, Value) -> T) -> Vec<T> {
        let parts = self.take(key).into_iter().enumerate();
        parts.map(|(i, part)| read(self, i, part)).collect()
    }

    /// Parts of which each is read whole, or not at all.
    fn list<T: DeserializeOwned>(&mut self, key: &str, noun: &str, stand_in: &Value) -> Vec<T> {
        self.each(key, |it, i, part| it.part(&part, format_args!("{noun} {i}"), stand_in))
    }

    fn part<T: DeserializeOwned>(
        &mut self,
        part: &Value,
        name: fmt::Arguments<'_>,
        stand_in: &Value,
    ) -> T {
        T::deserialize(part).unwrap_or_else(|error| {
            self.flaws.insert(name.to_string(), error.to_string());
            known(stand_in)
        })
    }

    /// Parts whose fields can do without each other.
    fn fields<T: DeserializeOwned>(&mut self, key: &str, noun: &str, empty: &Value) -> Vec<T> {
        self.each(key, |it, i, part| it.readable_fields(part, noun, i, empty))
    }

    fn readable_fields<T: DeserializeOwned>(
        &mut self,
        part: Value,
        noun: &str,
        index: usize,
        empty: &Value,
    ) -> T {
        if let Ok(whole) = T::deserialize(&part) {
            return whole;
        }
        let name = part["name"].as_str().filter(|name| names::is_seen(name));
        let who = names::described(noun, index, name);
        let mut readable = empty.clone();
        let Value::Object(fields) = part else {
            self.findings.push(format!("{who} is left out: it is not an object"));
            return known(empty);
        };
        for (key, field) in fields {
            let mut alone = empty.clone();
            alone[&key] = field.clone();
            match T::deserialize(&alone) {
                Ok(_) => readable[&key] = field,
                Err(error) => {
                    self.findings.push(format!("the {key} of {who} is left out: {error}"))
                }
            }
        }
        known(&readable)
    }

    fn scene(&mut self) -> Option<gltf::json::Index<gltf::json::Scene>> {
        let number = self.file.remove("scene")?;
        let index = number.as_u64().and_then(|number| u32::try_from(number).ok());
        if index.is_none() {
            self.findings
                .push(format!("the choice of scene is left out: {number} is not a number"));
        }
        index.map(gltf::json::Index::new)
    }

    fn mesh(&mut self, m: usize, mut mesh: Value) -> Mesh {
        let stand_in = json!({ "attributes": {} });
        let primitives = self.inner(&mut mesh, "primitive", &format!("mesh {m}"), &stand_in);
        let mesh: Mesh = self.readable_fields(mesh, "mesh", m, &json!({ "primitives": [] }));
        Mesh { primitives, ..mesh }
    }

    fn animation(&mut self, a: usize, mut animation: Value) -> Animation {
        const NOWHERE: u32 = u32::MAX;
        let sampler = json!({ "input": NOWHERE, "output": NOWHERE });
        let channel = json!({
            "sampler": NOWHERE,
            "target": { "node": NOWHERE, "path": "translation" },
        });
        let who = format!("animation {a}");
        let samplers = self.inner(&mut animation, "sampler", &who, &sampler);
        let channels = self.inner(&mut animation, "channel", &who, &channel);
        let empty = json!({ "channels": [], "samplers": [] });
        let animation: Animation = self.readable_fields(animation, "animation", a, &empty);
        Animation { channels, samplers, ..animation }
    }

    /// Takes a list out of a part. What is not an object becomes one, without anything in it.
    fn inner<T: DeserializeOwned>(
        &mut self,
        part: &mut Value,
        noun: &str,
        who: &str,
        stand_in: &Value,
    ) -> Vec<T> {
        let key = format!("{noun}s");
        if !part.is_object() {
            *part = json!({});
        }
        let Value::Array(list) = std::mem::replace(&mut part[&key], json!([])) else {
            self.findings.push(format!("{who} is left out: it has no list of {key}"));
            return Vec::new();
        };
        let parts = list.iter().enumerate();
        parts.map(|(i, it)| self.part(it, format_args!("{noun} {i} of {who}"), stand_in)).collect()
    }
}

/// What this file itself has put together.
fn known<T: DeserializeOwned>(value: &Value) -> T {
    T::deserialize(value).expect("a stand-in, or fields that have been read one by one")
}
