//! The result of a conversion.

use std::fmt;

use legion::Entity;
use nalgebra::Matrix4;

/// The entities that a scene became, and the shear that they lost.
#[derive(Clone, Debug)]
pub struct SpawnedScene {
    pub(super) entities: Vec<Option<Entity>>,
    pub(super) dropped_shear: Vec<DroppedShear>,
}

impl SpawnedScene {
    /// The entity that a node became; `None` outside the converted subtree, or if there is no such
    /// node.
    #[must_use]
    pub fn entity(&self, node: usize) -> Option<Entity> {
        self.entities.get(node).copied().flatten()
    }

    /// All nodes that were converted, by index, with their entities.
    pub fn entities(&self) -> impl Iterator<Item = (usize, Entity)> + '_ {
        self.entities.iter().enumerate().filter_map(|(node, entity)| Some((node, (*entity)?)))
    }

    /// The nodes whose world matrix has shear, which translation, rotation and scale cannot hold.
    /// Empty for a whole scene, where only roots are expressed in world space.
    #[must_use]
    pub fn dropped_shear(&self) -> &[DroppedShear] {
        &self.dropped_shear
    }
}

/// A node that lost the shear (or projection) of ancestors that were not converted.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DroppedShear {
    /// The node's index.
    pub node: usize,
    /// The entity that it became.
    pub entity: Entity,
    /// The largest off-diagonal element of `R_world^-1 M_3x3`, relative to the length of its
    /// column: the sine of the angle by which an axis was turned.
    pub amount: f32,
    /// The world matrix that the description gives.
    pub described: Matrix4<f32>,
    /// The world matrix that the entity got.
    pub kept: Matrix4<f32>,
}

impl fmt::Display for DroppedShear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "node {} ({:?}) was sheared by its ancestors by up to {:.4} of an axis, which \
             translation, rotation and scale \
             cannot express: convert its ancestors too, give them uniform scales, or give the node \
             as a matrix",
            self.node, self.entity, self.amount
        )
    }
}
