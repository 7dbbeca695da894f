//! Nodes, their boxes and their channels, as they are put together.

use nalgebra::{UnitQuaternion, Vector3};

use super::tube::{Shape, Skin, Tube};

/// Materials of the boxes, by index into [`COLORS`].
#[derive(Clone, Copy)]
pub enum Material {
    Brass,
    Steel,
    Ruby,
    Stone,
    Jade,
}

pub const COLORS: [(&str, [f32; 3]); 5] = [
    ("brass", [0.78, 0.5, 0.16]),
    ("steel", [0.38, 0.43, 0.5]),
    ("ruby", [0.66, 0.07, 0.09]),
    ("stone", [0.13, 0.15, 0.18]),
    ("jade", [0.08, 0.45, 0.3]),
];

pub struct Node {
    pub name: String,
    pub translation: Vector3<f32>,
    pub rotation: UnitQuaternion<f32>,
    pub scale: Vector3<f32>,
    pub children: Vec<usize>,
    pub material: Option<Material>,
    /// The tube that is drawn here, wherever the node is: its joints move it.
    pub tube: Option<usize>,
}

#[derive(Clone, Copy)]
pub enum Interpolation {
    Step,
    Linear,
    CubicSpline,
}

pub struct Channel {
    pub node: usize,
    pub path: &'static str,
    pub interpolation: Interpolation,
    pub times: Vec<f32>,
    /// Flat; for splines in-tangent, value and out-tangent by turns.
    pub values: Vec<f32>,
}

#[derive(Default)]
pub struct Figure {
    pub nodes: Vec<Node>,
    pub roots: Vec<usize>,
    pub channels: Vec<Channel>,
    pub tubes: Vec<Tube>,
}

impl Figure {
    pub fn node(&mut self, parent: Option<usize>, name: impl Into<String>, at: [f32; 3]) -> usize {
        self.nodes.push(Node {
            name: name.into(),
            translation: at.into(),
            rotation: UnitQuaternion::identity(),
            scale: Vector3::repeat(1.0),
            children: Vec::new(),
            material: None,
            tube: None,
        });
        let node = self.nodes.len() - 1;
        match parent {
            Some(parent) => self.nodes[parent].children.push(node),
            None => self.roots.push(node),
        }
        node
    }

    pub fn turned(&mut self, node: usize, rotation: UnitQuaternion<f32>) -> usize {
        self.nodes[node].rotation = rotation;
        node
    }

    /// A box of that size about `center`, as a leaf: its scale is no other node's.
    pub fn shell(
        &mut self,
        parent: usize,
        material: Material,
        size: [f32; 3],
        center: [f32; 3],
    ) -> usize {
        let name = format!("{} shell", self.nodes[parent].name);
        let node = self.node(Some(parent), name, center);
        (self.nodes[node].scale, self.nodes[node].material) = (size.into(), Some(material));
        node
    }

    /// A tube that these nodes bend, on a node of its own at the root.
    pub fn tube(
        &mut self,
        name: impl Into<String>,
        joints: Vec<usize>,
        step: [f32; 3],
        radii: [f32; 2],
        skin: Skin,
    ) {
        let node = self.node(None, name, [0.0; 3]);
        self.nodes[node].tube = Some(self.tubes.len());
        let shape = Shape { joints: joints.len(), step: step.into(), radii };
        self.tubes.push(Tube { joints, shape, skin });
    }
}
