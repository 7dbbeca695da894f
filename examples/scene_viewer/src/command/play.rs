//! Every frame of every animation goes through the transform systems; what comes out is kept,
//! packed.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::stage::Stage;
use crate::{
    ViewerError,
    blob::Blob,
    model::Model,
    pack::{Packed, pack},
    sample::Animation,
};

/// 48 bytes each while an animation is played.
const MAX_NODE_FRAMES: usize = 4_000_000;
const MAX_FRAMES: usize = 3_000;

pub struct Played {
    pub clips: Vec<Clip>,
    /// What the systems took for the first run, and for a run after it, on average.
    pub first: Duration,
    pub each: Duration,
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
            weights.floats(stage.weights());
            bar.inc(1);
        }
        let (name, packed) = (animation.name.clone(), pack(&worlds));
        clips.push(Clip { name, frames: count, interval, packed, weights: weights.text() });
    }
    bar.finish_and_clear();
    stage.rest(model);
    clips.push(rest_pose(&mut stage));
    findings.extend(stage.findings(model));
    Ok(Played { clips, first: stage.first, each: stage.each(), findings })
}

/// One frame of what is there now.
fn rest_pose(stage: &mut Stage) -> Clip {
    let packed = pack(&[stage.run()]);
    let mut weights = Blob::default();
    weights.floats(stage.weights());
    Clip { name: "rest pose".into(), frames: 1, interval: 1.0, packed, weights: weights.text() }
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
