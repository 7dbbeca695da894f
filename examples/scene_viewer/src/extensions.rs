//! Extensions that a file requires and this viewer does not know: which, and what uses them.

use serde_json::Value;

use super::words::counted;

const KNOWN: [&str; 4] = [
    "EXT_mesh_gpu_instancing",
    "KHR_lights_punctual",
    "KHR_materials_unlit",
    "KHR_texture_transform",
];

/// The lists of a file whose elements are counted, and a word for each.
const KINDS: [(&str, &str); 13] = [
    ("scenes", "scene"),
    ("nodes", "node"),
    ("meshes", "mesh"),
    ("skins", "skin"),
    ("cameras", "camera"),
    ("animations", "animation"),
    ("materials", "material"),
    ("textures", "texture"),
    ("images", "image"),
    ("samplers", "sampler"),
    ("accessors", "accessor"),
    ("bufferViews", "buffer view"),
    ("buffers", "buffer"),
];

/// The names that the file requires and that are not known here.
pub fn unknown(root: &Value) -> Vec<String> {
    let required = root["extensionsRequired"].as_array();
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    names.filter(|name| !KNOWN.contains(name)).map(Into::into).collect()
}

/// What to say about each of them: `the file requires ACME_ice, which is not known here (it
/// is on 1 node)`.
pub fn describe(root: &Value, unknown: &[String]) -> Vec<String> {
    let describe = |name: &String| {
        let count = |key| {
            let parts = root[key].as_array().map_or(&[][..], Vec::as_slice);
            parts.iter().filter(|part| has(part, name)).count()
        };
        let counts = KINDS.map(|(key, noun)| (count(key), noun));
        let counts: Vec<_> = counts
            .into_iter()
            .filter(|&(count, _)| count > 0)
            .map(|(count, noun)| counted(count, noun))
            .collect();
        let on = if counts.is_empty() {
            String::new()
        } else {
            format!(" (it is on {})", counts.join(", "))
        };
        format!("the file requires {name}, which is not known here{on}")
    };
    unknown.iter().map(describe).collect()
}

/// Whether a part or anything in it has the extension.
fn has(part: &Value, name: &str) -> bool {
    match part {
        Value::Array(parts) => parts.iter().any(|part| has(part, name)),
        Value::Object(fields) => {
            part["extensions"].get(name).is_some() || fields.values().any(|field| has(field, name))
        }
        _ => false,
    }
}

/// The extensions of one part.
pub fn names(part: &Value) -> Vec<&str> {
    let fields = part["extensions"].as_object();
    fields.map_or_else(Vec::new, |fields| fields.keys().map(String::as_str).collect())
}

/// Primitives whose positions only an extension has (KHR_draco_mesh_compression), by mesh and
/// primitive, and its name. Without it they would all be zero.
pub fn compressed(root: &Value) -> Vec<(usize, usize, String)> {
    let list = |value: &'_ Value| value.as_array().map_or(0, Vec::len);
    let mut found = Vec::new();
    for m in 0..list(&root["meshes"]) {
        let primitives = &root["meshes"][m]["primitives"];
        for p in 0..list(primitives) {
            let index = primitives[p]["attributes"]["POSITION"].as_u64();
            let Some(index) = index.and_then(|index| usize::try_from(index).ok()) else { continue };
            let positions = &root["accessors"][index];
            let has_data = ["bufferView", "sparse"].iter().any(|key| !positions[key].is_null());
            if let (false, [name, ..]) = (has_data, &names(&primitives[p])[..]) {
                found.push((m, p, (*name).into()));
            }
        }
    }
    found
}
