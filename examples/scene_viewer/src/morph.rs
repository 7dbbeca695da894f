//! Morph targets: displacements of a primitive's vertices, mixed by weights.

/// How many a node's mesh has.
pub fn targets_of(node: &gltf::Node<'_>) -> usize {
    let primitives = node
        .mesh()
        .into_iter()
        .flat_map(|mesh| mesh.primitives().map(|p| p.morph_targets().count()).collect::<Vec<_>>());
    primitives.max().unwrap_or(0)
}

/// The weights that the file gives a node, one a target.
pub fn weights_of(node: &gltf::Node<'_>) -> Vec<f32> {
    let given = node.weights().or_else(|| node.mesh()?.weights()).unwrap_or_default();
    (0..targets_of(node))
        .map(|target| given.get(target).copied().filter(|x| x.is_finite()).unwrap_or(0.0))
        .collect()
}
