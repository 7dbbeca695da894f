//! The page of `scene_viewer`, with the merged scene in it, and how it came to be.

use std::collections::HashMap;

use legion_transform::decentraland::wire::{Reader, SceneEntity};
use nalgebra::Matrix4;
use serde_json::{Value, json};

use crate::{
    pack::{Packed, pack},
    session::Session,
};

const TEMPLATE: &str = include_str!("../scene_viewer/viewer/page/page.html");
const STYLE: &str = include_str!("../scene_viewer/viewer/page/page.css");
const SCRIPT: &str = concat!(
    include_str!("../scene_viewer/viewer/page/scene.js"),
    include_str!("../scene_viewer/viewer/page/numbers.js"),
    include_str!("../scene_viewer/viewer/page/state.js"),
    include_str!("../scene_viewer/viewer/page/address.js"),
    include_str!("../scene_viewer/viewer/page/draw.js"),
    include_str!("../scene_viewer/viewer/page/panels.js"),
    include_str!("../scene_viewer/viewer/page/input.js"),
    include_str!("../scene_viewer/viewer/page/start.js"),
);

/// At most this many frames, and matrices in all of them together.
const MAX_FRAMES: usize = 120;
const MAX_MATRICES: usize = 2_000_000;
const SECONDS_A_FRAME: f32 = 0.1;

pub fn render(title: &str, session: &Session, files: &[Vec<u8>], findings: &[String]) -> String {
    let entities = session.scene_entities();
    let merged: Vec<Matrix4<f32>> = entities.iter().map(|&scene| session.matrix(scene)).collect();
    let history = history(files, &entities);
    let moves = (0..entities.len()).map(|node| u8::from(history.iter().any(|frame| frame[node] != merged[node])));
    let places: HashMap<SceneEntity, usize> = entities.iter().copied().zip(0..).collect();
    let place = |scene: SceneEntity| places.get(&scene).map_or(-1, |&place| place as i64);
    let data = json!({
        "title": title,
        "names": entities.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "parents": entities.iter().map(|&scene| session.parent(scene).map_or(-1, place)).collect::<Vec<_>>(),
        "moves": moves.collect::<Vec<_>>(),
        "kinds": "n".repeat(entities.len()),
        "meshes": vec![Value::Null; entities.len()],
        "clips": [clip("merged", &[merged]), clip("as the messages came", &history)],
        "findings": findings,
    });
    let escaped = title.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    // Inside a script element only `<` can do harm, and in JSON it stands in strings only.
    let data = data.to_string().replace('<', "\\u003c");
    fill(&[("{{TITLE}}", &escaped), ("{{STYLE}}", STYLE), ("{{DATA}}", &data), ("{{SCRIPT}}", SCRIPT)])
}

/// The template with these texts in these places, which come in this order.
fn fill(places: &[(&str, &str)]) -> String {
    let mut page = String::new();
    let mut rest = TEMPLATE;
    for (place, text) in places {
        let (before, after) = rest.split_once(place).unwrap_or((rest, ""));
        page.push_str(before);
        page.push_str(text);
        rest = after;
    }
    page + rest
}

/// The scene after each of some equal parts of its messages.
fn history(files: &[Vec<u8>], entities: &[SceneEntity]) -> Vec<Vec<Matrix4<f32>>> {
    let most = (MAX_MATRICES / entities.len().max(1)).clamp(1, MAX_FRAMES);
    let bytes: usize = files.iter().map(Vec::len).sum();
    let piece = bytes.div_ceil(most).max(1);
    let mut session = Session::default();
    let mut frames = Vec::new();
    for file in files {
        let (mut reader, mut report) = (Reader::new(usize::MAX), Default::default());
        for piece in file.chunks(piece) {
            // What is wrong was said when the whole file was merged.
            let ended = session.replica.merge_stream(&mut reader, piece, &mut report).is_err();
            session.show();
            frames.push(entities.iter().map(|&scene| session.matrix(scene)).collect());
            if ended {
                break;
            }
        }
    }
    frames
}

fn clip(name: &str, worlds: &[Vec<Matrix4<f32>>]) -> Value {
    let Packed { linear, position, data, bounds } = pack(worlds);
    json!({
        "name": name,
        "frames": worlds.len(),
        "interval": SECONDS_A_FRAME,
        "bounds": bounds,
        "linear": linear,
        "position": position,
        "data": data,
    })
}
