//! Sends the edit of one entity: merges it into the replica, or says why that is refused.

use legion_transform::{
    components::LocalToWorld,
    legion::{Entity, EntityStore, World},
};

use super::{
    clean::same,
    edits::EditReport,
    mirror::Mirror,
    nodes::{Form, Node, NodeIndex},
    parents::SceneParent,
    part_set::PartSet,
    reading::Now,
    refusals::{SendError, SendErrorKind},
};
use crate::{
    merge::{EffectiveTransform, Replica, Role, TransformState, WriteError, WriteErrorKind},
    wire::{Message, SceneEntity, SceneTransform},
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
        if node.scene.is_reserved() && replica.role() != Role::Host {
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
        // A `Transform` that came after the last `apply` was never in the world, so the user cannot
        // have deleted it. Nor can one that comes later.
        let EffectiveTransform { state, source, .. } = effective(node.scene, replica);
        node.live &= matches!(state, TransformState::Live { .. });
        if node.live {
            let result = replica.delete_transform(source);
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
        let EffectiveTransform { state, source, .. } = effective(scene, replica);
        let merged = match state {
            TransformState::Live { bytes, .. } => Some(*bytes),
            _ => None,
        };
        let last_bytes = merged.unwrap_or(SceneTransform::IDENTITY.to_bytes());
        let mut transform = self.edited(index, now, SceneTransform::from_bytes(&last_bytes));
        let mut is_tied = false;
        if form != last_form && !(self.is_root(form) && self.is_root(last_form)) {
            match self.send_parent(scene, source, now.parent, replica, world, report) {
                Ok(SceneParent::InTransform(parent)) => transform.parent = parent,
                Ok(SceneParent::InNetwork(_)) => is_tied = true,
                Err(kind) => {
                    self.refuse_parent(index, now.parent, kind, report);
                    form = last_form;
                }
            }
        }
        // A `NetworkParent` needs a `Transform` beside it.
        if transform.to_bytes() != last_bytes || is_tied && merged.is_none() {
            let result = replica.put_transform(source, &transform);
            self.wrote(index, now, form, result, report);
        } else if !now.trs.is_same(&self.nodes[index].written) || form != last_form {
            // Other components with the scene's own value, or another parent in a network.
            self.note(index, now, form);
        }
    }

    /// Sends the parent of an entity where a network has to know it, and returns how the scene says
    /// it.
    fn send_parent(
        &self,
        scene: SceneEntity,
        source: SceneEntity,
        parent: Option<Entity>,
        replica: &mut Replica,
        world: &World,
        report: &mut EditReport,
    ) -> Result<SceneParent, SendErrorKind> {
        let parent = self.scene_parent(scene, parent, replica, world)?;
        let message = parent.write(source, replica).map_err(SendErrorKind::Refused)?;
        message.iter().for_each(|message| report.send(message));
        Ok(parent)
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
    pub(super) fn give_back(&mut self, index: NodeIndex, lacking: PartSet) {
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
        // Other replicas know it by its name in a network, and would not learn of the death.
        let twin = replica.network_entity(scene);
        let twin = twin.filter(|&twin| replica.local_entity(twin) == Some(scene));
        // An entity that is there for its children only is no part of the scene.
        let dead = node.known.then_some(scene).into_iter().chain(twin);
        for scene in dead {
            match replica.delete_entity(scene) {
                Ok(message) => report.send(&message),
                // A dead one needs no message.
                Err(WriteError { kind: WriteErrorKind::DeadEntity, .. }) => {}
                Err(error) => {
                    let kind = SendErrorKind::Refused(error);
                    report.refused.push(SendError { scene, entity, kind });
                }
            }
        }
        self.enqueue(index);
    }
}

/// The `Transform` of a node's entity. Since the last `apply` that may have turned out to be one
/// with a plain entity, which is shown from then on: then it is that one's.
fn effective(scene: SceneEntity, replica: &Replica) -> EffectiveTransform<'_> {
    replica.effective(replica.local_entity(scene).unwrap_or(scene))
}
