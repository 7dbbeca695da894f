//! Where an entity stands before an edit.

use legion::Entity;
use nalgebra::Matrix4;

use super::{
    EditError,
    plan::{LocalChange, ParentChange, Plan},
};
use crate::engine::{Mask, Node, Path, QueryError};

/// Where an entity stands, and so which matrix places it in the world.
#[derive(Clone, Copy)]
pub(super) enum Place<'q, 'a> {
    /// Where its stored `LocalToWorld` says: the bundle does not write that.
    Own,
    /// Below this parent, by its inputs or its stored matrix.
    Below(Node<'q, 'a>),
    /// On a cycle: its `LocalToParent` is its world matrix.
    Cyclic,
    Root,
}

/// An entity, its ancestors, and its place.
pub(super) struct Standing<'q, 'a> {
    pub node: Node<'q, 'a>,
    pub path: Path<Node<'q, 'a>>,
    pub place: Place<'q, 'a>,
}

impl Standing<'_, '_> {
    pub fn entity(&self) -> Entity {
        self.node.entity
    }

    /// The plan that changes nothing but its local matrix.
    pub fn plan(&self, local: LocalChange) -> Plan {
        Plan { entity: self.entity(), parent: ParentChange::Keep, local }
    }

    /// Whether a user's component writes the `LocalToParent` that places the entity.
    pub fn writes_matrix(&self) -> bool {
        let is_member = matches!(self.place, Place::Below(_) | Place::Cyclic);
        is_member && self.node.is_overridden(Mask::LOCAL_TO_PARENT)
    }

    /// The error where its parent's matrix, or its own, cannot be inverted.
    pub fn singular(&self) -> EditError {
        let entity = self.entity();
        match self.place {
            Place::Below(parent) => {
                EditError::ParentNotInvertible { entity, parent: parent.entity }
            }
            Place::Own | Place::Cyclic | Place::Root => {
                EditError::Query(QueryError::NoInverse(entity))
            }
        }
    }

    /// The change that stores a matrix.
    pub fn stored(&self, matrix: Matrix4<f32>, strip: bool) -> LocalChange {
        match self.place {
            Place::Below(_) | Place::Cyclic => LocalChange::LocalToParent { matrix, strip },
            Place::Own | Place::Root => LocalChange::LocalToWorld { matrix, strip },
        }
    }
}
