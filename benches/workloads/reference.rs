//! The right matrices, in f64, to check every competitor's against.

use super::{scene::Scene, shape::NO_PARENT};

#[derive(Clone, Copy)]
struct World {
    /// Three columns of the linear part, then the translation.
    columns: [[f64; 3]; 4],
    /// The product of the scales on the way: how large the linear part's numbers are.
    scale: f64,
    /// The length of the way from the origin to the node: how large the numbers behind its
    /// translation were.
    reach: f64,
    depth: f64,
}

/// Compares every node's matrix, sixteen numbers column by column, with the scene's.
///
/// # Errors
/// Says which node differs by more than rounding explains.
pub fn check(scene: &Scene, mut matrix_of: impl FnMut(usize) -> [f32; 16]) -> Result<(), String> {
    let mut worlds: Vec<World> = Vec::with_capacity(scene.len());
    for node in 0..scene.len() {
        let parent = scene.parents[node];
        let parent = if parent == NO_PARENT { ROOT } else { worlds[parent as usize] };
        let world = below(&parent, scene, node);
        let got = matrix_of(node);
        if !agrees(&world, &got) {
            return Err(format!("node {node}: got {got:?}, should be {:?}", world.columns));
        }
        worlds.push(world);
    }
    Ok(())
}

const ROOT: World = World {
    columns: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]],
    scale: 1.0,
    reach: 0.0,
    depth: 0.0,
};

fn agrees(world: &World, got: &[f32; 16]) -> bool {
    // A few roundings a level, each at most half an ulp of the largest number involved.
    let tolerance = 4e-7 * (world.depth + 3.0);
    let close = |column: usize, row: usize| {
        let size = if column < 3 { world.scale } else { world.reach };
        (f64::from(got[column * 4 + row]) - world.columns[column][row]).abs() <= tolerance * size
    };
    let affine = [got[3], got[7], got[11], got[15]] == [0.0, 0.0, 0.0, 1.0];
    affine && (0..4).all(|column| (0..3).all(|row| close(column, row)))
}

fn below(parent: &World, scene: &Scene, node: usize) -> World {
    let trs = scene.trs(node as u32);
    let [x, y, z, w] = trs.rotation.map(f64::from);
    let scale = f64::from(trs.scale);
    let turn = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
        [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
        [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let translation = trs.translation.map(f64::from);
    let linear = |v: [f64; 3]| -> [f64; 3] {
        std::array::from_fn(|row| {
            (0..3).map(|column| parent.columns[column][row] * v[column]).sum()
        })
    };
    let [a, b, c] = turn.map(|column| linear(column.map(|x| x * scale)));
    let offset = linear(translation);
    let length = translation.iter().map(|x| x.abs()).sum::<f64>();
    World {
        columns: [a, b, c, std::array::from_fn(|row| parent.columns[3][row] + offset[row])],
        scale: parent.scale * scale,
        reach: parent.reach + parent.scale * length,
        depth: parent.depth + 1.0,
    }
}
