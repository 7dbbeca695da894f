//! The mirror: takes what changed in the merged state, works out what has to change in the world, and does it.

use hashbrown::{HashMap, HashSet};
use legion::{Entity, World, world::WorldId};

use super::{
    clean::Trs,
    cycles,
    findings::{Cleaned, SceneFinding},
    handedness::Handedness,
    nodes::{Form, NONE, NodeIndex, Nodes},
    reading::Set,
    refusals::Refused,
    spawn::Spawn,
    update,
};
use crate::{
    components::Parent,
    decentraland::{
        merge::{ChangeCursor, Replica, TransformState},
        wire::{EntityId, SceneEntity, SceneTransform},
    },
};

/// How a [`Mirror`] shows the scene.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct MirrorOptions {
    /// The handedness of the world.
    pub handedness: Handedness,
    /// An entity of yours that is the scene's root: it moves the whole scene. It needs `LocalToWorld`. Without one the scene's
    /// root is the world's.
    pub root: Option<Entity>,
}

/// Keeps a Legion world equal to the merged state of a scene. A [`Replica`] may have several mirrors; each shows its scene in one
/// [`World`].
#[derive(Debug, Default)]
pub struct Mirror {
    pub(super) options: MirrorOptions,
    pub(super) nodes: Nodes,
    pub(super) world: Option<WorldId>,
    pub(super) cursor: ChangeCursor,
    /// Nodes that the next `apply` looks at, whatever changed.
    pub(super) queue: Vec<NodeIndex>,
    pub(super) refused: HashMap<NodeIndex, Refused>,
    walks: u64,
}

/// What [`Mirror::apply`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ApplyReport {
    /// Scene entities whose `Transform` had changed in the merged state.
    pub changed: usize,
    /// Legion entities that were made.
    pub spawned: usize,
    /// Legion entities that are no more.
    pub despawned: usize,
    /// Legion entities that got other values or another parent.
    pub written: usize,
}

/// What is to be done with one node.
#[derive(Clone, Copy)]
pub(super) struct Touched {
    pub index: NodeIndex,
    /// The values it is to have.
    pub target: Trs,
    /// It died: nothing of it stays but what others hang off.
    pub died: bool,
}

/// The nodes that something is to be done with, each once.
#[derive(Default)]
pub(super) struct Batch {
    pub touched: Vec<Touched>,
    /// Those that hang off something else than before.
    pub relinked: Vec<NodeIndex>,
}

impl Batch {
    pub fn touch(&mut self, nodes: &mut Nodes, index: NodeIndex) -> &mut Touched {
        let node = &mut nodes[index];
        if node.mark == NONE {
            node.mark = self.touched.len() as u32;
            self.touched.push(Touched { index, target: node.written, died: false });
        }
        &mut self.touched[node.mark as usize]
    }
}

