//! Playing and packing a file that was read: for the tests and for the fuzz target.

use scene_viewer::{command::stage::Stage, describe::describe, model::Model, pack::clip};

/// Plays each animation at its start, within it and far behind its end, and packs the frames.
pub fn play(model: &Model, stage: &mut Stage) {
    let mut worlds = Vec::new();
    for animation in &model.animations {
        stage.rest(model);
        for time in [0.0, 0.3 * animation.duration(), f32::MAX] {
            stage.pose(animation, time);
            worlds.push(stage.run());
        }
    }
    assert!(worlds.iter().all(|frame| frame.len() == model.scene.nodes.len()));
    clip("all", 1.0, &worlds);
    assert!(describe(model).is_object());
}
