//! An edited `Parent`, as the scene says it.

use legion_transform::legion::{Entity, EntityStore, World};

use super::{mirror::Mirror, nodes::SceneNode, refusals::SendErrorKind};
use crate::{
    merge::{Replica, WriteError},
    wire::{EntityId, Message, NETWORK_PARENT, NetworkEntity, SceneEntity},
};

/// How the scene says who the parent of an entity is.
#[derive(Clone, Copy)]
pub(super) enum SceneParent {
    /// In the `Transform`. If there is a `NetworkParent`, it goes.
    InTransform(EntityId),
    /// By a `NetworkParent`, since a network knows the entity and its parent. The `Transform` stays
    /// as it is: its numbers mean other entities elsewhere.
    InNetwork(NetworkEntity),
}

impl SceneParent {
    /// Writes the `NetworkParent` of the entity with this key. Returns the message, if something
    /// changed.
    pub fn write(
        self,
        entity: SceneEntity,
        replica: &mut Replica,
    ) -> Result<Option<Message<'_>>, WriteError> {
        let key = entity.key(NETWORK_PARENT);
        match self {
            Self::InNetwork(parent) => replica.put(key, &parent.to_bytes()).map(Some),
            Self::InTransform(_) if replica.network_parent(entity).is_some() => {
                replica.delete(key).map(Some)
            }
            Self::InTransform(_) => Ok(None),
        }
    }
}

impl Mirror {
    /// How the scene says that a Legion entity is the parent of one of its entities.
    pub(super) fn scene_parent(
        &self,
        child: SceneEntity,
        parent: Option<Entity>,
        replica: &Replica,
        world: &World,
    ) -> Result<SceneParent, SendErrorKind> {
        let Some(parent) = parent.filter(|&parent| Some(parent) != self.options.root) else {
            return Ok(SceneParent::InTransform(EntityId::ROOT));
        };
        let entry = world.entry_ref(parent).ok();
        let component = entry.as_ref().and_then(|entry| entry.get_component::<SceneNode>().ok());
        let outside = SendErrorKind::ParentOutsideScene { parent };
        let node =
            component.and_then(|component| self.nodes.of(parent, component)).ok_or(outside)?;
        let (child_there, parent_there) = (replica.networked(child), replica.networked(node.scene));
        match (child_there, parent_there) {
            (Some(_), Some(SceneEntity { network: Some(network), entity })) => {
                Ok(SceneParent::InNetwork(NetworkEntity { network, entity }))
            }
            // The number of a plain entity means another one in other replicas, unless it is the
            // host's.
            _ if node.scene.network.is_some() => Err(outside),
            _ if child.network.is_some() && !node.scene.is_reserved() => Err(outside),
            _ => Ok(SceneParent::InTransform(node.scene.entity)),
        }
    }
}
