//! Every frame of every animation goes through the transform systems; what comes out is kept,
//! packed.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use super::stage::Stage;
use crate::{ViewerError, blob::Blob, model::Model, pack, sample::Animation};

/// 48 bytes each while an animation is played.
const MAX_NODE_FRAMES: usize = 4_000_000;
const MAX_FRAMES: usize = 3_000;

pub struct Played {
    /// As the page's script has them.
    pub clips: Vec<Value>,
    /// Of all clips.
    pub frames: usize,
    /// What the systems took for the first run, and for a run after it, on average.
    pub first: Duration,
    pub each: Duration,
    pub findings: Vec<String>,
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
    let all: usize = plans.iter().map(|(_, (count, _))| count).sum();
    let bar = progress(all);
    let mut clips = Vec::new();
    for (animation, (count, interval)) in plans {
        stage.rest(model);
        let times = (0..count).map(|frame| (frame as f32 * interval).min(animation.duration()));
        clips.push(clip(&mut stage, &animation.name, interval, times, |stage, time| {
            stage.pose(animation, time);
            bar.inc(1);
        }));
    }
    bar.finish_and_clear();
    stage.rest(model);
    clips.push(clip(&mut stage, "rest pose", 1.0, [0.0].into_iter(), |_, _| {}));
    findings.extend(stage.findings(model));
    Ok(Played { clips, frames: all + 1, first: stage.first, each: stage.each(), findings })
}

/// The world matrices at these times, and the weights of all morph targets of all nodes, frame by
/// frame.
fn clip(
    stage: &mut Stage,
    name: &str,
    interval: f32,
    times: impl Iterator<Item = f32>,
    pose: impl Fn(&mut Stage, f32),
) -> Value {
    let (mut worlds, mut weights) = (Vec::new(), Blob::default());
    for time in times {
        pose(stage, time);
        worlds.push(stage.run());
        weights.floats(stage.weights());
    }
    let mut clip = pack::clip(name, interval, &worlds);
    clip["weights"] = weights.text().into();
    clip
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
