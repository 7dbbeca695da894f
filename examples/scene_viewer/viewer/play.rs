//! Every frame of every animation goes through the transform systems; what comes out is kept,
//! packed.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use legion::*;
use legion_transform::{
    prelude::*,
    scene::{NodeTransform, SpawnedScene},
};
use nalgebra::Matrix4;

use super::{
    ViewerError,
    blob::Blob,
    model::Model,
    pack::{Packed, pack},
    sample::{Animation, Value},
};

/// 48 bytes each while an animation is played.
const MAX_NODE_FRAMES: usize = 4_000_000;
const MAX_FRAMES: usize = 3_000;

pub struct Played {
    pub clips: Vec<Clip>,
    pub systems: Duration,
    pub findings: Vec<String>,
}

/// One animation's world matrices.
pub struct Clip {
    pub name: String,
    pub frames: usize,
    /// Seconds from one frame to the next.
    pub interval: f32,
    pub packed: Packed,
    /// Of all morph targets of all nodes, frame by frame, in the page's form.
    pub weights: String,
}

/// Each animation on its own, and the rest pose last.
pub fn play(model: &Model, frames_per_second: f32) -> Result<Played, ViewerError> {
    let mut stage = Stage::new(model)?;
    let mut findings = Vec::new();
    let plans: Vec<_> = model
        .animations
        .iter()
        .map(|animation| (animation, frames(animation, model, frames_per_second)))
        .collect();
    for (animation, (count, interval)) in &plans {
        if *interval > 1.01 / frames_per_second {
            let rate = interval.recip();
            findings.push(format!(
                "\"{}\" is long: {count} frames of it are shown, {rate:.2} a second",
                animation.name
            ));
        }
    }
    let bar = progress(plans.iter().map(|(_, (count, _))| count).sum());
    let mut clips = Vec::new();
    for (animation, (count, interval)) in plans {
        stage.rest(model);
        let mut worlds = Vec::with_capacity(count);
        let mut weights = Blob::default();
        for frame in 0..count {
            stage.pose(animation, (frame as f32 * interval).min(animation.duration()));
            worlds.push(stage.run());
            weights.floats(stage.weights.iter().flatten());
            bar.inc(1);
        }
        let (name, packed) = (animation.name.clone(), pack(&worlds));
        clips.push(Clip { name, frames: count, interval, packed, weights: weights.text() });
    }
    bar.finish_and_clear();
    stage.rest(model);
    clips.push(stage.rest_pose());
    findings.extend(stage.findings(model));
    Ok(Played { clips, systems: stage.systems, findings })
}

/// How many frames, and how far apart.
fn frames(animation: &Animation, model: &Model, frames_per_second: f32) -> (usize, f32) {
    let most = (MAX_NODE_FRAMES / model.scene.nodes.len().max(1)).clamp(2, MAX_FRAMES);
    let duration = animation.duration();
    let gaps = (duration * frames_per_second - 1e-3).ceil().max(0.0) as usize;
    let interval =
        if gaps < most { frames_per_second.recip() } else { duration / (most - 1) as f32 };
    (gaps.min(most - 1) + 1, interval)
}

