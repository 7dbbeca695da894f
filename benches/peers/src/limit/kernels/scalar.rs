//! Plain numbers; the compiler makes of it what it can.

use crate::limit::columns::{Matrix, View};

super::passes!("scalar");

type World = [[f32; 3]; 4];

#[inline]
unsafe fn local(view: &View, node: usize) -> World {
    // SAFETY: the caller keeps the view's contract.
    let (t, [x, y, z, w], s) = unsafe {
        (*view.translations.add(node), *view.rotations.add(node), *view.scales.add(node))
    };
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz, xw) = (x2 * x, x2 * y, x2 * z, x2 * w);
    let (yy, yz, yw) = (y2 * y, y2 * z, y2 * w);
    let (zz, zw) = (z2 * z, z2 * w);
    [
        [(1.0 - (yy + zz)) * s, (xy + zw) * s, (xz - yw) * s],
        [(xy - zw) * s, (1.0 - (xx + zz)) * s, (yz + xw) * s],
        [(xz + yw) * s, (yz - xw) * s, (1.0 - (xx + yy)) * s],
        t,
    ]
}

#[inline]
fn below(parent: World, local: World) -> World {
    let [a, b, c, d] = parent;
    let linear = |v: [f32; 3]| -> [f32; 3] {
        std::array::from_fn(|row| a[row] * v[0] + b[row] * v[1] + c[row] * v[2])
    };
    let offset = linear(local[3]);
    [
        linear(local[0]),
        linear(local[1]),
        linear(local[2]),
        std::array::from_fn(|row| d[row] + offset[row]),
    ]
}

#[inline]
unsafe fn below_stored(parent: *const Matrix, local: World) -> World {
    // SAFETY: the caller keeps the view's contract.
    below(unsafe { load(parent) }, local)
}

#[inline]
unsafe fn load(at: *const Matrix) -> World {
    // SAFETY: the caller keeps the view's contract.
    let m = unsafe { &(*at).0 };
    std::array::from_fn(|column| std::array::from_fn(|row| m[column * 4 + row]))
}

#[inline]
unsafe fn store(at: *mut Matrix, [a, b, c, d]: World) {
    let matrix = [
        a[0], a[1], a[2], 0.0, b[0], b[1], b[2], 0.0, c[0], c[1], c[2], 0.0, d[0], d[1], d[2], 1.0,
    ];
    // SAFETY: the caller keeps the view's contract.
    unsafe { *at = Matrix(matrix) };
}
