//! Finds edits of the components, to be sent back into the scene.

use legion_transform::legion::{Entity, EntityStore, IntoQuery, World};

use super::{
    mirror::Mirror,
    nodes::{Form, Node, NodeIndex, SceneNode},
    reading::{Now, Parts},
    refusals::{NotReady, SendError},
};
use crate::{
    merge::Replica,
    wire::{Message, SceneEntity},
};

/// What [`Mirror::send_edits`] found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EditReport {
    /// The edits as messages, to be sent to the other replicas. They are merged into our own
    /// already.
    pub messages: Vec<u8>,
    /// How many messages these are.
    pub sent: usize,
    /// Edits that could not be sent, each reported once. Every call tries them again, and reports
    /// them again if they changed.
    pub refused: Vec<SendError>,
    /// The reason why nothing was looked at, if nothing was.
    pub not_ready: Option<NotReady>,
}

impl EditReport {
    pub(super) fn send(&mut self, message: &Message<'_>) {
        // Messages of a replica are never too long.
        self.sent += usize::from(message.write(&mut self.messages).is_ok());
    }
}

impl Mirror {
    /// Finds what the user edited since the mirror wrote it, merges it into the replica as writes
    /// of our own, and returns the messages to send. Call it before [`apply`](Self::apply), which
    /// overwrites edits where the merged value changed.
    ///
    /// `Translation`, `Rotation`, `Scale` or `NonUniformScale`, and `Parent` are the parts of a
    /// `Transform`. Parts that were not edited are sent unchanged, a removed one as the identity.
    /// Without any of them the `Transform` is deleted, and a despawned entity is deleted from the
    /// scene. Reserved entities (0 to 511) are the host's: only a replica with the role of a
    /// [host](crate::merge::Role::Host) sends edits of them. Of an entity with a
    /// [`LocalOverride`](super::LocalOverride) only its despawning is sent.
    ///
    /// What the mirror and the bundle do is no edit, whenever they ran: neither a `Parent` that the
    /// bundle took away because the parent was despawned, nor one that the mirror took away.
    /// Components of the mirror's that are missing come back with the next [`apply`](Self::apply).
    ///
    /// This looks at all entities of the scene. If you know which were edited, use
    /// [`send_edits_of`](Self::send_edits_of).
    pub fn send_edits(&mut self, replica: &mut Replica, world: &World) -> EditReport {
        let mut report = self.begin(replica, world);
        if report.not_ready.is_some() {
            return report;
        }
        let mut edited = Vec::new();
        let mut seen = 0;
        for (entity, component, parts) in <(Entity, &SceneNode, Parts)>::query().iter(world) {
            let Some(node) = self.nodes.of(*entity, component) else { continue };
            seen += 1;
            let now = Now::of(parts);
            if now.may_differ_from(node) && !self.overridden.contains(&component.index) {
                edited.push((component.index, now));
            } else if !self.refused.is_empty() {
                self.refused.remove(&component.index);
            }
        }
        for (index, now) in edited {
            self.send(index, &now, replica, world, &mut report);
        }
        let spawned = |(_, node): &(NodeIndex, &Node)| node.form != Form::Unspawned;
        if seen < self.nodes.iter().filter(spawned).count() {
            let gone =
                self.nodes.iter().filter(spawned).filter(|(_, node)| !world.contains(node.entity));
            let gone: Vec<NodeIndex> = gone.map(|(index, _)| index).collect();
            gone.into_iter().for_each(|index| self.send_death(index, replica, &mut report));
        }
        report
    }

    /// [`send_edits`](Self::send_edits) for these scene entities only. The component [`SceneNode`]
    /// says which one an entity stands for.
    pub fn send_edits_of(
        &mut self,
        replica: &mut Replica,
        world: &World,
        edited: impl IntoIterator<Item = SceneEntity>,
    ) -> EditReport {
        let mut report = self.begin(replica, world);
        if report.not_ready.is_some() {
            return report;
        }
        for scene in edited {
            let Some(index) = self.nodes.find(scene) else { continue };
            let node = &self.nodes[index];
            match world.entry_ref(node.entity) {
                Ok(entry) => {
                    let now = Now::of_entry(&entry);
                    if now.may_differ_from(node) && !self.overridden.contains(&index) {
                        self.send(index, &now, replica, world, &mut report);
                    } else {
                        self.refused.remove(&index);
                    }
                }
                Err(_) if node.form != Form::Unspawned => {
                    self.send_death(index, replica, &mut report)
                }
                Err(_) => {}
            }
        }
        report
    }

    /// An empty report, or the reason why edits cannot be found: this replica was never applied to
    /// this world.
    fn begin(&mut self, replica: &Replica, world: &World) -> EditReport {
        let not_ready = match self.world {
            None => Some(NotReady::NeverApplied),
            Some(last) if last != world.id() => Some(NotReady::OtherWorld),
            Some(_) if !replica.is_followed_by(&self.cursor) => Some(NotReady::OtherReplica),
            Some(_) => None,
        };
        if not_ready.is_none() {
            self.find_overrides(world);
        }
        EditReport { not_ready, ..EditReport::default() }
    }
}