impl Mirror {
    /// A mirror that shows nothing yet.
    #[must_use]
    pub fn new(options: MirrorOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Brings the world up to what changed in the replica since the last call. The matrices are right after the next run of the
    /// [bundle](crate::TransformSystemBundle).
    ///
    /// Edits of the components that were not [sent](Self::send_edits) are overwritten where the merged value changed. In a world
    /// that is not the one of the last call, what is missing of the scene is spawned. With a replica that is not the one of the last
    /// call (a clone is another one), what that one does not know is despawned.
    pub fn apply(&mut self, replica: &mut Replica, world: &mut World) -> ApplyReport {
        let mut batch = Batch::default();
        if self.world.replace(world.id()).is_some_and(|last| last != world.id()) {
            let all: Vec<NodeIndex> = self.nodes.iter().map(|(index, _)| index).collect();
            all.into_iter().for_each(|index| _ = batch.touch(&mut self.nodes, index));
        }
        for index in std::mem::take(&mut self.queue) {
            // It may be no more, or another one by now.
            if self.nodes.is_used(index) {
                self.nodes[index].queued = false;
                batch.touch(&mut self.nodes, index);
            }
        }
        let (everything, changed) = replica.read_changes(&mut self.cursor);
        let mut count = changed.len();
        if everything {
            count += self.forget_unknown(replica, &mut batch);
        }
        batch.touched.reserve(changed.len());
        for &(scene, slot) in &changed {
            self.follow(scene, replica.transform_at(scene, slot), &mut batch);
        }
        if self.options.root.is_some() {
            cycles::close(&mut self.nodes, &mut self.walks, &mut batch);
        }
        ApplyReport { changed: count, ..self.carry_out(batch, world) }
    }

    /// Despawns all that it made, those placed by the host included, and forgets everything but its options: when the scene is
    /// unloaded, or to begin anew. Returns how many were despawned. Nothing is deleted from the scene.
    ///
    /// The next [`apply`](Self::apply) spawns what the replica holds then, as other Legion entities.
    pub fn clear(&mut self, world: &mut World) -> usize {
        let despawned = self.nodes.iter().filter(|(_, node)| world.remove(node.entity)).count();
        *self = Self::new(self.options);
        despawned
    }

    /// The Legion entity that stands for a scene entity, if there is one. It stays the same until the scene entity is deleted.
    #[must_use]
    pub fn entity(&self, scene: SceneEntity) -> Option<Entity> {
        self.nodes.find(scene).map(|index| self.nodes[index].entity)
    }

    /// The Legion entity that stands for a scene entity, made (with the identity) if there is none. It stays even when nothing
    /// in the scene needs it any more, until the scene entity is deleted.
    ///
    /// This is how the host places the player and the camera: the mirror never writes their components once they are there.
    pub fn place(&mut self, world: &mut World, scene: SceneEntity) -> Entity {
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

    /// What is wrong with the values, in the order of their scene entities.
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

    /// Treats as dead what another replica knew and this one does not. Returns how many that are.
    fn forget_unknown(&mut self, replica: &Replica, batch: &mut Batch) -> usize {
        self.refused.clear();
        let is_unknown = |scene| matches!(replica.transform(scene), TransformState::Unknown | TransformState::Dead);
        let known = self.nodes.iter().filter(|(_, node)| node.known && is_unknown(node.scene));
        let gone: Vec<SceneEntity> = known.map(|(_, node)| node.scene).collect();
        gone.iter().for_each(|&scene| self.follow(scene, TransformState::Unknown, batch));
        gone.len()
    }

    /// Has the next `apply` look at a node.
    pub(super) fn enqueue(&mut self, index: NodeIndex) {
        if !std::mem::replace(&mut self.nodes[index].queued, true) {
            self.queue.push(index);
        }
    }

    /// Takes over the state of one scene entity.
    fn follow(&mut self, scene: SceneEntity, state: TransformState<'_>, batch: &mut Batch) {
        let (transform, cleaned, target, died) = match state {
            TransformState::Live { bytes, .. } => {
                let transform = SceneTransform::from_bytes(bytes);
                let (target, cleaned) = Trs::cleaned(&transform);
                (transform, cleaned, self.options.handedness.convert(target), false)
            }
            TransformState::Deleted { .. } => (SceneTransform::IDENTITY, Cleaned::default(), Trs::IDENTITY, false),
            TransformState::Dead | TransformState::Unknown => {
                if self.nodes.find(scene).is_none() {
                    return;
                }
                (SceneTransform::IDENTITY, Cleaned::default(), Trs::IDENTITY, true)
            }
        };
        let index = self.nodes.find_or_insert(scene);
        let node = &mut self.nodes[index];
        let two_scales = node.cleaned.two_scales;
        (node.known, node.cleaned) = (!died, Cleaned { two_scales, ..cleaned });
        node.live = matches!(state, TransformState::Live { .. });
        node.placed &= !died;
        let touched = batch.touch(&mut self.nodes, index);
        (touched.target, touched.died) = (target, died);
        let parent = self.nodes.parent(scene, transform.parent);
        self.relink(index, parent, batch);
    }

    /// Hangs a node off another.
    fn relink(&mut self, index: NodeIndex, parent: NodeIndex, batch: &mut Batch) {
        let old = self.nodes[index].parent;
        if old == parent {
            return;
        }
        if self.nodes[index].cyclic {
            cycles::open(&mut self.nodes, index, batch);
        }
        self.nodes[index].parent = parent;
        batch.relinked.push(index);
        if old != NONE {
            self.nodes[old].children -= 1;
            batch.touch(&mut self.nodes, old);
        }
        if parent != NONE {
            self.nodes[parent].children += 1;
            batch.touch(&mut self.nodes, parent);
        }
    }

    /// Does in the world what the batch says.
    pub(super) fn carry_out(&mut self, batch: Batch, world: &mut World) -> ApplyReport {
        let mut report = ApplyReport::default();
        let mut spawn = Spawn::default();
        let mut came_back = HashSet::new();
        for touched in batch.touched {
            let node = &mut self.nodes[touched.index];
            node.mark = NONE;
            if !node.is_needed() {
                report.despawned += usize::from(world.remove(node.entity));
                self.refused.remove(&touched.index);
                self.nodes.remove(touched.index);
                continue;
            }
            let link = self.link(touched.index);
            let node = &mut self.nodes[touched.index];
            let is_there = node.form != Form::Unspawned;
            if is_there && touched.died {
                update::strip(node, touched.index, world);
            }
            // The bundle may have taken the children away from one that was despawned or without a matrix for a while.
            if is_there && let Some(entry) = world.entry(node.entity) {
                if node.lacking.has(Set::WORLD) {
                    came_back.insert(node.entity);
                }
                report.written += usize::from(update::update(node, entry, &touched.target, link));
            } else {
                report.spawned += 1;
                if node.spawned {
                    came_back.insert(node.entity);
                }
                spawn.add(node, touched.index, touched.target, link);
            }
        }
        spawn.into_world(world);
        self.link_again(&came_back, world);
        report
    }

    /// Links the children of parents that were despawned by the user, or had no matrix, and are there again: if the bundle ran in
    /// between, it took their `Parent` away.
    fn link_again(&self, parents: &HashSet<Entity>, world: &mut World) {
        if parents.is_empty() {
            return;
        }
        for (_, node) in self.nodes.iter() {
            if let Form::Linked(parent) = node.form
                && parents.contains(&parent)
                && let Some(mut entry) = world.entry(node.entity)
                && entry.get_component::<Parent>().is_err()
            {
                update::set_parent(&mut entry, parent);
            }
        }
    }

    /// The entity that a node is to be linked to.
    fn link(&self, index: NodeIndex) -> Option<Entity> {
        let node = &self.nodes[index];
        if node.parent == NONE || node.cyclic { self.options.root } else { Some(self.nodes[node.parent].entity) }
    }
}

impl SceneEntity {
    /// The player, to be [placed](Mirror::place) by the host.
    pub const PLAYER: Self = Self::local(EntityId::PLAYER);
    /// The camera, to be [placed](Mirror::place) by the host.
    pub const CAMERA: Self = Self::local(EntityId::CAMERA);
}
