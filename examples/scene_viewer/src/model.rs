//! What the file shows: nodes as a scene description, what they are, and how they move.

use std::collections::BTreeSet;

use legion_transform::{
    components::LocalToParent,
    scene::{NodeTransform, Scene},
};

use super::{
    ViewerError, channels,
    document::Document,
    findings::Findings,
    geometry::Geometry,
    instances, morph, names, nodes,
    pack::widen,
    sample::Animation,
    sights::{Camera, Light},
    skins::Skins,
    sound,
};

pub struct Model {
    /// The file's name.
    pub title: String,
    pub scene: Scene,
    /// Likewise by node.
    pub looks: Vec<Look>,
    pub animations: Vec<Animation>,
    /// What the graphics card draws, for the page.
    pub geometry: serde_json::Value,
    pub findings: Vec<String>,
}

/// What the page draws for a node besides its place.
#[derive(Default)]
pub struct Look {
    pub is_joint: bool,
    pub camera: Option<Camera>,
    pub light: Option<Light>,
    /// The file gives it no name that can be seen.
    pub is_unnamed: bool,
    /// Numbers of the geometry's mesh, and of the skin whose joints move it instead of the node's
    /// own place.
    pub mesh: Option<(usize, Option<usize>)>,
    /// Where there is no WebGL: the mesh's box.
    pub bounds: Option<Bounds>,
    /// Of the mesh's morph targets, at rest.
    pub weights: Vec<f32>,
}

#[derive(Clone)]
pub struct Bounds {
    pub low: [f32; 3],
    pub high: [f32; 3],
    pub color: [f32; 3],
}

impl Model {
    pub fn new(document: &Document, scene: Option<usize>) -> Result<Self, ViewerError> {
        let mut findings = Findings::default();
        document.findings.iter().for_each(|finding| findings.tell(finding.clone()));
        let whole = nodes::describe(document, &mut findings);
        let bad = |error| ViewerError::Scene { title: document.title.clone(), error };
        whole.check().map_err(bad)?;

        let roots = match scene {
            Some(index) => {
                let missing = || ViewerError::NoSuchScene {
                    title: document.title.clone(),
                    scene: index,
                    scenes: document.gltf.scenes().len(),
                };
                Some(document.gltf.scenes().nth(index).ok_or_else(missing)?)
            }
            None => document.gltf.default_scene(),
        };
        let kept = match roots {
            Some(scene) => below(&whole, scene.nodes().map(|node| node.index()).collect()),
            None => (0..whole.nodes.len()).collect(),
        };
        let mut new_index = vec![None; whole.nodes.len()];
        kept.iter().enumerate().for_each(|(new, &old)| new_index[old] = Some(new));

        let animations = channels::animations(document, &new_index, &mut findings);
        let (looks, geometry) = looks(document, &kept, &new_index, &mut findings);
        let mut model = Self {
            title: document.title.clone(),
            scene: Scene::default(),
            looks,
            animations,
            geometry,
            findings: vec![],
        };
        for &old in &kept {
            let mut node = whole.nodes[old].clone();
            node.children =
                node.children.into_iter().filter_map(|child| new_index[child]).collect();
            model.scene.add(node);
        }
        instances::add(&mut model, document, &new_index, &mut findings);
        model.free_animated_matrices(&mut findings);
        model.findings = findings.all(document);
        Ok(model)
    }

    /// The number of links on the longest way down.
    pub fn depth(&self) -> usize {
        let nodes = &self.scene.nodes;
        let mut is_child = vec![false; nodes.len()];
        nodes.iter().flat_map(|node| &node.children).for_each(|&child| is_child[child] = true);
        let mut level: Vec<usize> = (0..nodes.len()).filter(|&node| !is_child[node]).collect();
        let mut levels: usize = 0;
        while !level.is_empty() {
            levels += 1;
            level =
                level.into_iter().flat_map(|node| nodes[node].children.iter().copied()).collect();
        }
        levels.saturating_sub(1)
    }

