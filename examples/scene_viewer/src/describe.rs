//! A model as the page's script has it: all but clips, of which the viewer packs frames, and the
//! playground has lengths.

use serde_json::{Value, json};

use super::{
    model::{Bounds, Look, Model},
    pack::short,
};

pub fn describe(model: &Model) -> Value {
    let nodes = &model.scene.nodes;
    let mut parents = vec![-1_i64; nodes.len()];
    for (parent, node) in nodes.iter().enumerate() {
        node.children.iter().for_each(|&child| parents[child] = parent as i64);
    }
    let animated = model.animated();
    let moves = (0..nodes.len()).map(|node| u8::from(animated.contains(&node)));
    let boxes = model.looks.iter().map(|look| look.bounds.as_ref().map(bounds));
    let sights = model.looks.iter().enumerate().flat_map(|(node, look)| {
        let camera = look.camera.map(|camera| json!([node, "camera", camera.to_string()]));
        let light = look.light.map(|light| json!([node, "light", light.to_string()]));
        camera.into_iter().chain(light)
    });
    json!({
        "title": model.title,
        "names": (0..nodes.len()).map(|node| model.name(node)).collect::<Vec<_>>(),
        "parents": parents,
        "moves": moves.collect::<Vec<_>>(),
        "unnamed": model.looks.iter().map(|look| u8::from(look.is_unnamed)).collect::<Vec<_>>(),
        "kinds": model.looks.iter().map(kind).collect::<String>(),
        "boxes": boxes.collect::<Vec<_>>(),
        "draws": model.looks.iter().map(|look| look.mesh).collect::<Vec<_>>(),
        "weights": model.looks.iter().map(|look| look.weights.len()).collect::<Vec<_>>(),
        "sights": sights.collect::<Vec<_>>(),
        "geometry": model.geometry,
    })
}

/// m: mesh, s: skinned mesh, j: joint, c: camera, l: light, n: anything else.
fn kind(look: &Look) -> char {
    match look {
        Look { mesh: Some((_, Some(_))), .. } => 's',
        Look { mesh: Some(_), .. } => 'm',
        Look { is_joint: true, .. } => 'j',
        Look { camera: Some(_), .. } => 'c',
        Look { light: Some(_), .. } => 'l',
        _ => 'n',
    }
}

fn bounds(bounds: &Bounds) -> Value {
    json!([bounds.low.map(short), bounds.high.map(short), bounds.color.map(short)])
}
