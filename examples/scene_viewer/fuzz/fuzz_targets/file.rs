//! Any bytes as a glTF file: reading, playing and packing neither panic nor hang.
//!
//! ```text
//! cargo +nightly fuzz run file fuzz/corpus/file tests/odd scenes -- -max_len=4096
//! ```
#![no_main]

use libfuzzer_sys::fuzz_target;
use scene_viewer::{command::stage::Stage, describe::describe, document, model::Model, pack::pack};

fuzz_target!(|data: &[u8]| {
    let Ok(document) = document::parse(data, "a file", document::alone()) else { return };
    let Ok(model) = Model::new(&document, None) else { return };
    let Ok(mut stage) = Stage::new(&model) else { return };
    let mut worlds = Vec::new();
    for animation in &model.animations {
        stage.rest(&model);
        for time in [0.0, 0.3 * animation.duration(), f32::MAX] {
            stage.pose(animation, time);
            worlds.push(stage.run());
        }
    }
    assert!(worlds.iter().all(|frame| frame.len() == model.scene.nodes.len()));
    pack(&worlds);
    assert!(describe(&model).is_object());
});