    /// An animated node must have components to animate; glTF demands as much of its files.
    fn free_animated_matrices(&mut self, findings: &mut Findings) {
        for node in self.animated() {
            let NodeTransform::Matrix(matrix) = self.scene.nodes[node].transform else { continue };
            let local = LocalToParent(matrix);
            let (rotation, scale) = (local.rotation().0, local.scale().0);
            let translation = local.position().coords;
            self.scene.nodes[node].transform = NodeTransform::Trs { translation, rotation, scale };
            let name = self.name(node);
            findings.tell(format!(
                "{name} is animated and given as a matrix: its shear, if any, is dropped; give it \
                 as translation, rotation and scale"
            ));
        }
    }

    /// The nodes that some animation moves.
    pub fn animated(&self) -> BTreeSet<usize> {
        let tracks = self.animations.iter().flat_map(|animation| &animation.tracks);
        tracks.map(|track| track.node).collect()
    }

    pub fn name(&self, node: usize) -> String {
        self.scene.nodes[node].name.clone().unwrap_or_else(|| format!("node {node}"))
    }
}

/// `roots` and all below them, in the file's order.
fn below(scene: &Scene, roots: Vec<usize>) -> Vec<usize> {
    let mut reached = vec![false; scene.nodes.len()];
    let mut open = roots;
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            open.extend_from_slice(&scene.nodes[node].children);
        }
    }
    (0..reached.len()).filter(|&node| reached[node]).collect()
}

/// How the kept nodes look, and the geometry that they refer to.
fn looks(
    document: &Document,
    kept: &[usize],
    new_index: &[Option<usize>],
    findings: &mut Findings,
) -> (Vec<Look>, serde_json::Value) {
    let nodes: Vec<_> = document.gltf.nodes().collect();
    let mut is_joint = vec![false; nodes.len()];
    let joints = document.json().skins.iter().flat_map(|skin| &skin.joints);
    for joint in joints.filter(|joint| joint.value() < nodes.len()) {
        is_joint[joint.value()] = true;
    }
    let (mut geometry, mut skins) = (Geometry::new(document), Skins::default());
    let look = |&old: &usize| {
        let node = &nodes[old];
        let mesh = node.mesh().map(|mesh| {
            let (mesh, most) = geometry.mesh(&mesh, findings);
            let skin =
                node.skin().map(|skin| skins.skin(document, &skin, most, new_index, &mut geometry));
            match skin.transpose() {
                Ok(skin) => Some((mesh, skin)),
                Err(flaw) => {
                    findings.leave_out("skinned mesh", &format!("the mesh of node {old}"), flaw);
                    None
                }
            }
        });
        Look {
            is_joint: is_joint[old],
            is_unnamed: !node.name().is_some_and(names::is_seen),
            mesh: mesh.flatten(),
            bounds: node
                .mesh()
                .filter(|_| node.skin().is_none())
                .and_then(|mesh| bounds(document, &mesh)),
            weights: morph::weights_of(document, node),
            ..Look::default()
        }
    };
    let mut looks: Vec<Look> = kept.iter().map(look).collect();
    for sight in &document.sights {
        if let Some(node) = new_index[sight.node] {
            (looks[node].camera, looks[node].light) = (sight.camera, sight.light);
        }
    }
    (looks, geometry.data(skins.data()))
}

fn bounds(document: &Document, mesh: &gltf::Mesh<'_>) -> Option<Bounds> {
    let mut bounds = None;
    let is_sound =
        |p: &gltf::Primitive<'_>| sound::primitive(document, mesh.index(), p.index()).is_ok();
    for primitive in mesh.primitives().filter(is_sound) {
        let Some(positions) = primitive.get(&gltf::Semantic::Positions) else { continue };
        let corner = |value: Option<gltf::json::Value>| {
            gltf::json::deserialize::from_value::<[f32; 3]>(value?).ok()
        };
        let (Some(low), Some(high)) = (corner(positions.min()), corner(positions.max())) else {
            continue;
        };
        if low.iter().chain(&high).all(|x| x.is_finite()) {
            [low, high].into_iter().for_each(|at| widen(&mut bounds, at));
        }
    }
    let color = mesh
        .primitives()
        .find(is_sound)
        .map(|p| p.material().pbr_metallic_roughness().base_color_factor());
    let [r, g, b, _] = color.unwrap_or([1.0; 4]);
    bounds.map(|[low, high]| Bounds { low, high, color: [r, g, b] })
}
