//! Materials: base colour, its texture, and how both are laid on. Images stay as they are: the
//! browser decodes them.

use std::collections::HashMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use gltf::{Material, material::AlphaMode, texture::Info};
use serde_json::{Value, json};

use super::{
    accessors::view,
    document::Document,
    findings::{Findings, Flaw},
    sound,
};

pub struct Materials<'a> {
    document: &'a Document,
    /// By the file's number, and with the texture coordinates that each needs. `None` is glTF's
    /// default material.
    known: HashMap<Option<usize>, (usize, Option<u32>)>,
    made: Vec<Value>,
    /// `None` for those that cannot be shown.
    images: HashMap<usize, Option<usize>>,
    uris: Vec<String>,
}

impl<'a> Materials<'a> {
    pub fn new(document: &'a Document) -> Self {
        Self {
            document,
            known: HashMap::new(),
            made: Vec::new(),
            images: HashMap::new(),
            uris: Vec::new(),
        }
    }

    pub fn data(self) -> (Vec<Value>, Vec<String>) {
        (self.made, self.uris)
    }

    /// The page's number of a material, and the set of texture coordinates that it needs.
    pub fn material(
        &mut self,
        material: &Material<'_>,
        findings: &mut Findings,
    ) -> (usize, Option<u32>) {
        if let Some(&known) = self.known.get(&material.index()) {
            return known;
        }
        let surface = material.pbr_metallic_roughness();
        let texture = surface.base_color_texture();
        let (texture, set) =
            texture.map_or((Value::Null, None), |info| self.texture(&info, findings));
        let is_cut = material.alpha_mode() == AlphaMode::Mask;
        self.made.push(json!({
            "color": surface.base_color_factor(),
            "emissive": material.emissive_factor(),
            "texture": texture,
            "blends": material.alpha_mode() == AlphaMode::Blend,
            "cutoff": is_cut.then(|| material.alpha_cutoff().unwrap_or(0.5)),
            "twoSided": material.double_sided(),
            "unlit": material.unlit(),
        }));
        let made = (self.made.len() - 1, set);
        self.known.insert(material.index(), made);
        made
    }

    fn texture(&mut self, info: &Info<'_>, findings: &mut Findings) -> (Value, Option<u32>) {
        let texture = info.texture();
        let Some(image) = texture.source().and_then(|image| self.image(image.index(), findings))
        else {
            return (Value::Null, None);
        };
        let sampler = texture.sampler();
        let moved = info.texture_transform();
        let (offset, rotation, scale) = moved
            .as_ref()
            .map_or(([0.0; 2], 0.0, [1.0; 2]), |t| (t.offset(), t.rotation(), t.scale()));
        let set = moved.and_then(|t| t.tex_coord()).unwrap_or(info.tex_coord());
        let (sin, cos) = rotation.sin_cos();
        let value = json!({
            "image": image,
            "wrap": [sampler.wrap_s().as_gl_enum(), sampler.wrap_t().as_gl_enum()],
            "nearest": sampler.mag_filter() == Some(gltf::texture::MagFilter::Nearest),
            // Columns of a 3 by 2 matrix: translation times rotation times scale, as
            // KHR_texture_transform has it.
            "transform": [
                scale[0] * cos, -scale[0] * sin,
                scale[1] * sin, scale[1] * cos,
                offset[0], offset[1],
            ],
        });
        (value, Some(set))
    }

    fn image(&mut self, index: usize, findings: &mut Findings) -> Option<usize> {
        if let Some(&known) = self.images.get(&index) {
            return known;
        }
        let made = match uri(self.document, index) {
            Ok(uri) => {
                self.uris.push(uri);
                Some(self.uris.len() - 1)
            }
            Err(flaw) => {
                findings.leave_out("image", &format!("image {index}"), flaw);
                None
            }
        };
        self.images.insert(index, made);
        made
    }
}

/// The image's bytes as a data URI. They are what they begin with, whatever the file says about
/// them.
fn uri(document: &Document, index: usize) -> Result<String, Flaw> {
    document.flaws.check(format_args!("image {index}"))?;
    let image = document.gltf.as_json().images.get(index).ok_or("there is no such image")?;
    let bytes = match (&image.buffer_view, &image.uri) {
        (Some(index), _) => {
            sound::view(document, index.value())?;
            let found =
                document.gltf.views().nth(index.value()).ok_or("there is no such buffer view")?;
            view(document, &found)?.to_vec()
        }
        (None, Some(uri)) => document.resource(uri)?,
        (None, None) => return Err("it has neither bytes nor a name".into()),
    };
    let kind = match bytes.as_slice() {
        [0x89, b'P', b'N', b'G', ..] => "png",
        [0xff, 0xd8, 0xff, ..] => "jpeg",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "webp",
        _ => return Err("it is neither PNG nor JPEG".into()),
    };
    Ok(format!("data:image/{kind};base64,{}", STANDARD.encode(bytes)))
}
