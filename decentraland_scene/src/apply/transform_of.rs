//! The components of an entity as a `Transform` of the scene.

use std::{error::Error, fmt};

use legion_transform::{
    components::{NonUniformScale, Parent, Rotation, Scale, Translation},
    legion::{Entity, EntityStore, World, world::EntryRef},
};

use super::{
    clean::Trs,
    mirror::Mirror,
    nodes::{Form, SceneNode},
};
use crate::wire::{EntityId, SceneEntity, SceneTransform};

/// Why the components of an entity cannot be read as a [`Transform`](Mirror::transform_of).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransformError {
    /// No entity of this world stands for it.
    NotInWorld {
        /// The scene entity.
        scene: SceneEntity,
    },
    /// The `Parent` of its Legion entity stands for no plain entity of the scene.
    ParentOutsideScene {
        /// The scene entity.
        scene: SceneEntity,
        /// The parent.
        parent: Entity,
    },
}

impl fmt::Display for TransformError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInWorld { scene } => write!(
                f,
                "{scene} is not in this world: call Mirror::apply with this world first, and, if \
                 it was despawned, Replica::delete_entity instead"
            ),
            Self::ParentOutsideScene { scene, parent } => write!(
                f,
                "{scene} has the Parent {parent:?}, which stands for no plain entity of the scene: \
                 choose one that Mirror::entity gives; for a parent in a network, write the \
                 component NetworkParent"
            ),
        }
    }
}

impl Error for TransformError {}

impl Mirror {
    /// The components of an entity as a `Transform` of the scene, to be written with
    /// [`Replica::put_transform`](crate::merge::Replica::put_transform): `Translation`, `Rotation`,
    /// `Scale` or `NonUniformScale` (the uniform one wins, as in the bundle), and `Parent`. A
    /// missing component counts as the identity, and a missing `Parent` as the scene's root.
    /// Numbers are [cleaned](super::SceneFindingKind) and have the scene's handedness.
    ///
    /// A `Parent` that is still the one that the mirror wrote is the parent that the scene's own
    /// `Transform` names, also where a `NetworkParent` or a cycle says otherwise.
    ///
    /// The next [`apply`](Self::apply) gives the entity all that the scene says then: an edit that
    /// was not written, or refused, is undone, and a despawned entity that was not deleted is back.
    ///
    /// ```
    /// # use decentraland_scene::{apply::Mirror, merge::Replica, wire::*};
    /// # use legion::*;
    /// # use legion_transform::prelude::*;
    /// # let (mut world, mut replica, mut mirror) =
    /// #     (World::default(), Replica::default(), Mirror::default());
    /// let door = SceneEntity::local(EntityId(512));
    /// replica.put_transform(door, &SceneTransform::IDENTITY)?;
    /// mirror.apply(&mut replica, &mut world);
    ///
    /// let entity = mirror.entity(door).unwrap();
    /// world.entry(entity).unwrap().add_component(Translation::new(8.0, 0.0, 8.0));
    /// replica.put_transform(door, &mirror.transform_of(&world, door)?)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When no entity of this world stands for it, or its parent is not of the scene.
    pub fn transform_of(
        &mut self,
        world: &World,
        scene: SceneEntity,
    ) -> Result<SceneTransform, TransformError> {
        let is_shown = self.world == Some(world.id());
        let index = self.nodes.find(scene).filter(|_| is_shown);
        self.edited.extend(index);
        let node = index.map(|index| &self.nodes[index]);
        let found = node.and_then(|node| Some((node, world.entry_ref(node.entity).ok()?)));
        let Some((node, entry)) = found else {
            return Err(TransformError::NotInWorld { scene });
        };
        let link = entry.get_component::<Parent>().ok().map(|parent| parent.0);
        let parent = match link.filter(|&parent| Some(parent) != self.options.root) {
            _ if node.form == link.map_or(Form::Root, Form::Linked) => node.named_parent,
            None => EntityId::ROOT,
            Some(parent) => self
                .plain_entity(world, parent)
                .ok_or(TransformError::ParentOutsideScene { scene, parent })?,
        };
        let shown = values(&entry);
        let wire = self.options.handedness.convert(Trs::cleaned(&shown).0);
        let Trs { position, rotation, scale } = wire;
        Ok(SceneTransform { position, rotation, scale, parent })
    }

    /// The plain scene entity that a Legion entity stands for.
    fn plain_entity(&self, world: &World, entity: Entity) -> Option<EntityId> {
        let entry = world.entry_ref(entity).ok()?;
        let node = self.nodes.of(entity, entry.get_component::<SceneNode>().ok()?)?;
        node.scene.network.is_none().then_some(node.scene.entity)
    }
}

/// The values of the components.
fn values(entry: &EntryRef<'_>) -> SceneTransform {
    let SceneTransform { position, rotation, scale, parent } = SceneTransform::IDENTITY;
    let translation = entry.get_component::<Translation>().ok();
    let turned = entry.get_component::<Rotation>().ok();
    let uniform = entry.get_component::<Scale>().ok().map(|scale| [scale.0; 3]);
    let sized = entry.get_component::<NonUniformScale>().ok().map(|scale| scale.0.into());
    SceneTransform {
        position: translation.map_or(position, |translation| translation.0.vector.into()),
        rotation: turned.map_or(rotation, |rotation| rotation.0.coords.into()),
        scale: uniform.or(sized).unwrap_or(scale),
        parent,
    }
}
