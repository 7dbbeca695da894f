//! Any bytes as a glTF file: reading, playing and packing neither panic nor hang.
//!
//! ```text
//! cargo +nightly fuzz run file fuzz/corpus/file tests/odd scenes -- -max_len=4096
//! ```
#![no_main]

use libfuzzer_sys::fuzz_target;
use scene_viewer::{command::stage::Stage, document, model::Model};

#[path = "../../tests/viewer/played.rs"]
mod played;

use played::play;

fuzz_target!(|data: &[u8]| {
    let Ok(document) = document::parse(data, "a file", document::alone()) else { return };
    let Ok(model) = Model::new(&document, None) else { return };
    let Ok(mut stage) = Stage::new(&model) else { return };
    play(&model, &mut stage);
});
