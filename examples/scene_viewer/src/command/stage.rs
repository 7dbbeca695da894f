//! The world the nodes live in while they are played.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use legion::*;
use legion_transform::{prelude::*, scene::SpawnedScene};
use nalgebra::Matrix4;

use crate::{
    ViewerError,
    model::Model,
    pose,
    sample::{Animation, Value},
};

/// Of a file without animations, to measure what a run takes.
const STILL_RUNS: usize = 20;

pub struct Stage {
    world: World,
    resources: Resources,
    schedule: Schedule,
    spawned: SpawnedScene,
    animated: BTreeSet<usize>,
    /// Of morph targets, by node.
    weights: Vec<Vec<f32>>,
    /// What the systems took for the first run, which makes their tables.
    pub first: Duration,
    /// Likewise for all runs after it.
    later: Duration,
    runs: u32,
}

impl Stage {
    pub fn new(model: &Model) -> Result<Self, ViewerError> {
        let mut world = World::default();
        let spawned = model
            .scene
            .spawn(&mut world)
            .map_err(|error| ViewerError::Scene { title: model.title.clone(), error })?;
        let animated = model.animated();
        for entity in animated.iter().filter_map(|&node| spawned.entity(node)) {
            pose::prepare(&mut world, entity);
        }
        for (node, entity) in spawned.entities() {
            let (look, Some(mut entry)) = (&model.looks[node], world.entry(entity)) else {
                continue;
            };
            look.camera.into_iter().for_each(|camera| entry.add_component(camera));
            look.light.into_iter().for_each(|light| entry.add_component(light));
        }
        let schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
        let mut stage = Self {
            world,
            resources: Resources::default(),
            schedule,
            spawned,
            animated,
            weights: Vec::new(),
            first: Duration::ZERO,
            later: Duration::ZERO,
            runs: 0,
        };
        stage.first = stage.execute();
        // Nothing moves where there is no animation: one such run is too short to measure.
        for _ in 0..if model.animations.is_empty() { STILL_RUNS } else { 0 } {
            stage.run_timed();
        }
        Ok(stage)
    }

    /// Back to what the file says, where an animation may have moved it.
    pub fn rest(&mut self, model: &Model) {
        self.weights = model.looks.iter().map(|look| look.weights.clone()).collect();
        for &node in &self.animated {
            if let Some(entity) = self.spawned.entity(node) {
                pose::rest(&mut self.world, entity, &model.scene.nodes[node].transform);
            }
        }
    }

    pub fn pose(&mut self, animation: &Animation, time: f32) {
        for track in &animation.tracks {
            match (track.sample(time), self.spawned.entity(track.node)) {
                (Value::Weights(weights), _) => self.weights[track.node] = weights,
                (value, Some(entity)) => pose::write(&mut self.world, entity, value),
                (_, None) => {}
            }
        }
    }

    fn execute(&mut self) -> Duration {
        let start = Instant::now();
        self.schedule.execute(&mut self.world, &mut self.resources);
        start.elapsed()
    }

    fn run_timed(&mut self) {
        let took = self.execute();
        self.later += took;
        self.runs += 1;
    }

    /// What the systems take for a run after the first, on average.
    pub fn each(&self) -> Duration {
        self.later / self.runs.max(1)
    }

    /// Of morph targets, now.
    pub fn weights(&self) -> impl Iterator<Item = &f32> {
        self.weights.iter().flatten()
    }

    /// The entities of the nodes. Those of cameras and lights have them as components.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// All world matrices, by node.
    pub fn run(&mut self) -> Vec<Matrix4<f32>> {
        self.run_timed();
        let mut worlds = vec![Matrix4::identity(); self.spawned.entities().count()];
        for (node, entity) in self.spawned.entities() {
            if let Ok(entry) = self.world.entry_ref(entity)
                && let Ok(world) = entry.into_component::<LocalToWorld>()
            {
                worlds[node] = world.0;
            }
        }
        worlds
    }

    pub fn findings(&self, model: &Model) -> Vec<String> {
        let Some(findings) = self.resources.get::<Findings>() else { return Vec::new() };
        let name = |entity| {
            self.spawned.entities().find(|(_, e)| *e == entity).map(|(node, _)| model.name(node))
        };
        findings
            .of(&self.world)
            .map(|f| format!("{}: {f}", name(f.entity).unwrap_or_default()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use legion_transform_testing::Reference;
    use nalgebra::Vector3;

    use super::*;
    use crate::{command::WALKER, document};

    /// The walker's animated nodes have the values of their tracks, and all worlds are the products
    /// down to them; at rest, all is as the file says.
    #[test]
    fn every_world_is_the_product_down_to_it() {
        let document = document::parse(WALKER, "walker.gltf", document::alone()).unwrap();
        let model = Model::new(&document, None).unwrap();
        let mut stage = Stage::new(&model).unwrap();
        let animation = &model.animations[0];
        for frame in 0..30 {
            let time = frame as f32 * 0.41;
            stage.pose(animation, time);
            let worlds = stage.run();
            let expected = Reference::of(&stage.world);
            for (node, entity) in stage.spawned.entities() {
                let expected = expected.world(entity).unwrap().value;
                let error = (worlds[node].cast::<f64>() - expected).amax();
                assert!(error < 1e-5, "{} at {time}: {error}", model.name(node));
            }
            for track in &animation.tracks {
                let is_right = has(&stage, track.node, track.sample(time));
                assert!(is_right, "{} at {time}", model.name(track.node));
            }
        }
        stage.rest(&model);
        let rest = stage.run();
        let mut untouched = World::default();
        let spawned = model.scene.spawn(&mut untouched).unwrap();
        for (node, entity) in spawned.entities() {
            let expected = LocalToWorld::of(&untouched, entity).unwrap().0;
            assert_eq!(expected, rest[node], "{}", model.name(node));
        }
    }

    fn has(stage: &Stage, node: usize, value: Value) -> bool {
        let entity = stage.spawned.entity(node).unwrap();
        let now = Transform::read(&stage.world, entity).unwrap();
        match value {
            Value::Translation(value) => now.translation == Vector3::from(value),
            Value::Rotation(value) => now.rotation == value,
            Value::Scale(value) => now.scale == Vector3::from(value),
            Value::Weights(value) => stage.weights[node] == value,
        }
    }
}
