//! The page of `scene_viewer`, with the merged scene in it, and how it came to be.

use std::collections::HashMap;

use decentraland_scene::{
    merge::{Connection, MergeReport, Role},
    wire::{Reader, SceneEntity},
};
use nalgebra::Matrix4;
use serde_json::json;

use crate::{pack::clip, session::Session, template};

/// At most this many frames, and matrices in all of them together.
const MAX_FRAMES: usize = 120;
const MAX_MATRICES: usize = 2_000_000;
const SECONDS_A_FRAME: f32 = 0.1;

pub fn render(title: &str, session: &Session, files: &[Vec<u8>], findings: &[String]) -> String {
    let entities = session.scene_entities();
    let merged: Vec<Matrix4<f32>> = entities.iter().map(|&scene| session.matrix(scene)).collect();
    let history = history(files, &entities);
    let moves = (0..entities.len())
        .map(|node| u8::from(history.iter().any(|frame| frame[node] != merged[node])));
    let places: HashMap<SceneEntity, usize> = entities.iter().copied().zip(0..).collect();
    let place = |scene: SceneEntity| places.get(&scene).map_or(-1, |&place| place as i64);
    let parents = entities.iter().map(|&scene| session.parent(scene).map_or(-1, place));
    let data = json!({
        "title": title,
        "names": entities.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "parents": parents.collect::<Vec<_>>(),
        "moves": moves.collect::<Vec<_>>(),
        "kinds": "n".repeat(entities.len()),
        "clips": [
            clip("merged", SECONDS_A_FRAME, &[merged]),
            clip("as the messages came", SECONDS_A_FRAME, &history),
        ],
        "findings": findings,
    });
    template::fill(title, &data)
}

/// The scene after each of some equal parts of its messages.
fn history(files: &[Vec<u8>], entities: &[SceneEntity]) -> Vec<Vec<Matrix4<f32>>> {
    let most = (MAX_MATRICES / entities.len().max(1)).clamp(1, MAX_FRAMES);
    let bytes: usize = files.iter().map(Vec::len).sum();
    let piece = bytes.div_ceil(most).max(1);
    let mut session = Session::default();
    let mut frames = Vec::new();
    for file in files {
        let mut from = Connection::with_reader(Role::Host, Reader::new(usize::MAX));
        let mut report = MergeReport::default();
        for piece in file.chunks(piece) {
            // What is wrong was said when the whole file was merged.
            let ended = session.replica.receive(&mut from, piece, &mut report).is_err();
            session.show();
            frames.push(entities.iter().map(|&scene| session.matrix(scene)).collect());
            if ended {
                break;
            }
        }
    }
    frames
}
