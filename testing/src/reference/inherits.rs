//! The part of a parent's world that a child inherits, in `f64`.

use crate::reference::{
    algebra::{
        A, axis, cross, dot, length, linear, orthonormal, product3, stretch, turned_over,
        with_linear,
    },
    bounded::{Bounded, UNIT},
    formulas::{identity, turning},
};

/// `T R M` of a parent's world, without the factors that are left out: its last column, Q of a QR
/// decomposition of its upper left 3x3 A, and Q^-1 A. Q's signs are such that M is a scale,
/// mirrored along x if at all, and a shear.
#[must_use]
pub fn inherited(world: &Bounded, [translation, rotation, scale]: [bool; 3]) -> Bounded {
    if translation && rotation && scale {
        return *world;
    }
    if world.is_unknown() && (translation || rotation || scale) {
        return Bounded::unknown();
    }
    let a = linear(&world.value);
    let size = linear(&world.magnitude);
    // What the parent's own errors turn its axes by, relative to a rounding.
    let is_known = flat_axes(&a) == flat_axes(&size);
    let (smallest, largest) = stretch(&with_normal(a));
    // Of singular values that are further apart the smaller one is made of rounding errors.
    let smallest = if is_known && smallest > largest * 1e-7 { smallest } else { 0.0 };
    let (_, error) = stretch(&size);
    let of_parent = match smallest > 0.0 {
        _ if world.is_exact() => 0.0,
        true => 4.0 * error / smallest,
        false => f64::MAX,
    };
    if of_parent * UNIT > 0.05 && rotation != scale {
        return Bounded::unknown();
    }
    let mut part = match (rotation, scale) {
        (true, true) => Bounded { value: with_linear(&a), magnitude: with_linear(&size) },
        (false, false) => identity(),
        _ => match (turn_of(a), rotation) {
            (Turn::Of(q), true) => {
                let Bounded { value, magnitude } = turning(with_linear(&q));
                Bounded { value, magnitude: magnitude * (1.0 + of_parent) }
            }
            (Turn::Of(q), false) => {
                let turned = A::from_fn(|_, _| 1.0 + of_parent);
                let rest = if world.is_exact() { turned_over(&q).abs() } else { turned };
                // By definition nothing is below the diagonal. Computed, it is 1e-17 and less.
                Bounded {
                    value: with_linear(&product3(&turned_over(&q), &a).upper_triangle()),
                    magnitude: with_linear(&product3(&rest, &size)),
                }
            }
            (Turn::None, true) => identity(),
            (Turn::None, false) => {
                Bounded { value: with_linear(&a), magnitude: with_linear(&size) }
            }
            (Turn::Unclear, _) => Bounded::unknown(),
        },
    };
    if translation {
        for row in 0..3 {
            part.value[(row, 3)] = world.value[(row, 3)];
            part.magnitude[(row, 3)] = world.magnitude[(row, 3)];
        }
    }
    part
}

/// The rotation of a linear map.
enum Turn {
    Of(A),
    None,
    /// So nearly flat that rounding decides whether there is one.
    Unclear,
}

fn turn_of(a: A) -> Turn {
    if !a.iter().all(|x| x.is_finite()) {
        return Turn::None;
    }
    let (mut q, beyond) = orthonormal(&with_normal(a));
    let flatness = beyond.into_iter().fold(1.0, f64::min);
    let limit = 4.0 * f64::from(f32::EPSILON);
    if beyond.iter().any(|x| x.is_nan()) || flat_axes(&a).len() > 1 || flatness < limit / 4.0 {
        return Turn::None;
    }
    if flatness < limit * 4.0 {
        return Turn::Unclear;
    }
    if dot(axis(&q, 0), cross(axis(&q, 1), axis(&q, 2))) < 0.0 {
        q.set_column(0, &-axis(&q, 0));
    }
    Turn::Of(q)
}

/// The axes of length zero.
fn flat_axes(a: &A) -> Vec<usize> {
    (0..3).filter(|&column| length(axis(a, column)) == 0.0).collect()
}

/// One axis of length zero counts as perpendicular to the two others.
fn with_normal(mut a: A) -> A {
    if let [column] = flat_axes(&a)[..] {
        let normal = cross(axis(&a, (column + 1) % 3), axis(&a, (column + 2) % 3));
        a.set_column(column, &normal);
    }
    a
}
