//! Where an edited entity is to be.

use std::ops::Range;

use nalgebra::{Matrix3, Matrix4};

/// A wanted world matrix below a parent's.
pub(super) struct Wanted {
    /// The parent's world matrix; the identity for a root.
    pub base: Matrix4<f64>,
    /// The wanted world matrix.
    pub world: Matrix4<f64>,
    /// The local matrix that makes it.
    pub local: Matrix4<f64>,
    /// The lengths of the first three rows of the base, without the translation.
    turns: [f64; 3],
}

impl Wanted {
    /// `None` where the base has no inverse.
    pub fn new(base: &Matrix4<f32>, world: &Matrix4<f32>) -> Option<Self> {
        let (base, world) = (base.cast::<f64>(), world.cast::<f64>());
        let inverse = inverse(&base)?;
        Some(Self::of(base, world, inverse))
    }

    fn of(base: Matrix4<f64>, world: Matrix4<f64>, inverse: Matrix4<f64>) -> Self {
        let turns = std::array::from_fn(|row| base.fixed_view::<1, 3>(row, 0).norm());
        Self { base, world, local: inverse * world, turns }
    }

    /// What is at `local` below the base, carried by a map of the world. `None` as in
    /// [`new`](Self::new).
    pub fn carried(base: &Matrix4<f32>, local: &Matrix4<f32>, map: &Matrix4<f64>) -> Option<Self> {
        let base = base.cast::<f64>();
        let (inverse, world) = (inverse(&base)?, map * base * local.cast::<f64>());
        Some(Self::of(base, world, inverse))
    }

    /// The local matrix in `f32`.
    pub fn matrix(&self) -> Matrix4<f32> {
        self.local.map(|x| x as f32)
    }

    /// The error of some columns of `local`: the greatest of all elements, each relative to the
    /// size of the terms in its sum.
    pub fn deviation(&self, local: &Matrix4<f64>, columns: Range<usize>) -> f64 {
        let mut worst: f64 = 0.0;
        for column in columns {
            let to = local.column(column);
            let length = local.fixed_view::<3, 1>(0, column).norm();
            for row in 0..3 {
                let from = self.base.row(row);
                let made = from[0] * to[0] + from[1] * to[1] + from[2] * to[2] + from[3] * to[3];
                let off = (made - self.world[(row, column)]).abs();
                let shift = if column == 3 {
                    self.base[(row, 3)].abs() + self.world[(row, 3)].abs()
                } else {
                    0.0
                };
                let size = self.turns[row] * length + shift;
                let is_within = off == 0.0 || off <= worst * size;
                if !is_within {
                    worst = off / size;
                    // A NaN counts as infinitely wrong.
                    if worst.is_nan() {
                        return f64::INFINITY;
                    }
                }
            }
        }
        worst
    }
}

/// The inverse, keeping an affine matrix affine.
fn inverse(matrix: &Matrix4<f64>) -> Option<Matrix4<f64>> {
    let affine = matrix.m41 == 0.0 && matrix.m42 == 0.0 && matrix.m43 == 0.0 && matrix.m44 == 1.0;
    let inverse = if affine {
        let linear = linear(matrix).try_inverse()?;
        let mut inverse = linear.to_homogeneous();
        inverse
            .fixed_view_mut::<3, 1>(0, 3)
            .copy_from(&-(linear * matrix.fixed_view::<3, 1>(0, 3)));
        inverse
    } else {
        matrix.try_inverse()?
    };
    // A number that is not finite in f32 cannot be stored.
    inverse.iter().all(|x| (*x as f32).is_finite()).then_some(inverse)
}

/// The upper left part: what turns and scales.
pub(super) fn linear(matrix: &Matrix4<f64>) -> Matrix3<f64> {
    matrix.fixed_view::<3, 3>(0, 0).into()
}
