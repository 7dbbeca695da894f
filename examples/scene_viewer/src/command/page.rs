//! The page: the template, with the nodes and clips in it.

use serde_json::{Value, json};

use super::play::{Clip, Played};
use crate::{
    describe::{describe, short},
    model::Model,
    template,
};

pub fn render(model: &Model, played: &Played) -> String {
    let mut data = describe(model);
    data["clips"] = played.clips.iter().map(clip).collect();
    data["findings"] = json!(model.findings);
    template::fill(&model.title, &data)
}

fn clip(clip: &Clip) -> Value {
    json!({
        "name": clip.name,
        "frames": clip.frames,
        "interval": clip.interval,
        "bounds": clip.packed.bounds,
        "linear": clip.packed.linear.iter().copied().map(short).collect::<Vec<_>>(),
        "position": clip.packed.position,
        "data": clip.packed.data,
        "weights": clip.weights,
    })
}
