//! The file: JSON that has been read part by part, and its buffers as far as they can be had.

use std::{borrow::Cow, fs, path::Path};

use gltf::{
    binary::Glb,
    json::{Index, Root, validation::Checked},
};
use serde_json::{Value, json};

use super::{
    ViewerError, extensions,
    instances::{self, Instanced},
    parts::{self, Flaws},
    references,
    sights::{self, Sight},
    unknown_targets, uri, version,
    words::counted,
};

/// Of an accessor without data: more than a page can show.
pub const MAX_ZEROS: usize = 1 << 22;

/// The files that lie beside one: from the name in a glTF file, unescaped, to the bytes.
pub type Beside = Box<dyn Fn(&str) -> Result<Vec<u8>, String>>;

/// Nothing lies beside it.
pub fn alone() -> Beside {
    Box::new(|_| Err("it is a file of its own".into()))
}

/// A folder's files.
pub fn folder(path: &Path) -> Beside {
    let path = path.to_path_buf();
    Box::new(move |name| fs::read(path.join(name)).map_err(|error| format!("{name}: {error}")))
}

pub struct Document {
    pub title: String,
    pub gltf: gltf::Document,
    /// By index; why not, for those that are missing. Nodes can be shown without them, animations
    /// cannot.
    pub buffers: Vec<Result<Vec<u8>, String>>,
    beside: Beside,
    /// Why parts cannot be read.
    pub flaws: Flaws,
    /// What was left out while it was read.
    pub findings: Vec<String>,
    /// Nodes whose mesh stands in many places.
    pub instanced: Vec<Instanced>,
    /// Nodes with a camera or a light.
    pub sights: Vec<Sight>,
}

impl Document {
    /// A buffer's bytes, unless they are missing.
    pub fn bytes(&self, buffer: usize) -> Option<&[u8]> {
        self.buffers.get(buffer)?.as_deref().ok()
    }

    /// The file's parts as they are written.
    pub fn json(&self) -> &Root {
        self.gltf.as_json()
    }

    /// The bytes of a file that this one names, or of a data URI.
    pub fn resource(&self, uri: &str) -> Result<Vec<u8>, String> {
        resource(uri, &self.beside)
    }
}

pub fn read(path: &Path) -> Result<Document, ViewerError> {
    let bytes = fs::read(path).map_err(|error| ViewerError::Read { path: path.into(), error })?;
    let title = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    parse(&bytes, &title, path.parent().map_or_else(alone, folder))
}

pub fn parse(bytes: &[u8], title: &str, beside: Beside) -> Result<Document, ViewerError> {
    let malformed = |what: String| ViewerError::Malformed { title: title.into(), what };
    let (json, chunk) = split(bytes).map_err(malformed)?;
    let mut value: Value =
        serde_json::from_slice(trimmed(&json)).map_err(|error| malformed(error.to_string()))?;
    let mut findings = version::check(&value).map_err(malformed)?;
    findings.extend(extensions::describe(&value, &extensions::unknown(&value)));
    findings.extend(unknown_targets::leave_out(&mut value));
    let instanced = instances::find(&value);
    let (sights, left_out) = sights::find(&value);
    findings.extend(left_out);
    let compressed = extensions::compressed(&value);
    let mut buffers = buffers(&value, chunk.as_deref(), &beside);

    let mut parts = parts::read(value).map_err(malformed)?;
    for (mesh, primitive, name) in compressed {
        let why = format!("only {name} has its data, which is not known here");
        parts.flaws.insert(format!("primitive {primitive} of mesh {mesh}"), why);
    }
    findings.append(&mut parts.findings);
    findings.extend(references::mend(&mut parts.root));
    buffers.extend(fill_with_zeros(&mut parts.root).map(Ok));
    let gltf = gltf::Document::from_json_without_validation(parts.root);
    let (title, flaws) = (title.into(), parts.flaws);
    Ok(Document { title, gltf, buffers, beside, flaws, findings, instanced, sights })
}

/// Without a byte order mark before it and NULs after it.
fn trimmed(json: &[u8]) -> &[u8] {
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
    let end = json.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    &json[..end]
}

/// JSON, and the bytes that a GLB has besides.
type Chunks<'a> = (Cow<'a, [u8]>, Option<Cow<'a, [u8]>>);

/// The JSON and the binary chunk of a GLB; or all of it is JSON.
fn split(bytes: &[u8]) -> Result<Chunks<'_>, String> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes.into(), None));
    }
    // The gltf crate subtracts the header's size from this unseen.
    let length =
        bytes.get(8..12).and_then(|length| length.try_into().ok()).map_or(0, u32::from_le_bytes);
    if length < 20 {
        return Err("its GLB header is cut off or gives an impossible length".into());
    }
    let glb = Glb::from_slice(bytes).map_err(|error| format!("GLB: {error}"))?;
    Ok((glb.json, glb.bin))
}

/// The bytes of each buffer, or why they are missing. Only the first one may be the binary chunk.
fn buffers(root: &Value, chunk: Option<&[u8]>, beside: &Beside) -> Vec<Result<Vec<u8>, String>> {
    let all = root["buffers"].as_array().map_or(&[][..], Vec::as_slice).iter().enumerate();
    all.map(|(i, buffer)| load(buffer, chunk.filter(|_| i == 0), beside)).collect()
}

fn load(buffer: &Value, chunk: Option<&[u8]>, beside: &Beside) -> Result<Vec<u8>, String> {
    let bytes = match (buffer["uri"].as_str(), chunk, &extensions::names(buffer)[..]) {
        (Some(uri), ..) => resource(uri, beside)?,
        (None, Some(chunk), _) => chunk.to_vec(),
        (None, None, []) => return Err("it has no URI, and the file no binary chunk for it".into()),
        (None, None, names) => {
            return Err(format!(
                "its bytes come out of {}, which is not known here",
                names.join(", ")
            ));
        }
    };
    let length = buffer["byteLength"].as_u64().ok_or("it has no byteLength")?;
    if (bytes.len() as u64) < length {
        let there = counted(bytes.len(), "byte");
        return Err(format!("it has {there}, and should have {length}"));
    }
    Ok(bytes)
}

fn resource(name: &str, beside: &Beside) -> Result<Vec<u8>, String> {
    uri::data(name).unwrap_or_else(|| beside(&String::from_utf8_lossy(&uri::unescape(name))))
}

/// An accessor without a view and without sparse values is zeros: gives it a view of a buffer of
/// zeros, which is returned, so that it is read like all others.
fn fill_with_zeros(root: &mut Root) -> Option<Vec<u8>> {
    let (buffer, first_view) = (root.buffers.len() as u32, root.buffer_views.len() as u32);
    let mut longest = 0;
    for accessor in &mut root.accessors {
        let (Checked::Valid(component), Checked::Valid(shape)) =
            (accessor.component_type, accessor.type_)
        else {
            continue;
        };
        let count = accessor.count.0 as usize;
        let is_empty = accessor.buffer_view.is_none() && accessor.sparse.is_none();
        if is_empty && (1..=MAX_ZEROS).contains(&count) {
            longest = longest.max(count * component.0.size() * shape.multiplicity());
            accessor.buffer_view = Some(Index::new(first_view));
            accessor.byte_offset = None;
        }
    }
    if longest == 0 {
        return None;
    }
    let view = json!({ "buffer": buffer, "byteLength": longest });
    // All of them share one view: it is read from its beginning, as far as each needs.
    root.buffer_views.push(serde_json::from_value(view).ok()?);
    root.buffers.push(serde_json::from_value(json!({ "byteLength": longest })).ok()?);
    Some(vec![0; longest])
}
