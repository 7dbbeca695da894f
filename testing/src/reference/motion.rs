//! The way of a world matrix between two ticks, in `f64`, by the definition of the module `smooth`.
//!
//! With `A` and `B` taken apart into `T R H S`: translation, shear and scale go straight, and the
//! rotation is `R_A exp(alpha ln(R_A^-1 R_B))`. Where one of the two cannot be taken apart, or only
//! one mirrors, all elements go straight.

use nalgebra::{Matrix3, Matrix4, Rotation3, UnitQuaternion};

use crate::{
    reference::algebra::{M, V, axis, linear, orthonormal, product3, turned_over},
    snapshot::same_bits,
};

/// How far the columns may be off, in units of their lengths before they are sheared.
const TOLERANCE: f64 = 1e-5;

/// From here on a column counts as outside the plane of those before it: its share that is outside.
/// Below the first, no matrix can be taken apart; above the second, all can.
const FLAT: [f64; 2] = [2e-7, 1e-6];

/// Why this is not the matrix at `alpha` between two others, if it is not.
#[must_use]
pub fn mismatch(
    from: &Matrix4<f32>,
    to: &Matrix4<f32>,
    alpha: f32,
    seen: &Matrix4<f32>,
) -> Option<String> {
    if alpha <= 0.0 || alpha >= 1.0 {
        let wanted = if alpha <= 0.0 { from } else { to };
        let is_same = same_bits(wanted.as_slice(), seen.as_slice());
        return (!is_same).then(|| format!("{seen} at {alpha}, exactly {wanted}"));
    }
    if from.iter().chain(to).any(|element| element.is_finite() && element.abs() > 1e37) {
        return None; // f32 may overflow in between
    }
    let alpha = f64::from(alpha);
    let ways = ways(&from.cast(), &to.cast(), alpha);
    let fits = ways.iter().any(|way| way.fits(seen));
    (!fits).then(|| {
        let wanted: Vec<_> = ways.iter().map(|way| format!("{}", way.matrix)).collect();
        format!("from {from}to {to}at {alpha} is {seen}and should be {}", wanted.join("or"))
    })
}

/// A matrix that is right, and how far off each element may be.
struct Way {
    matrix: M,
    tolerance: M,
}

impl Way {
    fn fits(&self, seen: &Matrix4<f32>) -> bool {
        let fits = |i: usize| {
            let (wanted, seen) = (self.matrix[i], f64::from(seen[i]));
            let is_off = (wanted - seen).abs() > self.tolerance[i];
            if wanted.is_finite() { seen.is_finite() && !is_off } else { !seen.is_finite() }
        };
        (0..16).all(fits)
    }
}

/// The matrices that are right: several where the formula does not tell, as in half a turn.
fn ways(a: &M, b: &M, alpha: f64) -> Vec<Way> {
    let straight = Way {
        matrix: a.zip_map(b, |a, b| a * (1.0 - alpha) + b * alpha),
        tolerance: a.zip_map(b, |a, b| 1e-6 * (a.abs() + b.abs()) + 1e-43),
    };
    let (Some(from), Some(to)) = (parts(a), parts(b)) else { return vec![straight] };
    if (from.scale.x < 0.0) != (to.scale.x < 0.0) {
        return vec![straight];
    }
    let by = (from.rotation.inverse() * to.rotation).scaled_axis();
    let angle = by.norm();
    let mut turns = vec![by];
    if angle > std::f64::consts::PI - 1e-3 {
        turns.push(by * (1.0 - 2.0 * std::f64::consts::PI / angle));
    }
    let turned = turns.iter().map(|by| turned(&from, &to, by, alpha, &straight));
    let mut ways: Vec<_> = turned.collect();
    if from.outside.min(to.outside) < FLAT[1] {
        ways.push(straight);
    }
    ways
}

fn turned(from: &Parts, to: &Parts, by: &V, alpha: f64, straight: &Way) -> Way {
    let rotation = from.rotation * UnitQuaternion::from_scaled_axis(by * alpha);
    let (h, s) = (from.shear.lerp(&to.shear, alpha), from.scale.lerp(&to.scale, alpha));
    let shear = Matrix3::new(1.0, h.x, h.y, 0.0, 1.0, h.z, 0.0, 0.0, 1.0);
    let axes = rotation.to_rotation_matrix().matrix() * shear * Matrix3::from_diagonal(&s);
    let h = from.shear.abs().sup(&to.shear.abs());
    let lengths = from.scale.abs().sup(&to.scale.abs());
    let sheared = [1.0, 1.0 + h.x, 1.0 + h.y + h.z];
    let (mut matrix, mut tolerance) = (straight.matrix, straight.tolerance);
    for column in 0..3 {
        for row in 0..3 {
            matrix[(row, column)] = axes[(row, column)];
            tolerance[(row, column)] = TOLERANCE * sheared[column] * lengths[column] + 1e-43;
        }
    }
    Way { matrix, tolerance }
}

struct Parts {
    rotation: UnitQuaternion<f64>,
    shear: V,
    scale: V,
    /// The smallest share of a column that is outside the plane of those before it.
    outside: f64,
}

/// `R H S` of a finite, affine matrix whose axes are in no plane, by Gram and Schmidt. A mirror is
/// a negative x scale.
fn parts(matrix: &M) -> Option<Parts> {
    let is_finite = matrix.iter().all(|element| element.is_finite());
    if !is_finite || matrix.row(3) != M::identity().row(3) {
        return None;
    }
    let a = linear(matrix);
    let (mut axes, beyond) = orthonormal(&a);
    if axes.determinant() < 0.0 {
        axes.set_column(0, &-axis(&axes, 0));
    }
    let rest = product3(&turned_over(&axes), &a);
    let outside = beyond[1].min(beyond[2]);
    if beyond.iter().any(|it| it.is_nan()) || outside < FLAT[0] {
        return None;
    }
    let scale = rest.diagonal();
    let shear = V::new(rest[(0, 1)] / scale.y, rest[(0, 2)] / scale.z, rest[(1, 2)] / scale.z);
    let axes = Rotation3::from_matrix_unchecked(axes);
    let rotation = UnitQuaternion::from_rotation_matrix(&axes);
    Some(Parts { rotation, shear, scale, outside })
}
