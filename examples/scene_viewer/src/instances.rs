//! Meshes that stand in many places (`EXT_mesh_gpu_instancing`), which the gltf crate does not
//! know. Each place becomes a child of the node.
//!
//! ```text
//! tree: mesh 0 in 3 places   ->   tree
//!                                 ├─ tree #0: mesh 0
//!                                 ├─ tree #1: mesh 0
//!                                 └─ tree #2: mesh 0
//! ```

use gltf::{
    Accessor,
    accessor::{DataType, Dimensions},
};
use legion_transform::scene::{NodeTransform, SceneNode};
use serde_json::Value;

use super::{
    accessors::read,
    document::Document,
    findings::{Findings, Flaw},
    model::{Look, Model},
    nodes::trs,
    sample::Keys,
    sound,
    words::counted,
};

/// Of a file, all in all.
const MAX_INSTANCES: usize = 100_000;

/// A node's accessors of its places.
pub struct Instanced {
    node: usize,
    /// Of translations, rotations and scales.
    places: [Option<usize>; 3],
}

/// The nodes of the file that have the extension.
pub fn find(root: &Value) -> Vec<Instanced> {
    let nodes = root["nodes"].as_array().map_or(&[][..], Vec::as_slice);
    let instanced = |(node, json): (usize, &Value)| {
        let extension = json["extensions"].get("EXT_mesh_gpu_instancing")?;
        let accessor = |name| {
            // Too large an index is as good as a wrong one.
            let index = extension["attributes"].get(name)?.as_u64();
            Some(index.and_then(|index| index.try_into().ok()).unwrap_or(usize::MAX))
        };
        Some(Instanced { node, places: ["TRANSLATION", "ROTATION", "SCALE"].map(accessor) })
    };
    nodes.iter().enumerate().filter_map(instanced).collect()
}

/// Adds the children, and takes their mesh from the node.
pub fn add(
    model: &mut Model,
    document: &Document,
    new_index: &[Option<usize>],
    findings: &mut Findings,
) {
    let mut room = MAX_INSTANCES;
    for instanced in &document.instanced {
        let Some(node) = new_index.get(instanced.node).copied().flatten() else { continue };
        let name = model.name(node);
        match places(document, instanced, &model.looks[node], room) {
            Ok((places, count)) => {
                if places.len() < count {
                    let count = counted(count, "instance");
                    findings.tell(format!("{} of {count} of \"{name}\" are shown", places.len()));
                }
                room -= places.len();
                hold_weights(model, node, &name, findings);
                place(model, node, &name, places);
            }
            Err(flaw) => {
                let what = format!("instancing of \"{name}\", which is drawn once,");
                findings.leave_out("instancing", &what, flaw);
            }
        }
    }
    model.animations.retain(|animation| !animation.tracks.is_empty());
}

/// At most `room` of them, and how many there are.
fn places(
    document: &Document,
    instanced: &Instanced,
    look: &Look,
    room: usize,
) -> Result<(Vec<NodeTransform>, usize), Flaw> {
    match look.mesh {
        None => return Err("the node has no mesh that is shown".into()),
        Some((_, Some(_))) => return Err("its mesh is moved by a skin, not by the node".into()),
        Some(_) => {}
    }
    let mut accessors = [None, None, None];
    for (found, index) in accessors.iter_mut().zip(instanced.places) {
        *found = index.map(|index| accessor(document, index)).transpose()?;
    }
    let mut counts = accessors.iter().flatten().map(Accessor::count);
    let count = counts.next().ok_or("it has no TRANSLATION, ROTATION or SCALE")?;
    if counts.any(|other| other != count) {
        return Err("its TRANSLATION, ROTATION and SCALE differ in number".into());
    }
    let [translation, rotation, scale] = accessors;
    let triples = |accessor: Option<Accessor<'_>>, missing: f32| match accessor {
        Some(accessor) => read(document, accessor, Dimensions::Vec3, &[DataType::F32]),
        None => Ok(vec![[missing; 3]; count]),
    };
    let rotations = match rotation {
        Some(accessor) => rotations(document, accessor)?,
        None => vec![[0.0, 0.0, 0.0, 1.0]; count],
    };
    let (translations, scales) = (triples(translation, 0.0)?, triples(scale, 1.0)?);
    let numbers = [translations.as_flattened(), rotations.as_flattened(), scales.as_flattened()];
    if !numbers.iter().copied().flatten().all(|x| x.is_finite()) {
        return Err("it holds an infinity or NaN".into());
    }
    let places = translations.into_iter().zip(rotations).zip(scales).take(room);
    Ok((places.map(|((t, r), s)| trs(t, r, s)).collect(), count))
}

fn accessor(document: &Document, index: usize) -> Result<Accessor<'_>, Flaw> {
    let found = document.gltf.accessors().nth(index);
    let found = found.ok_or_else(|| Flaw::from("it names an accessor that is not there"))?;
    sound::accessor(document, index).map_err(|flaw| flaw.of(&format!("accessor {index}")))?;
    Ok(found)
}

/// Quaternions may be whole numbers, of which the largest means one.
fn rotations(document: &Document, accessor: Accessor<'_>) -> Result<Vec<[f32; 4]>, Flaw> {
    const VEC4: Dimensions = Dimensions::Vec4;
    match accessor.data_type() {
        DataType::I8 => {
            let bytes: Vec<[i8; 4]> = read(document, accessor, VEC4, &[DataType::I8])?;
            Ok(bytes.iter().map(|q| q.map(|x| (f32::from(x) / 127.0).max(-1.0))).collect())
        }
        DataType::I16 => {
            let shorts: Vec<[i16; 4]> = read(document, accessor, VEC4, &[DataType::I16])?;
            Ok(shorts.iter().map(|q| q.map(|x| (f32::from(x) / 32767.0).max(-1.0))).collect())
        }
        _ => read(document, accessor, VEC4, &[DataType::F32]),
    }
}

/// Tracks of weights belong to the node, whose mesh goes to its children.
fn hold_weights(model: &mut Model, node: usize, name: &str, findings: &mut Findings) {
    for animation in &mut model.animations {
        let all = animation.tracks.len();
        animation.tracks.retain(|t| t.node != node || !matches!(t.keys, Keys::Weights(_)));
        if animation.tracks.len() < all {
            findings.tell(format!(
                "\"{}\" moves morph targets of \"{name}\": its instances keep theirs at rest",
                animation.name
            ));
        }
    }
}

fn place(model: &mut Model, node: usize, name: &str, places: Vec<NodeTransform>) {
    let look = &mut model.looks[node];
    let (mesh, bounds) = (look.mesh.take(), look.bounds.take());
    let weights = std::mem::take(&mut look.weights);
    for (i, transform) in places.into_iter().enumerate() {
        let child = model.scene.add(SceneNode::new(format!("{name} #{i}")).at(transform));
        model.scene.nodes[node].children.push(child);
        let (bounds, weights) = (bounds.clone(), weights.clone());
        model.looks.push(Look { mesh, bounds, weights, ..Look::default() });
    }
}
