//! The mirror: the calls of users, and its memory of the scene from one call to the next.

use hashbrown::HashSet;
use legion_transform::legion::{Entity, World, world::WorldId};

use super::{
    batch::Batch,
    cycles,
    findings::SceneFinding,
    handedness::Handedness,
    nodes::{NodeIndex, Nodes},
};
use crate::{
    merge::{ChangeCursor, Replica},
    wire::SceneEntity,
};

/// How a [`Mirror`] shows the scene.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct MirrorOptions {
    /// The handedness of the world.
    pub handedness: Handedness,
    /// Your own entity that is the scene's root: it moves the whole scene. It needs
    /// `LocalToWorld`. Without one the scene's root is the world's.
    pub root: Option<Entity>,
}

/// Keeps a Legion world equal to the merged state of a scene. A [`Replica`] may have several
/// mirrors; each shows its scene in one [`World`].
#[derive(Debug, Default)]
pub struct Mirror {
    pub(super) options: MirrorOptions,
    pub(super) nodes: Nodes,
    pub(super) world: Option<WorldId>,
    pub(super) cursor: ChangeCursor,
    /// Nodes whose components were read since the last `apply`, as edits: the next one writes what
    /// the scene says.
    pub(super) edited: Vec<NodeIndex>,
    /// Nodes whose components are the user's: they had a `LocalOverride` at the last `apply`.
    pub(super) overridden: HashSet<NodeIndex>,
    walks: u64,
}

/// What [`Mirror::apply`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApplyReport {
    /// Scene entities whose `Transform` had changed in the merged state.
    pub changed: usize,
    /// Legion entities that were spawned.
    pub spawned: usize,
    /// Legion entities that were despawned.
    pub despawned: usize,
    /// Legion entities that got other values or another parent.
    pub written: usize,
}

impl Mirror {
    /// A mirror that shows nothing yet.
    #[must_use]
    pub fn new(options: MirrorOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Applies all changes of the replica since the last call to the world. The matrices are right
    /// after the next run of the [bundle](legion_transform::TransformSystemBundle).
    ///
    /// Edits of the components that were not [written into the replica](Self::transform_of) are
    /// overwritten if the merged value changed. In another world than the last call's, all missing
    /// entities are spawned. With another replica than the last call's (a clone is another one),
    /// entities that it does not know are despawned.
    pub fn apply(&mut self, replica: &mut Replica, world: &mut World) -> ApplyReport {
        let mut batch = Batch::default();
        if self.world.replace(world.id()).is_some_and(|last| last != world.id()) {
            let all: Vec<NodeIndex> = self.nodes.iter().map(|(index, _)| index).collect();
            all.into_iter().for_each(|index| _ = batch.touch(&mut self.nodes, index));
        }
        let mut rewritten = std::mem::take(&mut self.edited);
        rewritten.extend(self.update_overrides(world));
        for index in rewritten {
            self.nodes[index].is_rewritten = true;
            self.look_again(index, replica, &mut batch);
        }
        let mut count = 0;
        if replica.begins_anew(&self.cursor) {
            count += self.forget_unknown(replica, &mut batch);
        }
        let mut cursor = std::mem::take(&mut self.cursor);
        replica.for_each_change(&mut cursor, |scene, effective| {
            count += 1;
            self.follow(scene, effective, &mut batch);
        });
        self.cursor = cursor;
        if self.options.root.is_some() {
            cycles::close(&mut self.nodes, &mut self.walks, &mut batch);
        }
        ApplyReport { changed: count, ..self.carry_out(batch, world) }
    }

    /// Despawns all entities that it spawned, also those placed by the host, and forgets everything
    /// but its options. Call it to unload the scene, or to begin anew. Returns how many were
    /// despawned. Nothing is deleted from the scene.
    ///
    /// The next [`apply`](Self::apply) spawns the replica's scene again, with other Legion
    /// entities.
    pub fn clear(&mut self, world: &mut World) -> usize {
        let despawned = self.nodes.iter().filter(|(_, node)| world.remove(node.entity)).count();
        *self = Self::new(self.options);
        despawned
    }

    /// The Legion entity that stands for a scene entity, if there is one. It stays the same until
    /// the scene entity is deleted. For an entity of a network that a plain one stands for there
    /// is none: ask for that one, [`Replica::local_entity`].
    #[must_use]
    pub fn entity(&self, scene: SceneEntity) -> Option<Entity> {
        self.nodes.find(scene).map(|index| self.nodes[index].entity)
    }

    /// The Legion entity that stands for a scene entity. If there is none, spawns it with the
    /// identity. It stays until the scene entity is deleted, also when nothing in the scene needs
    /// it.
    ///
    /// This is how the host places the player and the camera: while the replica has no `Transform`
    /// of them, the mirror never writes their components once they are there.
    pub fn place(&mut self, world: &mut World, scene: SceneEntity) -> Entity {
        self.world.get_or_insert(world.id());
        let mut batch = Batch::default();
        let index = self.nodes.find_or_insert(scene);
        self.nodes[index].placed = true;
        batch.touch(&mut self.nodes, index);
        self.carry_out(batch, world);
        self.nodes[index].entity
    }

    /// All scene entities that a Legion entity stands for, in no particular order.
    pub fn entities(&self) -> impl Iterator<Item = (SceneEntity, Entity)> {
        self.nodes.iter().map(|(_, node)| (node.scene, node.entity))
    }

    /// The mistakes in the values, in the order of their scene entities.
    #[must_use]
    pub fn findings(&self) -> Vec<SceneFinding> {
        let mut findings = Vec::new();
        for (_, node) in self.nodes.iter() {
            let (scene, entity) = (node.scene, node.entity);
            findings.extend(node.cleaned.kinds().map(|kind| SceneFinding { scene, entity, kind }));
        }
        findings.sort_by_key(|finding| finding.scene);
        findings
    }
}
