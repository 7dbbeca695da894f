//! Morph targets: displacements of a primitive's vertices, mixed by weights.

use super::document::Document;

/// How many a node's mesh has, those of primitives included that are left out.
pub fn targets_of(document: &Document, node: &gltf::Node<'_>) -> usize {
    document.json().nodes[node.index()].mesh.map_or(0, |mesh| {
        let primitives = document.json().meshes[mesh.value()].primitives.iter();
        primitives.map(|p| p.targets.as_ref().map_or(0, Vec::len)).max().unwrap_or(0)
    })
}

/// The weights that the file gives a node, one a target.
pub fn weights_of(document: &Document, node: &gltf::Node<'_>) -> Vec<f32> {
    let given = node.weights().or_else(|| node.mesh()?.weights()).unwrap_or_default();
    (0..targets_of(document, node))
        .map(|target| given.get(target).copied().filter(|x| x.is_finite()).unwrap_or(0.0))
        .collect()
}
