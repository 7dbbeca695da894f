//! A world with one scene in it, and what a page may ask of it. Nodes are numbers from 0.

use std::collections::HashMap;

use legion::{
    Entity, EntityStore, IntoQuery, Resources, Schedule, World, query::component,
    storage::Component,
};
use legion_transform::{Findings, TransformStats, findings::FindingKind, prelude::*};
use nalgebra::Matrix4;
use scene_viewer::document::Beside;
use serde_json::json;

use crate::{
    orbits::{self, Look},
    player::Player,
};

/// In place of a node.
pub const NONE: u32 = u32::MAX;
/// Findings beyond are counted, and not told.
const TOLD: usize = 30;

pub struct Session {
    world: World,
    resources: Resources,
    schedule: Schedule,
    nodes: Vec<Entity>,
    numbers: HashMap<Entity, u32>,
    /// Of a glTF file; without one, entities orbit.
    player: Option<Player>,
}

impl Session {
    fn new(world: World, nodes: Vec<Entity>, player: Option<Player>) -> Self {
        let schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
        let resources = Resources::default();
        let numbers = nodes.iter().zip(0..).map(|(entity, node)| (*entity, node)).collect();
        let mut session = Self { world, resources, schedule, nodes, numbers, player };
        session.run();
        session
    }

    pub fn orbits(count: usize) -> Self {
        let mut world = World::default();
        let nodes = orbits::spawn(&mut world, count);
        Self::new(world, nodes, None)
    }

    /// # Errors
    /// Why it is no scene.
    pub fn open(bytes: &[u8], title: &str, beside: Beside) -> Result<Self, String> {
        let mut world = World::default();
        let (player, nodes) =
            Player::open(&mut world, bytes, title, beside).map_err(|error| error.to_string())?;
        Ok(Self::new(world, nodes, Some(player)))
    }

    /// Moves what orbits.
    pub fn advance(&mut self, seconds: f32) {
        orbits::advance(&mut self.world, seconds);
    }

    /// Puts the nodes of a file where a clip has them; without such a clip, to rest.
    pub fn pose(&mut self, clip: u32, time: f32) {
        if let Some(player) = &mut self.player {
            player.pose(&mut self.world, &self.nodes, clip as usize, time);
        }
    }

    /// The next pose is of another clip.
    pub fn rest(&mut self) {
        self.pose(NONE, 0.0);
    }

