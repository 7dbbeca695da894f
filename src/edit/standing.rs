//! Where an entity stands before an edit.

use legion::Entity;
use nalgebra::Matrix4;

use super::{
    EditError,
    plan::{LocalChange, ParentChange, Plan},
};
use crate::engine::{FreshRow, Mask, Path, QueryError};

/// Where an entity stands, and so which matrix places it in the world.
#[derive(Clone, Copy)]
pub(super) enum Ground<'q, 'a> {
    /// Where its stored `LocalToWorld` says: the bundle does not write that.
    Own,
    /// Below this parent, by its inputs or its stored matrix.
    Below(FreshRow<'q, 'a>),
    /// On a cycle: its `LocalToParent` is its world matrix.
    Cyclic,
    Root,
}

/// An entity, its ancestors, and what it stands on.
pub(super) struct Standing<'p, 'q, 'a> {
    pub node: FreshRow<'q, 'a>,
    pub path: &'p Path<FreshRow<'q, 'a>>,
    pub ground: Ground<'q, 'a>,
}

impl Standing<'_, '_, '_> {
    pub fn entity(&self) -> Entity {
        self.node.entity
    }

    /// The plan that changes nothing but its local matrix.
    pub fn plan(&self, local: LocalChange) -> Plan {
        Plan { entity: self.entity(), parent: ParentChange::Keep, local }
    }

    /// Whether a user's component writes the `LocalToParent` that places the entity.
    pub fn writes_matrix(&self) -> bool {
        let is_member = matches!(self.ground, Ground::Below(_) | Ground::Cyclic);
        is_member && self.node.is_overridden(Mask::LOCAL_TO_PARENT)
    }

    /// The error where its parent's matrix, or its own, cannot be inverted.
    pub fn singular(&self) -> EditError {
        let entity = self.entity();
        match self.ground {
            Ground::Below(parent) => {
                EditError::ParentNotInvertible { entity, parent: parent.entity }
            }
            Ground::Own | Ground::Cyclic | Ground::Root => {
                EditError::Query(QueryError::NoInverse(entity))
            }
        }
    }

    /// The change that stores a matrix.
    pub fn stored(&self, matrix: Matrix4<f32>, strip: bool) -> LocalChange {
        match self.ground {
            Ground::Below(_) | Ground::Cyclic => LocalChange::LocalToParent { matrix, strip },
            Ground::Own | Ground::Root => LocalChange::LocalToWorld { matrix, strip },
        }
    }
}