/// Draws on a terminal only.
fn progress(frames: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} frames, {eta} left");
    ProgressBar::new(frames as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// The world the nodes live in.
struct Stage {
    world: World,
    resources: Resources,
    schedule: Schedule,
    spawned: SpawnedScene,
    /// Nodes that some animation moves.
    animated: Vec<usize>,
    /// Of morph targets, by node.
    weights: Vec<Vec<f32>>,
    systems: Duration,
}

impl Stage {
    fn new(model: &Model) -> Result<Self, ViewerError> {
        let mut world = World::default();
        let spawned = model
            .scene
            .spawn(&mut world)
            .map_err(|error| ViewerError::Scene { title: model.title.clone(), error })?;
        let tracks = model.animations.iter().flat_map(|animation| &animation.tracks);
        let mut animated: Vec<usize> = tracks.map(|track| track.node).collect();
        animated.sort_unstable();
        animated.dedup();
        // A scale of one is left out of a conversion, and animations have to have it to write it.
        for entity in animated.iter().filter_map(|&node| spawned.entity(node)) {
            if let Some(mut entry) = world.entry(entity)
                && entry.get_component::<NonUniformScale>().is_err()
            {
                entry.add_component(NonUniformScale::identity());
            }
        }
        let schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
        let (resources, weights) = (Resources::default(), Vec::new());
        Ok(Self { world, resources, schedule, spawned, animated, weights, systems: Duration::ZERO })
    }

    /// Back to what the file says, where an animation may have moved it.
    fn rest(&mut self, model: &Model) {
        self.weights = model.looks.iter().map(|look| look.weights.clone()).collect();
        for i in 0..self.animated.len() {
            let node = self.animated[i];
            if let NodeTransform::Trs { translation, rotation, scale } =
                model.scene.nodes[node].transform
            {
                self.write(node, Value::Translation(translation.into()));
                self.write(node, Value::Rotation(rotation));
                self.write(node, Value::Scale(scale.into()));
            }
        }
    }

    fn pose(&mut self, animation: &Animation, time: f32) {
        for track in &animation.tracks {
            self.write(track.node, track.sample(time));
        }
    }

    /// One frame of what is there now.
    fn rest_pose(&mut self) -> Clip {
        let packed = pack(&[self.run()]);
        let mut weights = Blob::default();
        weights.floats(self.weights.iter().flatten());
        Clip { name: "rest pose".into(), frames: 1, interval: 1.0, packed, weights: weights.text() }
    }

    fn write(&mut self, node: usize, value: Value) {
        let Some(mut entry) = self.spawned.entity(node).and_then(|entity| self.world.entry(entity))
        else {
            return;
        };
        match value {
            Value::Translation([x, y, z]) => {
                if let Ok(component) = entry.get_component_mut::<Translation>() {
                    *component = Translation::new(x, y, z);
                }
            }
            Value::Rotation(rotation) => {
                if let Ok(component) = entry.get_component_mut::<Rotation>() {
                    *component = Rotation(rotation);
                }
            }
            Value::Scale([x, y, z]) => {
                if let Ok(component) = entry.get_component_mut::<NonUniformScale>() {
                    *component = NonUniformScale::new(x, y, z);
                }
            }
            Value::Weights(weights) => self.weights[node] = weights,
        }
    }

    /// All world matrices, by node.
    fn run(&mut self) -> Vec<Matrix4<f32>> {
        let start = Instant::now();
        self.schedule.execute(&mut self.world, &mut self.resources);
        self.systems += start.elapsed();
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

    fn findings(&self, model: &Model) -> Vec<String> {
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
    use super::*;
    use crate::viewer::{WALKER, document};

    /// The walker's worlds against the products of its local matrices, worked out one by one.
    #[test]
    fn every_world_is_the_product_down_to_it() {
        let document = document::parse(WALKER, "walker.gltf", None).unwrap();
        let model = Model::new(&document, None).unwrap();
        let mut stage = Stage::new(&model).unwrap();
        let animation = &model.animations[0];
        for frame in 0..30 {
            let time = frame as f32 * 0.41;
            stage.pose(animation, time);
            let worlds = stage.run();
            let expected = products(&model, animation, time);
            for node in 0..worlds.len() {
                let error = (worlds[node].cast::<f64>() - expected[node]).amax();
                assert!(error < 1e-5, "{} at {time}: {error}", model.name(node));
            }
        }
        stage.rest(&model);
        let rest = stage.run();
        let mut untouched = World::default();
        let spawned = model.scene.spawn(&mut untouched).unwrap();
        for (node, entity) in spawned.entities() {
            let entry = untouched.entry_ref(entity).unwrap();
            assert_eq!(
                entry.get_component::<LocalToWorld>().unwrap().0,
                rest[node],
                "{}",
                model.name(node)
            );
        }
    }

    fn products(model: &Model, animation: &Animation, time: f32) -> Vec<Matrix4<f64>> {
        let nodes = &model.scene.nodes;
        let mut locals: Vec<NodeTransform> = nodes.iter().map(|node| node.transform).collect();
        for track in &animation.tracks {
            let NodeTransform::Trs { translation, rotation, scale } = &mut locals[track.node]
            else {
                continue;
            };
            match track.sample(time) {
                Value::Translation(value) => *translation = value.into(),
                Value::Rotation(value) => *rotation = value,
                Value::Scale(value) => *scale = value.into(),
                Value::Weights(_) => {}
            }
        }
        let mut worlds = vec![None; nodes.len()];
        let mut parents = vec![None; nodes.len()];
        nodes.iter().enumerate().for_each(|(parent, node)| {
            node.children.iter().for_each(|&c| parents[c] = Some(parent))
        });
        // Parents first, whatever their order in the file.
        while worlds.contains(&None) {
            for node in 0..nodes.len() {
                let above =
                    parents[node].map_or(Some(Matrix4::identity()), |parent: usize| worlds[parent]);
                worlds[node] = above.map(|above| above * locals[node].to_matrix().cast::<f64>());
            }
        }
        worlds.into_iter().flatten().collect()
    }
}
