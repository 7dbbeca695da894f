//! The page: the template, with the nodes and clips in it.

use serde_json::{Value, json};

use super::{
    model::{Look, Model},
    play::{Clip, Played},
};

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = concat!(
    include_str!("page/scene.js"),
    include_str!("page/numbers.js"),
    include_str!("page/state.js"),
    include_str!("page/address.js"),
    include_str!("page/draw.js"),
    include_str!("page/panels.js"),
    include_str!("page/input.js"),
    include_str!("page/start.js"),
);

pub fn render(model: &Model, played: &Played) -> String {
    let escaped = model.title.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    // Inside a script element only `<` can do harm, and in JSON it stands in strings only.
    let data = data(model, played).to_string().replace('<', "\\u003c");
    // Cut once, in this order: what is put in is not searched for more.
    let mut page = String::with_capacity(TEMPLATE.len() + STYLE.len() + SCRIPT.len() + data.len() + 100);
    let mut rest = TEMPLATE;
    for (place, text) in [("{{TITLE}}", escaped.as_str()), ("{{STYLE}}", STYLE), ("{{DATA}}", &data), ("{{SCRIPT}}", SCRIPT)]
    {
        let (before, after) = rest.split_once(place).unwrap_or((rest, ""));
        page.push_str(before);
        page.push_str(text);
        rest = after;
    }
    page.push_str(rest);
    page
}

fn data(model: &Model, played: &Played) -> Value {
    let nodes = &model.scene.nodes;
    let mut parents = vec![-1_i64; nodes.len()];
    for (parent, node) in nodes.iter().enumerate() {
        node.children.iter().for_each(|&child| parents[child] = parent as i64);
    }
    let animated = model.animations.iter().flat_map(|animation| &animation.tracks).map(|track| track.node);
    let mut moves = vec![0; nodes.len()];
    animated.for_each(|node| moves[node] = 1);
    json!({
        "title": model.title,
        "names": (0..nodes.len()).map(|node| model.name(node)).collect::<Vec<_>>(),
        "parents": parents,
        "moves": moves,
        "kinds": model.looks.iter().map(kind).collect::<String>(),
        "meshes": model.looks.iter().map(mesh).collect::<Vec<_>>(),
        "clips": played.clips.iter().map(clip).collect::<Vec<_>>(),
        "findings": model.findings,
    })
}

/// m: mesh, s: skinned mesh, j: joint, c: camera, n: anything else.
fn kind(look: &Look) -> char {
    match look {
        Look { mesh: Some(_), is_skinned: true, .. } => 's',
        Look { mesh: Some(_), .. } => 'm',
        Look { is_joint: true, .. } => 'j',
        Look { is_camera: true, .. } => 'c',
        _ => 'n',
    }
}

/// The box around a mesh and its colour, where the node's place is the mesh's.
fn mesh(look: &Look) -> Value {
    match &look.mesh {
        Some(mesh) if !look.is_skinned => match mesh.bounds {
            Some([low, high]) => json!([low.map(short), high.map(short), mesh.color.map(short)]),
            None => Value::Null,
        },
        _ => Value::Null,
    }
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
    })
}

/// `f32` as `f64` would show digits that it does not have.
fn short(x: f32) -> Value {
    format!("{x:e}").parse::<f64>().map_or(Value::Null, |x| json!(x))
}
