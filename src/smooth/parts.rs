//! Taking matrices apart, four at a time: lane `i` is matrix `i`. All operations are sums,
//! products, quotients and square roots: the same bits on every platform.

use nalgebra::Matrix4;
use wide::f32x4;

use crate::{components::LocalToWorld, math::decompose::decompose};

/// The parts of a matrix, each in the first lanes: `T R H S`.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// NaN where the matrix cannot be taken apart.
    pub rotation: f32x4,
    /// A mirror is a negative x; the others are never negative.
    pub scale: f32x4,
    /// `xy, xz, yz`.
    pub shear: f32x4,
    /// The last column.
    pub translation: f32x4,
}

/// Four vectors, or a column of four matrices.
type Vectors = [f32x4; 3];

impl Parts {
    /// Adds the parts of four matrices to a list. They are written in place: an array of four would
    /// be copied by a call.
    #[inline(always)]
    pub fn push_four(list: &mut Vec<Self>, matrices: [&LocalToWorld; 4]) {
        let column = |i: usize| f32x4::transpose(matrices.map(|it| f32x4::new(it.0.data.0[i])));
        let ([x0, x1, x2, x3], [y0, y1, y2, y3]) = (column(0), column(1));
        let ([z0, z1, z2, z3], [t0, t1, t2, t3]) = (column(2), column(3));
        let (zero, one) = (f32x4::ZERO, f32x4::ONE);
        let (x, y, z) = ([x0, x1, x2], [y0, y1, y2], [z0, z1, z2]);
        let (xx, yy, zz) = (dot(x, x), dot(y, y), dot(z, z));
        let across = cross(x, y);
        let area = dot(across, across);
        // As by Gram and Schmidt. Where z is on the other side, x points the other way.
        let side = dot(across, z) & f32x4::splat(-0.0);
        let width = xx.sqrt() ^ side;
        let (right, back) = (times(x, one / width), times(across, one / (area.sqrt() ^ side)));
        let up = cross(back, right);
        let (height, depth) = (dot(up, y), dot(back, z));
        let shear = [dot(right, y) / height, dot(right, z) / depth, dot(up, z) / depth, zero];

        // Elsewhere `f32` has not the digits: long or short columns, or angles below 30 degrees.
        let is_within =
            |it: f32x4, low, high| it.simd_gt(f32x4::splat(low)) & it.simd_lt(f32x4::splat(high));
        let quarter = f32x4::splat(0.25);
        let is_easy = is_within(xx, 1e-16, 1e16)
            & is_within(yy, 1e-16, 1e16)
            & is_within(zz, 1e-16, 1e16)
            & area.simd_gt(xx * yy * quarter)
            & (depth * depth).simd_gt(zz * quarter)
            & ((t0 + t1 + t2) * zero).simd_eq(zero)
            & (x3.abs() + y3.abs() + z3.abs()).simd_eq(zero)
            & t3.simd_eq(one);
        let is_easy = is_easy.to_bitmask();

        let last = f32x4::new([0.0, 0.0, 0.0, 1.0]);
        let rotation = f32x4::transpose(quaternions(right, up, back));
        let (scale, shear) =
            (f32x4::transpose([width, height, depth, zero]), f32x4::transpose(shear));
        let first = list.len();
        list.extend((0..4).map(|i| Self {
            rotation: rotation[i],
            scale: scale[i],
            shear: shear[i],
            translation: f32x4::new(matrices[i].0.data.0[3]) - last,
        }));
        for i in (0..4).filter(|i| is_easy >> i & 1 == 0) {
            list[first + i] = Self::by_decomposition(&matrices[i].0);
        }
    }

    pub fn mirrors(&self) -> bool {
        self.scale.to_array()[0] < 0.0
    }

    /// The parts of any matrix, in `f64`.
    #[cold]
    fn by_decomposition(matrix: &Matrix4<f32>) -> Self {
        let nan = f32x4::splat(f32::NAN);
        let none = Self { rotation: nan, scale: nan, shear: nan, translation: nan };
        decompose(matrix).map_or(none, |parts| {
            let lanes = |it: nalgebra::Vector3<f32>| f32x4::new([it.x, it.y, it.z, 0.0]);
            Self {
                rotation: f32x4::new(parts.rotation.coords.into()),
                scale: lanes(parts.scale),
                shear: lanes(parts.shear),
                translation: lanes(parts.translation),
            }
        })
    }
}

/// `x y z w` of four rotations by their columns. The greatest of the four is at least a half, and
/// the others follow from it.
fn quaternions(right: Vectors, up: Vectors, back: Vectors) -> [f32x4; 4] {
    let is_low = back[2].simd_lt(f32x4::ZERO);
    let rest = is_low.bitselect(right[0] - up[1], right[0] + up[1]);
    let greatest = f32x4::ONE + back[2].abs() + rest.abs();
    let (x, z) = (rest.simd_gt(f32x4::ZERO) & is_low, rest.simd_lt(f32x4::ZERO) & !is_low);
    let y = is_low & !x;
    let pick =
        |of_x, of_y, of_z, of_w| x.bitselect(of_x, y.bitselect(of_y, z.bitselect(of_z, of_w)));
    let (xw, yw, zw) = (up[2] - back[1], back[0] - right[2], right[1] - up[0]);
    let (xy, xz, yz) = (right[1] + up[0], back[0] + right[2], up[2] + back[1]);
    let unit = f32x4::splat(0.5) / greatest.sqrt();
    [
        pick(greatest, xy, xz, xw) * unit,
        pick(xy, greatest, yz, yw) * unit,
        pick(xz, yz, greatest, zw) * unit,
        pick(xw, yw, zw, greatest) * unit,
    ]
}

fn dot(a: Vectors, b: Vectors) -> f32x4 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vectors, b: Vectors) -> Vectors {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn times(a: Vectors, by: f32x4) -> Vectors {
    [a[0] * by, a[1] * by, a[2] * by]
}
