//! Numbers of parts that are not there, and words without a meaning, where the rest can do without
//! them: a node's mesh, skin and children, a scene's nodes, a primitive's material, what a texture
//! is and how it is laid on.

use gltf::json::{Index, Root, validation::Checked};

use super::names;

/// Takes them out, and says so of each.
pub fn mend(root: &mut Root) -> Vec<String> {
    let mut mending = Mending(Vec::new());
    let (meshes, skins, nodes) = (root.meshes.len(), root.skins.len(), root.nodes.len());
    for (i, node) in root.nodes.iter_mut().enumerate() {
        let who = || names::described("node", i, node.name.as_deref());
        mending.option(&mut node.mesh, meshes, "mesh", who);
        mending.option(&mut node.skin, skins, "skin", who);
        node.children.iter_mut().for_each(|list| mending.list(list, nodes, "child", who));
    }
    for (i, scene) in root.scenes.iter_mut().enumerate() {
        mending.list(&mut scene.nodes, nodes, "node", || format!("scene {i}"));
    }
    let scenes = root.scenes.len();
    mending.option(&mut root.scene, scenes, "scene", || "the choice of scene".into());
    let materials = root.materials.len();
    for (m, mesh) in root.meshes.iter_mut().enumerate() {
        for (p, primitive) in mesh.primitives.iter_mut().enumerate() {
            let who = || format!("primitive {p} of mesh {m}");
            mending.option(&mut primitive.material, materials, "material", who);
            // Attributes of an application's own mean nothing here.
            primitive.attributes.retain(|name, _| matches!(name, Checked::Valid(_)));
        }
    }
    mending.looks(root);
    mending.0
}

/// What has been found.
struct Mending(Vec<String>);

impl Mending {
    /// Materials, textures and samplers.
    fn looks(&mut self, root: &mut Root) {
        let (textures, images) = (root.textures.len(), root.images.len());
        for (i, material) in root.materials.iter_mut().enumerate() {
            let who = || names::described("material", i, material.name.as_deref());
            let texture = &mut material.pbr_metallic_roughness.base_color_texture;
            texture.take_if(|info| self.is_missing(&info.index, textures, "texture", who));
            self.word(&mut material.alpha_mode, "alphaMode", who);
        }
        for (i, texture) in root.textures.iter_mut().enumerate() {
            let who = || names::described("texture", i, texture.name.as_deref());
            self.option(&mut texture.sampler, root.samplers.len(), "sampler", who);
            // The largest number is the gltf crate's word for none.
            let none = Index::new(u32::MAX);
            if texture.source != none && self.is_missing(&texture.source, images, "image", who) {
                texture.source = none;
            }
        }
        for (i, sampler) in root.samplers.iter_mut().enumerate() {
            let who = || names::described("sampler", i, sampler.name.as_deref());
            self.word(&mut sampler.wrap_s, "wrapS", who);
            self.word(&mut sampler.wrap_t, "wrapT", who);
            sampler.mag_filter.take_if(|filter| self.means_nothing(filter, "magFilter", who));
            sampler.min_filter.take_if(|filter| self.means_nothing(filter, "minFilter", who));
        }
    }

    fn option<T>(
        &mut self,
        index: &mut Option<Index<T>>,
        count: usize,
        noun: &str,
        who: impl Fn() -> String,
    ) {
        index.take_if(|index| self.is_missing(index, count, noun, &who));
    }

    fn list<T>(
        &mut self,
        list: &mut Vec<Index<T>>,
        count: usize,
        noun: &str,
        who: impl Fn() -> String,
    ) {
        list.retain(|index| !self.is_missing(index, count, noun, &who));
    }

    /// Whether glTF gives a word no meaning.
    fn means_nothing<T>(&mut self, word: &Checked<T>, key: &str, who: impl Fn() -> String) -> bool {
        let means_nothing = matches!(word, Checked::Invalid);
        if means_nothing {
            self.0.push(format!("the {key} of {} is left out: glTF has no such value", who()));
        }
        means_nothing
    }

    fn word<T: Default>(&mut self, word: &mut Checked<T>, key: &str, who: impl Fn() -> String) {
        if self.means_nothing(word, key, who) {
            *word = Checked::default();
        }
    }

    fn is_missing<T>(
        &mut self,
        index: &Index<T>,
        count: usize,
        noun: &str,
        who: impl Fn() -> String,
    ) -> bool {
        let (index, is_missing) = (index.value(), index.value() >= count);
        if is_missing {
            self.0.push(format!("the {noun} {index} of {} is left out: there is none", who()));
        }
        is_missing
    }
}
