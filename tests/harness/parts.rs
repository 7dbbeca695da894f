//! The part of a parent's world that a child inherits, in `f64`.

use nalgebra::Matrix3;

use super::reference::{Bounded, M, identity, turning};

/// `T R M` of a parent's world, without the factors that are left out: its last column, Q of a QR
/// decomposition of its upper left 3x3 A, and Q^-1 A. Q's signs are such that M is a scale,
/// mirrored along x if at all, and a shear.
pub fn inherited(world: M, [translation, rotation, scale]: [bool; 3]) -> Bounded {
    if translation && rotation && scale {
        return Bounded::exact(world);
    }
    let a = world.fixed_view::<3, 3>(0, 0).into_owned();
    let mut part = match (rotation, scale) {
        (true, true) => Bounded::exact(a.to_homogeneous()),
        (false, false) => identity(),
        _ => match (turn_of(a), rotation) {
            (Turn::Of(q), true) => turning(q.to_homogeneous()),
            (Turn::Of(q), false) => {
                let value = (q.transpose() * a).to_homogeneous();
                let magnitude = (q.transpose().abs() * a.abs()).to_homogeneous();
                Bounded { value, magnitude }
            }
            (Turn::None, true) => identity(),
            (Turn::None, false) => Bounded::exact(a.to_homogeneous()),
            (Turn::Unclear, _) => {
                let magnitude = M::repeat(f64::from(f32::MAX));
                Bounded { value: M::identity(), magnitude }
            }
        },
    };
    if translation {
        for row in 0..3 {
            part.value[(row, 3)] = world[(row, 3)];
            part.magnitude[(row, 3)] = world[(row, 3)].abs();
        }
    }
    part
}

/// The rotation of a linear map.
enum Turn {
    Of(Matrix3<f64>),
    None,
    /// So nearly flat that rounding decides whether there is one.
    Unclear,
}

fn turn_of(mut a: Matrix3<f64>) -> Turn {
    if !a.iter().all(|x| x.is_finite()) {
        return Turn::None;
    }
    // An axis of length zero counts as perpendicular to the two others.
    let flat: Vec<usize> = (0..3).filter(|&axis| a.column(axis).norm() == 0.0).collect();
    if let [axis] = flat[..] {
        let normal = a.column((axis + 1) % 3).cross(&a.column((axis + 2) % 3));
        a.set_column(axis, &normal);
    }
    let (mut q, r) = a.qr().unpack();
    let flatness = (0..3).map(|i| r[(i, i)].abs() / a.column(i).norm()).fold(1.0, f64::min);
    let limit = 4.0 * f64::from(f32::EPSILON);
    if flatness.is_nan() || flat.len() > 1 || flatness < limit / 4.0 {
        return Turn::None;
    }
    if flatness < limit * 4.0 {
        return Turn::Unclear;
    }
    for axis in 0..3 {
        q.column_mut(axis).scale_mut(r[(axis, axis)].signum());
    }
    if q.determinant() < 0.0 {
        q.column_mut(0).neg_mut();
    }
    Turn::Of(q)
}
