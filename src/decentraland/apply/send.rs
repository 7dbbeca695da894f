//! Sends the edit of one entity: merges it into the replica, or says why that is refused.

use legion::{Entity, EntityStore, World};

use super::{
    clean::same,
    edits::EditReport,
    mirror::Mirror,
    nodes::{Form, Node, NodeIndex, SceneNode},
    part_set::PartSet,
    reading::Now,
    refusals::{SendError, SendErrorKind},
};
use crate::{
    components::LocalToWorld,
    decentraland::{
        merge::{Replica, TransformState, WriteError, WriteErrorKind},
        wire::{EntityId, Message, SceneEntity, SceneTransform},
    },
};

impl Mirror {
    /// Sends the parts that differ from the mirror's own writes.
    pub(super) fn send(
        &mut self,
        index: NodeIndex,
        now: &Now,
        replica: &mut Replica,
        world: &World,
        report: &mut EditReport,
    ) {
        let node = &mut self.nodes[index];
        if node.scene.entity.is_host_placed() {
            return;
        }
        node.cleaned.two_scales = now.two_scales;
        let was_orphaned = now.parent.is_none() && self.was_orphaned(index, world);
        if let Some(refused) =
            self.refused.get_mut(&index).filter(|refused| refused.parent != now.parent)
        {
            refused.parent = None;
        }
        self.give_back(
            index,
            if was_orphaned { now.lacking.with(PartSet::PARENT) } else { now.lacking },
        );
        if was_orphaned {
            self.send_parts(index, now, self.nodes[index].form, replica, world, report);
        } else if now.is_bare() {
            self.send_deletion(index, now, replica, report);
        } else {
            self.send_parts(index, now, now.form(), replica, world, report);
        }
    }

    /// Sends that the user removed all parts of a `Transform`.
    fn send_deletion(
        &mut self,
        index: NodeIndex,
        now: &Now,
        replica: &mut Replica,
        report: &mut EditReport,
    ) {
        let node = &mut self.nodes[index];
        let scene = node.scene;
        // A `Transform` that came after the last `apply` was never in the world, so the user cannot
        // have deleted it. Nor can one that comes later.
        node.live &= matches!(replica.transform(scene), TransformState::Live { .. });
        if node.live {
            let result = replica.delete_transform(scene);
            self.wrote(index, now, Form::Root, result, report);
        } else {
            self.note(index, now, Form::Root);
        }
    }

    /// Sends the values, and the parent that a form means.
    fn send_parts(
        &mut self,
        index: NodeIndex,
        now: &Now,
        mut form: Form,
        replica: &mut Replica,
        world: &World,
        report: &mut EditReport,
    ) {
        let Node { scene, form: last_form, .. } = self.nodes[index];
        let (last, last_bytes) = match replica.transform(scene) {
            TransformState::Live { bytes, .. } => (SceneTransform::from_bytes(bytes), *bytes),
            _ => (SceneTransform::IDENTITY, SceneTransform::IDENTITY.to_bytes()),
        };
        let mut transform = self.edited(index, now, last);
        if form != last_form && !(self.is_root(form) && self.is_root(last_form)) {
            match self.wire_parent(scene, now.parent, world) {
                Ok(parent) => transform.parent = parent,
                Err(kind) => {
                    self.refuse_parent(index, now.parent, kind, report);
                    form = last_form;
                }
            }
        }
        if transform.to_bytes() != last_bytes {
            let result = replica.put_transform(scene, &transform);
            self.wrote(index, now, form, result, report);
        } else if !now.trs.is_same(&self.nodes[index].written) || form != last_form {
            // Other components with the scene's own value.
            self.note(index, now, form);
        }
    }

    /// Whether the scene has the entity at its root: below the host's, if there is one. (Where the
    /// user removed the `Parent` that is the host's root, it still is.)
    fn is_root(&self, form: Form) -> bool {
        form == Form::Root || self.options.root.is_some_and(|root| form == Form::Linked(root))
    }

    /// Whether the bundle removed an entity's `Parent`: the parent is gone, or has no matrix.
    fn was_orphaned(&self, index: NodeIndex, world: &World) -> bool {
        let node = &self.nodes[index];
        let Form::Linked(parent) = node.form else { return false };
        let is_gone = |parent| {
            world
                .entry_ref(parent)
                .map_or(true, |entry| entry.get_component::<LocalToWorld>().is_err())
        };
        let refused = self.refused.get(&index).and_then(|refused| refused.parent);
        node.lacking.has(PartSet::PARENT) || is_gone(parent) || refused.is_some_and(is_gone)
    }

