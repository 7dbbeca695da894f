//! A glTF file whose nodes are entities and whose animations write their components.

use std::collections::HashSet;

use legion::{Entity, World};
use scene_viewer::{
    ViewerError,
    describe::describe,
    document::{self, Beside},
    model::Model,
    pose,
    sample::{Animation, Value},
};
use serde_json::{Value as Json, json};

pub struct Player {
    model: Model,
    /// Nodes that were given another parent: from then on their own tracks do not move them.
    freed: HashSet<usize>,
    /// Of morph targets, by node.
    weights: Vec<Vec<f32>>,
}

impl Player {
    /// The player, and the entities by node.
    pub fn open(
        world: &mut World,
        bytes: &[u8],
        title: &str,
        beside: Beside,
    ) -> Result<(Self, Vec<Entity>), ViewerError> {
        let model = Model::new(&document::parse(bytes, title, beside)?, None)?;
        if model.scene.nodes.is_empty() {
            return Err(ViewerError::Malformed { title: title.into(), what: "no nodes".into() });
        }
        let spawned = model
            .scene
            .spawn(world)
            .map_err(|error| ViewerError::Scene { title: title.into(), error })?;
        let mut nodes = vec![None; model.scene.nodes.len()];
        spawned.entities().for_each(|(node, entity)| nodes[node] = Some(entity));
        let nodes: Vec<Entity> = nodes.into_iter().flatten().collect();
        let tracks = model.animations.iter().flat_map(|animation| &animation.tracks);
        for entity in tracks.filter_map(|track| nodes.get(track.node)) {
            pose::prepare(world, *entity);
        }
        let weights = model.looks.iter().map(|look| look.weights.clone()).collect();
        Ok((Self { model, freed: HashSet::new(), weights }, nodes))
    }

    /// The clip at that time; one that there is not is the rest pose.
    pub fn pose(&mut self, world: &mut World, nodes: &[Entity], clip: usize, time: f32) {
        let Some(animation) = self.model.animations.get(clip) else {
            self.rest(world, nodes);
            return;
        };
        for track in &animation.tracks {
            if !self.freed.contains(&track.node) {
                match track.sample(time) {
                    Value::Weights(weights) => self.weights[track.node] = weights,
                    value => pose::write(world, nodes[track.node], value),
                }
            }
        }
    }

    /// Another clip may leave alone what the last one moved.
    pub fn rest(&mut self, world: &mut World, nodes: &[Entity]) {
        self.weights = self.model.looks.iter().map(|look| look.weights.clone()).collect();
        for node in self.model.animated().into_iter().filter(|node| !self.freed.contains(node)) {
            pose::rest(world, nodes[node], &self.model.scene.nodes[node].transform);
        }
    }

    pub fn free(&mut self, node: usize) {
        self.freed.insert(node);
    }

    pub fn name(&self, node: usize) -> String {
        self.model.name(node)
    }

    pub fn file_findings(&self) -> &[String] {
        &self.model.findings
    }

    pub fn weights(&self) -> impl Iterator<Item = f32> {
        self.weights.iter().flatten().copied()
    }

    /// What the viewer's script draws, in its form.
    pub fn scene(&self) -> Json {
        let clip = |a: &Animation| json!({ "name": a.name, "duration": a.duration() });
        let mut scene = describe(&self.model);
        scene["clips"] = self.model.animations.iter().map(clip).collect();
        scene
    }
}
