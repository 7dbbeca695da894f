//! The mirror's table: the Legion entity and the parent of each scene entity. It follows links
//! without looking at the world.

use std::{
    ops::{Index, IndexMut},
    vec,
};

use hashbrown::HashMap;
use legion_transform::{legion::Entity, spawn::reserve_ids};

use super::{clean::Trs, findings::Cleaned};
use crate::wire::{EntityId, SceneEntity};

/// The scene entity that a Legion entity stands for. A [`Mirror`](super::Mirror) adds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SceneNode {
    /// The scene entity.
    pub scene: SceneEntity,
    pub(super) index: NodeIndex,
}

pub(super) type NodeIndex = u32;

/// No node; as a parent, the scene's root.
pub(super) const NONE: NodeIndex = NodeIndex::MAX;

/// How the mirror has linked a node in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Not at all.
    Unspawned,
    /// As a root.
    Root,
    /// Below this entity.
    Linked(Entity),
}

/// A scene entity, and the Legion entity that stands for it.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub scene: SceneEntity,
    pub entity: Entity,
    /// Whether the merged state holds its `Transform`, or the tombstone of it.
    pub known: bool,
    /// Whether the host has placed it, so that it stays even if nothing in the scene needs it.
    pub placed: bool,
    /// Whether it is on a cycle. Only kept if the mirror has to know: below
    /// [`MirrorOptions::root`](super::MirrorOptions::root).
    pub cyclic: bool,
    /// The parent in its `Transform`, and the one that is shown: a `NetworkParent` decides.
    pub named_parent: EntityId,
    pub parent: NodeIndex,
    /// How many nodes name it as their parent.
    pub children: u32,
    pub form: Form,
    /// The values that the mirror wrote, in the world's handedness.
    pub written: Trs,
    pub cleaned: Cleaned,
    /// Whether all of its components are written anew, changed or not.
    pub is_rewritten: bool,
    /// Whether its entity was ever spawned.
    pub spawned: bool,
    /// Its place in the list of touched nodes, while there is one.
    pub mark: u32,
    /// The last walk that visited it.
    pub walk: u64,
    vacant: bool,
}

impl Node {
    pub fn is_needed(&self) -> bool {
        self.known || self.placed || self.children > 0
    }

    /// Whether the host alone moves it, by its components: the scene has no `Transform` of it.
    pub fn is_placed_by_host(&self) -> bool {
        self.scene.is_reserved() && !self.known
    }
}

#[derive(Debug, Default)]
pub(super) struct Nodes {
    nodes: Vec<Node>,
    vacant: Vec<NodeIndex>,
    by_scene: HashMap<SceneEntity, NodeIndex>,
    /// Ids for nodes to come.
    ids: vec::IntoIter<Entity>,
}

impl Nodes {
    pub fn find(&self, scene: SceneEntity) -> Option<NodeIndex> {
        self.by_scene.get(&scene).copied()
    }

    pub fn find_or_insert(&mut self, scene: SceneEntity) -> NodeIndex {
        *self.by_scene.entry(scene).or_insert_with(|| {
            let entity = loop {
                match self.ids.next() {
                    Some(id) => break id,
                    None => self.ids = reserve_ids(64).into_iter(),
                }
            };
            let node = Node {
                scene,
                // Chosen before it is spawned, so that others can name it as their parent.
                entity,
                known: false,
                placed: false,
                cyclic: false,
                named_parent: EntityId::ROOT,
                parent: NONE,
                children: 0,
                form: Form::Unspawned,
                written: Trs::IDENTITY,
                cleaned: Cleaned::default(),
                is_rewritten: false,
                spawned: false,
                mark: NONE,
                walk: 0,
                vacant: false,
            };
            match self.vacant.pop() {
                Some(index) => {
                    self.nodes[index as usize] = node;
                    index
                }
                None => {
                    self.nodes.push(node);
                    self.nodes.len() as NodeIndex - 1
                }
            }
        })
    }

    /// The node of a parent: `NONE` for the root.
    pub fn parent(&mut self, parent: SceneEntity) -> NodeIndex {
        if parent == SceneEntity::ROOT { NONE } else { self.find_or_insert(parent) }
    }

    pub fn remove(&mut self, index: NodeIndex) {
        let node = &mut self.nodes[index as usize];
        node.vacant = true;
        self.by_scene.remove(&node.scene);
        self.vacant.push(index);
    }

    /// The node that a component names, if it is one of this table.
    pub fn of(&self, entity: Entity, component: &SceneNode) -> Option<&Node> {
        let node = self.nodes.get(component.index as usize)?;
        (!node.vacant && node.entity == entity && node.scene == component.scene).then_some(node)
    }

    pub fn iter(&self) -> impl Iterator<Item = (NodeIndex, &Node)> {
        (0..).zip(&self.nodes).filter(|(_, node)| !node.vacant)
    }
}

impl Index<NodeIndex> for Nodes {
    type Output = Node;
    fn index(&self, index: NodeIndex) -> &Node {
        &self.nodes[index as usize]
    }
}

impl IndexMut<NodeIndex> for Nodes {
    fn index_mut(&mut self, index: NodeIndex) -> &mut Node {
        &mut self.nodes[index as usize]
    }
}