    /// The next `apply` gives back the components that are missing.
    fn give_back(&mut self, index: NodeIndex, lacking: PartSet) {
        if lacking != PartSet::NONE {
            self.nodes[index].lacking = lacking;
            self.enqueue(index);
        }
    }

    /// Notes an edit that needs no message, so that only what differs from it is an edit from now
    /// on. The next `apply` writes what the scene says.
    ///
    /// The mirror wrote x = 1, another replica 5, and the user too: nothing is to be sent. From now
    /// on 5 is no edit, but 9 is, and so is 1.
    fn note(&mut self, index: NodeIndex, now: &Now, form: Form) {
        let node = &mut self.nodes[index];
        (node.written, node.form) = (now.trs, form);
        self.enqueue(index);
    }

    /// Notes that an edit was sent or refused.
    fn wrote(
        &mut self,
        index: NodeIndex,
        now: &Now,
        form: Form,
        result: Result<Message<'_>, WriteError>,
        report: &mut EditReport,
    ) {
        let refused = self.refused.entry(index).or_default();
        let node = &mut self.nodes[index];
        let mut is_noted = false;
        match result {
            Ok(message) => {
                report.send(&message);
                refused.write = None;
                (node.known, node.live) = (true, matches!(message, Message::PutComponent { .. }));
                (node.written, node.form) = (now.trs, form);
            }
            Err(error) => {
                let is_new = refused
                    .write
                    .as_ref()
                    .is_none_or(|(trs, last, _)| !trs.is_same(&now.trs) || *last != form);
                if is_new {
                    refused.write = Some((now.trs, form, error));
                    let (scene, entity) = (node.scene, node.entity);
                    report.refused.push(SendError {
                        scene,
                        entity,
                        kind: SendErrorKind::Refused(error),
                    });
                }
                // The entity is there for its children only, and can never be a part of the scene
                // again: the next `apply` undoes the edit.
                if error.kind == WriteErrorKind::DeadEntity {
                    refused.write = None;
                    is_noted = true;
                }
            }
        }
        if refused.parent.is_none() && refused.write.is_none() {
            self.refused.remove(&index);
        }
        if is_noted {
            self.note(index, now, form);
        }
    }

    fn refuse_parent(
        &mut self,
        index: NodeIndex,
        parent: Option<Entity>,
        kind: SendErrorKind,
        report: &mut EditReport,
    ) {
        let refused = self.refused.entry(index).or_default();
        if refused.parent != parent {
            refused.parent = parent;
            let Node { scene, entity, .. } = self.nodes[index];
            report.refused.push(SendError { scene, entity, kind });
        }
    }

    /// A merged transform, with the edited values in it.
    fn edited(&self, index: NodeIndex, now: &Now, mut transform: SceneTransform) -> SceneTransform {
        let written = &self.nodes[index].written;
        let wire = self.options.handedness.convert(now.trs);
        if !same(&now.trs.position, &written.position) {
            transform.position = wire.position;
        }
        if !same(&now.trs.rotation, &written.rotation) {
            transform.rotation = wire.rotation;
        }
        if !same(&now.trs.scale, &written.scale) {
            transform.scale = wire.scale;
        }
        transform
    }

    /// The scene's id of a Legion entity that is the parent of one of its entities.
    fn wire_parent(
        &self,
        child: SceneEntity,
        parent: Option<Entity>,
        world: &World,
    ) -> Result<EntityId, SendErrorKind> {
        let Some(parent) = parent.filter(|&parent| Some(parent) != self.options.root) else {
            return Ok(EntityId::ROOT);
        };
        let entry = world.entry_ref(parent).ok();
        let component = entry.as_ref().and_then(|entry| entry.get_component::<SceneNode>().ok());
        match component.and_then(|component| self.nodes.of(parent, component)) {
            Some(node) if node.scene.network == child.network => Ok(node.scene.entity),
            _ => Err(SendErrorKind::ParentOutsideScene { parent }),
        }
    }

    /// Deletes despawned entities from the scene. If the scene still needs one, the next `apply`
    /// brings it back.
    pub(super) fn send_death(
        &mut self,
        index: NodeIndex,
        replica: &mut Replica,
        report: &mut EditReport,
    ) {
        let node = &mut self.nodes[index];
        (node.form, node.placed) = (Form::Unspawned, false);
        let (scene, entity) = (node.scene, node.entity);
        // An entity that is there for its children only is no part of the scene.
        if node.known {
            match replica.delete_entity(scene) {
                Ok(message) => report.send(&message),
                // A dead one needs no message.
                Err(WriteError { kind: WriteErrorKind::DeadEntity, .. }) => {}
                Err(error) => report.refused.push(SendError {
                    scene,
                    entity,
                    kind: SendErrorKind::Refused(error),
                }),
            }
        }
        self.enqueue(index);
    }
}