    /// The bundle's run.
    pub fn run(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    /// Another parent, or none, in place: the node stays where it is seen.
    ///
    /// # Errors
    /// What the crate says against it.
    pub fn set_parent(&mut self, child: u32, parent: u32) -> Result<(), String> {
        let edits = Edits::default().on_shear(OnShear::WriteMatrix);
        let child_entity = self.node(child)?;
        let above = (parent != NONE).then(|| self.node(parent)).transpose()?;
        let result = match above {
            None => edits.remove_parent(&mut self.world, child_entity),
            Some(above) => edits.set_parent(&mut self.world, child_entity, above),
        };
        let both = [child_entity].into_iter().chain(above);
        result.map_err(|error| self.named(error.to_string(), both))?;
        self.free(child);
        Ok(())
    }

    /// Writes `Parent` and nothing else, as a program may that does not look for cycles: the run
    /// finds them.
    ///
    /// # Errors
    /// If there is no such node.
    pub fn write_parent(&mut self, child: u32, parent: u32) -> Result<(), String> {
        let (entity, parent) = (self.node(child)?, self.node(parent)?);
        if let Some(mut entry) = self.world.entry(entity) {
            entry.add_component(Parent(parent));
            if entry.get_component::<LocalToParent>().is_err() {
                entry.add_component(LocalToParent::identity());
            }
        }
        self.free(child);
        Ok(())
    }

    fn free(&mut self, node: u32) {
        if let Some(player) = &mut self.player {
            player.free(node as usize);
        }
    }

    fn node(&self, node: u32) -> Result<Entity, String> {
        let entity = self.nodes.get(node as usize).copied();
        entity.ok_or_else(|| format!("there is no node {node}"))
    }

    /// A node's component.
    fn of<C: Component>(&self, node: u32) -> Option<&C> {
        let entry = self.world.entry_ref(self.node(node).ok()?).ok()?;
        entry.into_component().ok()
    }

    #[must_use]
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// How many entities the last run gave another world matrix.
    #[must_use]
    pub fn moved(&self) -> usize {
        let Some(stats) = self.resources.get::<TransformStats>() else { return 0 };
        stats.of(&self.world).propagated_changed
    }

    #[must_use]
    pub fn name(&self, node: u32) -> String {
        match &self.player {
            Some(player) => player.name(node as usize),
            None => orbits::name(node as usize),
        }
    }

    /// `NONE` for a root.
    #[must_use]
    pub fn parent(&self, node: u32) -> u32 {
        let parent = self.of::<Parent>(node);
        parent.and_then(|parent| self.numbers.get(&parent.0)).copied().unwrap_or(NONE)
    }

    /// As of the last run; of `NONE` the roots, and what is on a cycle.
    #[must_use]
    pub fn children(&self, node: u32) -> Vec<u32> {
        let mut children: Vec<Entity> = Vec::new();
        if node == NONE {
            let mut roots = Entity::query().filter(!component::<Parent>());
            children.extend(roots.iter(&self.world));
            if let Some(findings) = self.resources.get::<Findings>() {
                let cycles = findings.of(&self.world).filter(|f| f.kind == FindingKind::Cycle);
                children.extend(cycles.map(|finding| finding.entity));
            }
        } else if let Some(component) = self.of::<Children>(node) {
            children.extend(component);
        }
        let mut numbers: Vec<u32> =
            children.iter().filter_map(|child| self.numbers.get(child)).copied().collect();
        if node == NONE {
            numbers.sort_unstable();
        }
        numbers
    }

    /// The `LocalToWorld` of the last run.
    #[must_use]
    pub fn world(&self, node: u32) -> Matrix4<f32> {
        self.of::<LocalToWorld>(node).map_or_else(Matrix4::identity, |world| world.0)
    }

    /// The same of all nodes, as the viewer's script has them: 12 numbers each, column by column.
    pub fn worlds(&self, into: &mut Vec<f32>) {
        into.clear();
        for node in 0..self.nodes.len() as u32 {
            let m = self.world(node);
            into.extend(m.column_iter().flat_map(|column| [column[0], column[1], column[2]]));
        }
    }

    pub fn weights(&self, into: &mut Vec<f32>) {
        into.clear();
        into.extend(self.player.iter().flat_map(Player::weights));
    }

    /// Where Legion has the matrices of what orbits: archetype by archetype the address of the
    /// first `LocalToWorld`, that of the first `Look`, and how many there are.
    pub fn chunks(&self, into: &mut Vec<u32>) {
        into.clear();
        let mut query = <(&LocalToWorld, &Look)>::query();
        for chunk in query.iter_chunks(&self.world) {
            let (matrices, looks) = chunk.into_components();
            let address = |pointer: *const u8| pointer as usize as u32;
            into.push(address(matrices.as_ptr().cast()));
            into.push(address(looks.as_ptr().cast()));
            into.push(matrices.len() as u32);
        }
    }

    /// What the viewer's script draws and lists; of orbits, how far out they go.
    #[must_use]
    pub fn scene(&self) -> String {
        let nodes = 0..self.count() as u32;
        let parent = |node| match self.parent(node) {
            NONE => -1,
            parent => i64::from(parent),
        };
        match &self.player {
            Some(player) => player.scene(),
            None => json!({
                "names": nodes.clone().map(|node| self.name(node)).collect::<Vec<_>>(),
                "parents": nodes.map(parent).collect::<Vec<_>>(),
                "moves": vec![1; self.count()],
                "kinds": "n".repeat(self.count()),
                "far": orbits::extent(self.count()).1,
            }),
        }
        .to_string()
    }

    /// A line each: of the last run, then of the file.
    #[must_use]
    pub fn findings(&self) -> Vec<String> {
        let mut all = Vec::new();
        if let Some(findings) = self.resources.get::<Findings>() {
            let mut standing = findings.of(&self.world);
            all.extend(standing.by_ref().take(TOLD).map(|finding| {
                let both = [finding.entity].into_iter().chain(finding.related);
                self.named(finding.to_string(), both)
            }));
            match standing.count() {
                0 => {}
                more => all.push(format!("and {more} more")),
            }
        }
        all.extend(self.player.iter().flat_map(Player::file_findings).cloned());
        all
    }

    /// The text with these nodes' names in place of the entities, which it has as `Entity(5)`.
    fn named(&self, text: String, entities: impl IntoIterator<Item = Entity>) -> String {
        entities.into_iter().fold(text, |text, entity| match self.numbers.get(&entity) {
            Some(node) => text.replace(&format!("{entity:?}"), &self.name(*node)),
            None => text,
        })
    }
}
