//! The description: plain data, in the form that importers have.

use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use crate::math::compose::translation_rotation_scale;

/// Nodes that name their children by index. A node that no other names is a root.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Scene {
    /// The nodes, in any order.
    pub nodes: Vec<SceneNode>,
}

impl Scene {
    /// Adds a node and returns its index, for its parent's [`children`](SceneNode::children).
    pub fn add(&mut self, node: SceneNode) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }
}

impl FromIterator<SceneNode> for Scene {
    fn from_iter<I: IntoIterator<Item = SceneNode>>(nodes: I) -> Self {
        Self { nodes: Vec::from_iter(nodes) }
    }
}

/// One node of a [`Scene`].
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SceneNode {
    /// A name for people. It need not be unique, and the conversion does not use it.
    pub name: Option<String>,
    /// Where it is, relative to its parent.
    pub transform: NodeTransform,
    /// Its children's indices into [`Scene::nodes`]. Each node may be the child of one node only.
    pub children: Vec<usize>,
    /// The node and all below it will never move. They become entities with `LocalToWorld` alone,
    /// which the bundle never computes again.
    pub is_static: bool,
}

impl SceneNode {
    /// A node at its parent's origin, without children.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..Self::default() }
    }

    /// The node with this transform.
    #[must_use]
    pub fn at(self, transform: NodeTransform) -> Self {
        Self { transform, ..self }
    }

    /// The node with these children.
    #[must_use]
    pub fn with_children(self, children: impl IntoIterator<Item = usize>) -> Self {
        Self { children: children.into_iter().collect(), ..self }
    }

    /// The node, marked as static.
    #[must_use]
    pub fn fixed(self) -> Self {
        Self { is_static: true, ..self }
    }
}

/// A node's place relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NodeTransform {
    /// `T(translation) R(rotation) S(scale)` on column vectors.
    Trs {
        /// Along the parent's axes.
        translation: Vector3<f32>,
        /// Relative to the parent's axes.
        rotation: UnitQuaternion<f32>,
        /// Along the node's own axes.
        scale: Vector3<f32>,
    },
    /// Any matrix, shears and projections included, on column vectors.
    Matrix(Matrix4<f32>),
}

impl NodeTransform {
    /// The identity: the parent's own position, rotation and scale.
    #[must_use]
    pub fn identity() -> Self {
        Self::from_translation(0.0, 0.0, 0.0)
    }

    /// Moved along the parent's axes.
    #[must_use]
    pub fn from_translation(x: f32, y: f32, z: f32) -> Self {
        Self::Trs {
            translation: Vector3::new(x, y, z),
            rotation: UnitQuaternion::identity(),
            scale: Vector3::repeat(1.0),
        }
    }

    /// The matrix from the node's space to its parent's.
    #[must_use]
    pub fn to_matrix(&self) -> Matrix4<f32> {
        match self {
            Self::Trs { translation, rotation, scale } => {
                translation_rotation_scale(translation, rotation, scale)
            }
            Self::Matrix(matrix) => *matrix,
        }
    }

    /// The part with a number that is not finite.
    pub(super) fn non_finite_part(&self) -> Option<&'static str> {
        let finite = |numbers: &[f32]| numbers.iter().all(|x| x.is_finite());
        match self {
            Self::Trs { translation, .. } if !finite(translation.as_slice()) => Some("translation"),
            Self::Trs { rotation, .. } if !finite(rotation.coords.as_slice()) => Some("rotation"),
            Self::Trs { scale, .. } if !finite(scale.as_slice()) => Some("scale"),
            Self::Matrix(matrix) if !finite(matrix.as_slice()) => Some("matrix"),
            _ => None,
        }
    }
}

impl Default for NodeTransform {
    fn default() -> Self {
        Self::identity()
    }
}
