//! Edits of the components, back into the scene.

use std::{error::Error, fmt};

use legion::{Entity, EntityStore, IntoQuery, World};

use super::{
    clean::{Trs, same},
    mirror::Mirror,
    nodes::{Form, Node, NodeIndex, SceneNode},
    reading::{Now, Parts},
};
use crate::decentraland::{
    merge::{Replica, TransformState, WriteError},
    wire::{EntityId, SceneEntity, SceneTransform},
};

/// What [`Mirror::send_edits`] found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EditReport {
    /// The edits as messages, to be sent to the other replicas. They are merged into our own already.
    pub messages: Vec<u8>,
    /// How many messages these are.
    pub sent: usize,
    /// Edits that could not be sent. They are found again in the next call.
    pub refused: Vec<SendError>,
}

/// An edit that could not be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendError {
    /// The scene entity that was edited.
    pub scene: SceneEntity,
    /// The Legion entity that stands for it.
    pub entity: Entity,
    /// Why.
    pub kind: SendErrorKind,
}

/// Why an edit could not be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SendErrorKind {
    /// The replica refused it.
    Refused(WriteError),
    /// Its `Parent` is no entity of this scene, or of another network of it. (The other edits of the entity were sent.)
    ParentOutsideScene {
        /// The parent.
        parent: Entity,
    },
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (entity, scene) = (self.entity, self.scene);
        match self.kind {
            SendErrorKind::Refused(error) => write!(f, "an edit of {entity:?} was not sent: {error}"),
            SendErrorKind::ParentOutsideScene { parent } => write!(
                f,
                "{entity:?} stands for {scene}, and its new Parent {parent:?} for no entity of the same network of the scene: \
                 choose a parent that the mirror made"
            ),
        }
    }
}

impl Error for SendError {}

impl Mirror {
    /// Finds what was edited since the mirror wrote it, merges it into the replica as writes of our own, and returns the
    /// messages to send. Call it before [`apply`](Self::apply), which overwrites edits where the merged value changed.
    ///
    /// `Translation`, `Rotation`, `Scale` or `NonUniformScale`, and `Parent` are the parts of a `Transform`; those that were not
    /// edited are sent as they came. Without any of them the `Transform` is deleted, and a despawned entity is deleted from the
    /// scene. The root, the player and the camera are the host's: edits of them are not sent.
    ///
    /// This looks at all entities of the scene. Where it is known which were edited, use [`send_edits_of`](Self::send_edits_of).
    pub fn send_edits(&mut self, replica: &mut Replica, world: &World) -> EditReport {
        let mut report = EditReport::default();
        let mut edited = Vec::new();
        let mut seen = 0;
        for (entity, component, parts) in <(Entity, &SceneNode, Parts)>::query().iter(world) {
            let Some(node) = self.nodes.of(*entity, component) else { continue };
            seen += 1;
            let now = Now::of(parts);
            if now.may_differ_from(node) {
                edited.push((component.index, now));
            }
        }
        for (index, now) in edited {
            self.send(index, &now, replica, world, &mut report);
        }
        let spawned = |(_, node): &(NodeIndex, &Node)| node.form != Form::Unspawned;
        if seen < self.nodes.iter().filter(spawned).count() {
            let gone = self.nodes.iter().filter(spawned).filter(|(_, node)| !world.contains(node.entity));
            let gone: Vec<NodeIndex> = gone.map(|(index, _)| index).collect();
            gone.into_iter().for_each(|index| self.send_death(index, replica, &mut report));
        }
        report
    }

    /// Likewise, looking at these scene entities only; the component [`SceneNode`] tells which one an entity stands for.
    pub fn send_edits_of(
        &mut self,
        replica: &mut Replica,
        world: &World,
        edited: impl IntoIterator<Item = SceneEntity>,
    ) -> EditReport {
        let mut report = EditReport::default();
        for scene in edited {
            let Some(index) = self.nodes.find(scene) else { continue };
            let node = &self.nodes[index];
            match world.entry_ref(node.entity) {
                Ok(entry) => {
                    let now = Now::of_entry(&entry);
                    if now.may_differ_from(node) {
                        self.send(index, &now, replica, world, &mut report);
                    }
                }
                Err(_) if node.form != Form::Unspawned => self.send_death(index, replica, &mut report),
                Err(_) => {}
            }
        }
        report
    }

    /// Sends what differs from what the mirror wrote.
    fn send(&mut self, index: NodeIndex, now: &Now, replica: &mut Replica, world: &World, report: &mut EditReport) {
        let node = &self.nodes[index];
        let (scene, entity) = (node.scene, node.entity);
        let is_live = matches!(replica.transform(scene), TransformState::Live { .. });
        if scene.entity.is_host_placed() || now.is_bare() && !is_live {
            return;
        }
        let mut form = now.form();
        let result = if now.is_bare() {
            replica.delete_transform(scene)
        } else {
            let mut transform = self.edited(node, now, replica);
            if form != node.form {
                match self.wire_parent(scene, now.parent, world) {
                    Ok(parent) => transform.parent = parent,
                    Err(kind) => {
                        report.refused.push(SendError { scene, entity, kind });
                        form = node.form;
                    }
                }
            }
            if now.trs.is_same(&node.written) && form == node.form {
                return;
            }
            replica.put_transform(scene, &transform)
        };
        match result {
            Ok(message) => {
                message.encode(&mut report.messages);
                report.sent += 1;
                let node = &mut self.nodes[index];
                // The identity is to be written into components that are no more, whatever they said last.
                node.written = if now.is_bare() { Trs::UNWRITTEN } else { now.trs };
                node.form = form;
            }
            Err(error) => report.refused.push(SendError { scene, entity, kind: SendErrorKind::Refused(error) }),
        }
    }

    /// The merged transform, with the edited values in it.
    fn edited(&self, node: &Node, now: &Now, replica: &Replica) -> SceneTransform {
        let mut transform = match replica.transform(node.scene) {
            TransformState::Live { bytes, .. } => SceneTransform::from_bytes(bytes),
            _ => SceneTransform::IDENTITY,
        };
        let wire = self.options.handedness.convert(now.trs);
        if !same(&now.trs.position, &node.written.position) {
            transform.position = wire.position;
        }
        if !same(&now.trs.rotation, &node.written.rotation) {
            transform.rotation = wire.rotation;
        }
        if !same(&now.trs.scale, &node.written.scale) {
            transform.scale = wire.scale;
        }
        transform
    }

    /// What the scene calls the parent of one of its entities.
    fn wire_parent(&self, child: SceneEntity, parent: Option<Entity>, world: &World) -> Result<EntityId, SendErrorKind> {
        let Some(parent) = parent.filter(|&parent| Some(parent) != self.options.root) else { return Ok(EntityId::ROOT) };
        let entry = world.entry_ref(parent).ok();
        let component = entry.as_ref().and_then(|entry| entry.get_component::<SceneNode>().ok());
        match component.and_then(|component| self.nodes.of(parent, component)) {
            Some(node) if node.scene.network == child.network => Ok(node.scene.entity),
            _ => Err(SendErrorKind::ParentOutsideScene { parent }),
        }
    }

    /// Deletes from the scene what was despawned.
    fn send_death(&mut self, index: NodeIndex, replica: &mut Replica, report: &mut EditReport) {
        let node = &mut self.nodes[index];
        node.form = Form::Unspawned;
        // One that stands there for others only is no part of the scene; one that is dead already needs no message.
        if node.known
            && let Ok(message) = replica.delete_entity(node.scene)
        {
            message.encode(&mut report.messages);
            report.sent += 1;
        }
    }
}
