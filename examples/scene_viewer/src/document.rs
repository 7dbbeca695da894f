//! The file: JSON that has been validated, and its buffers as far as they can be had.

use std::{borrow::Cow, fs, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use gltf::{
    binary::Glb,
    buffer::Source,
    json::{
        Path as JsonPath, Root,
        mesh::Semantic,
        validation::{Checked, Error as Flaw, Validate},
    },
};
use serde_json::Value;

use super::{
    ViewerError,
    instances::{self, Instanced},
    unknown_targets, version,
    words::counted,
};

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
    /// Channels that are left out, because what they move is not known here.
    pub unknown_channels: Vec<String>,
    /// Nodes whose mesh stands in many places.
    pub instanced: Vec<Instanced>,
}

impl Document {
    /// A buffer's bytes, unless they are missing.
    pub fn bytes(&self, buffer: usize) -> Option<&[u8]> {
        self.buffers.get(buffer)?.as_deref().ok()
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
    let (json, blob) = split(bytes).map_err(malformed)?;
    let mut value: Value =
        serde_json::from_slice(&json).map_err(|error| malformed(error.to_string()))?;
    version::check(&value).map_err(malformed)?;
    let instanced = instances::find(&value);
    let unknown_channels = unknown_targets::leave_out(&mut value);
    // As it was written where nothing is left out, so that errors name the right line.
    let json =
        if unknown_channels.is_empty() { json } else { value.to_string().into_bytes().into() };
    let root: Root =
        gltf::json::deserialize::from_slice(&json).map_err(|error| malformed(error.to_string()))?;
    validate(&root).map_err(malformed)?;
    let gltf = gltf::Document::from_json_without_validation(root);
    let buffers = gltf.buffers().map(|buffer| load(&buffer, blob.as_deref(), &beside)).collect();
    Ok(Document { title: title.into(), gltf, buffers, beside, unknown_channels, instanced })
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

/// Everything the gltf crate relies on, but no support for extensions: nodes and animations do not
/// need them.
fn validate(root: &Root) -> Result<(), String> {
    positions_are_there(root)?;
    let mut flaws = Vec::new();
    let mut report = |path: &dyn Fn() -> JsonPath, flaw: Flaw| {
        if flaw != Flaw::Unsupported {
            flaws.push(format!("{}: {}", path(), flaw.to_string().to_lowercase()));
        }
    };
    root.validate(root, JsonPath::new, &mut report);
    // The gltf crate forgets these.
    for (a, animation) in root.animations.iter().enumerate() {
        for (c, channel) in animation.channels.iter().enumerate() {
            let path = || {
                JsonPath::new()
                    .field("animations")
                    .index(a)
                    .field("channels")
                    .index(c)
                    .field("target")
            };
            channel.target.validate(root, path, &mut report);
        }
    }
    if flaws.len() > 4 {
        let more = flaws.len() - 3;
        flaws.truncate(3);
        flaws.push(format!("and {more} more"));
    }
    match (flaws.is_empty(), root.extensions_required.is_empty()) {
        (true, _) => Ok(()),
        (false, true) => Err(flaws.join("; ")),
        // Which may be why, as with compressed meshes.
        (false, false) => Err(format!(
            "{} (it requires {})",
            flaws.join("; "),
            root.extensions_required.join(", ")
        )),
    }
}

/// The gltf crate's own validation takes it for granted.
fn positions_are_there(root: &Root) -> Result<(), String> {
    for (m, mesh) in root.meshes.iter().enumerate() {
        for (p, primitive) in mesh.primitives.iter().enumerate() {
            let positions = primitive.attributes.get(&Checked::Valid(Semantic::Positions));
            if positions.is_some_and(|index| index.value() >= root.accessors.len()) {
                return Err(format!(
                    "meshes[{m}].primitives[{p}].attributes.POSITION: index out of bounds"
                ));
            }
        }
    }
    Ok(())
}

fn load(
    buffer: &gltf::Buffer<'_>,
    blob: Option<&[u8]>,
    beside: &Beside,
) -> Result<Vec<u8>, String> {
    let bytes = match buffer.source() {
        Source::Bin => blob.ok_or("the file has no binary chunk")?.to_vec(),
        Source::Uri(uri) => resource(uri, beside)?,
    };
    if bytes.len() < buffer.length() {
        let there = counted(bytes.len(), "byte");
        return Err(format!("it has {there}, and should have {}", buffer.length()));
    }
    Ok(bytes)
}

fn resource(uri: &str, beside: &Beside) -> Result<Vec<u8>, String> {
    match uri.strip_prefix("data:") {
        Some(data) => {
            let (_, data) = data.split_once(";base64,").ok_or("its data URI is not base64")?;
            STANDARD.decode(data).map_err(|error| format!("its data URI: {error}"))
        }
        None => beside(&unescape(uri)),
    }
}

/// `%20` and the like.
fn unescape(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let escaped = (byte == b'%').then(|| after.get(..2)).flatten();
        let value =
            escaped.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(value.unwrap_or(byte));
        rest = if value.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
