//! The loops over the rows of an archetype, for any [`Formula`] of matrices.

use nalgebra::{Matrix4, Quaternion, Unit, Vector3};

use super::{
    isa::{Isa, Kernel},
    operations::{Factors, FourRows, FourScales, Simd, four},
    prefetch,
};
use crate::math::compose::{RotationFactor, ScaleFactor, local_matrix};

/// How the matrices of an archetype's rows are computed.
pub(crate) trait Formula: Copy + Send + Sync {
    /// Whether it loads and stores more than it computes.
    const STREAMS: bool = false;

    /// The matrix of a row.
    fn one(&self, row: usize) -> Matrix4<f32>;

    /// The same bits, of four rows from one on. Must be `#[inline(always)]`.
    fn four<S: Simd>(&self, simd: S, row: usize) -> [S::Matrix; 4];
}

impl Isa {
    /// Writes the matrices of the rows from `first` on where they differ, and sets the bits of
    /// these rows in `marks`.
    ///
    /// # Panics
    /// If the formula has not as many rows, or `marks` has too few bits.
    pub fn compose<F: Formula>(
        self,
        formula: F,
        first: usize,
        matrices: &mut [Matrix4<f32>],
        marks: &mut [u64],
    ) {
        let isa = if F::STREAMS { self.streaming() } else { self };
        isa.run(Compose { formula, first, matrices, marks });
    }
}

struct Compose<'a, F> {
    formula: F,
    first: usize,
    matrices: &'a mut [Matrix4<f32>],
    /// Where the rows that differ are marked.
    marks: &'a mut [u64],
}

impl<F: Formula> Kernel for Compose<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { formula, first, matrices, marks } = self;
        each_four(simd, formula, first, matrices, {
            #[inline(always)]
            |row: usize, stored: &mut Matrix4<f32>, composed: S::Matrix| {
                marks[row / 64] |= u64::from(simd.replace(stored, composed)) << (row % 64);
            }
        });
    }
}

/// Calls `put` for each row: with its number, the stored matrix and the composed one.
///
/// Four rows are composed at a time. If fewer are left, the last four of all are composed, of which
/// some are known: of 10 rows these are 0 to 3, 4 to 7, and 6 to 9 for 8 and 9.
#[inline(always)]
fn each_four<S: Simd>(
    simd: S,
    formula: impl Formula,
    first: usize,
    matrices: &mut [Matrix4<f32>],
    mut put: impl FnMut(usize, &mut Matrix4<f32>, S::Matrix),
) {
    let len = matrices.len();
    let (fours, rest) = matrices.as_chunks_mut::<4>();
    let mut row = 0;
    for stored in fours {
        let [a, b, c, d] = formula.four(simd, first + row);
        let [p, q, r, s] = stored;
        put(row, p, a);
        put(row + 1, q, b);
        put(row + 2, r, c);
        put(row + 3, s, d);
        row += 4;
    }
    if first + len < 4 {
        for stored in rest {
            put(row, stored, simd.load(&formula.one(first + row)));
            row += 1;
        }
    } else if !rest.is_empty() {
        let composed = formula.four(simd, first + len - 4);
        for stored in rest {
            put(row, stored, composed[row + 4 - len]);
            row += 1;
        }
    }
}

/// The general formula; [`Plain`] has the short one.
impl Formula for Factors<'_> {
    fn one(&self, row: usize) -> Matrix4<f32> {
        let translation = self.translation.get(row).map(|&it| Vector3::from(it));
        let turn = self.turn.get(row).map(|&it| Unit::new_unchecked(Quaternion::from(it)));
        let rotation = match (self.rotation.get(row), &turn) {
            (Some(matrix), _) => RotationFactor::Matrix(matrix),
            (None, Some(turn)) => RotationFactor::Quaternion(turn),
            (None, None) => RotationFactor::None,
        };
        let uniform = self.uniform.get(row).map(|&it| [it; 3]);
        let scale = match (self.scale.get(row), uniform.as_ref().or(self.axes.get(row))) {
            (Some(matrix), _) => ScaleFactor::Matrix(matrix),
            (None, Some(&axes)) => ScaleFactor::Axes(axes.into()),
            (None, None) => ScaleFactor::None,
        };
        local_matrix(translation.as_ref(), self.inverse.get(row), rotation, scale)
    }

    #[inline(always)]
    fn four<S: Simd>(&self, simd: S, row: usize) -> [S::Matrix; 4] {
        let [a, b, c, d] = if self.rotation.is_empty() {
            self.turned(simd, row, &[])
        } else {
            let rotation = &self.rotation[row..row + 4];
            let load = |i: usize| simd.load(&rotation[i]);
            [load(0), load(1), load(2), load(3)]
        };
        [
            self.finish(simd, row, a),
            self.finish(simd, row + 1, b),
            self.finish(simd, row + 2, c),
            self.finish(simd, row + 3, d),
        ]
    }
}

/// [`Factors`] that are [plain](Factors::plain): a loop without all that these lack.
#[derive(Clone, Copy)]
pub(crate) struct Plain<'a>(Factors<'a>);

impl Formula for Plain<'_> {
    const STREAMS: bool = true;

    fn one(&self, row: usize) -> Matrix4<f32> {
        self.0.one(row)
    }

    #[inline(always)]
    fn four<S: Simd>(&self, simd: S, row: usize) -> [S::Matrix; 4] {
        self.0.turned(simd, row, self.0.translation)
    }
}

impl<'a> Factors<'a> {
    /// If all there is are a translation, a quaternion and a scale along the axes: the formula of
    /// these alone.
    pub fn plain(self) -> Option<Plain<'a>> {
        let is_plain = self.rotation.is_empty() && self.scale.is_empty() && self.inverse.is_empty();
        is_plain.then_some(Plain(self))
    }

    /// `T R S` of four rows, with these translations.
    #[inline(always)]
    fn turned<S: Simd>(&self, simd: S, row: usize, at: &[[f32; 3]]) -> [S::Matrix; 4] {
        simd.compose(&FourRows {
            translation: four(at, row, &[[0.0; 3]; 4]),
            rotation: four(self.turn, row, &[[0.0, 0.0, 0.0, 1.0]; 4]),
            scale: match self.axes.is_empty() {
                true => FourScales::Uniform(four(self.uniform, row, &[1.0; 4])),
                false => FourScales::Axes(four(self.axes, row, &[[1.0; 3]; 4])),
            },
        })
    }

    /// The local matrix of a row, from its rotation, which a quaternion has scaled already.
    #[inline(always)]
    fn finish<S: Simd>(&self, simd: S, row: usize, mut matrix: S::Matrix) -> S::Matrix {
        let is_turned = self.rotation.is_empty();
        if let Some(scale) = self.scale.get(row) {
            let is_alone = is_turned && self.turn.is_empty();
            let scale = simd.load(scale);
            matrix = if is_alone { scale } else { simd.product(matrix, scale) };
        } else if !is_turned && let Some(&scale) = self.uniform.get(row) {
            matrix = simd.scale(matrix, &[scale; 3]);
        } else if !is_turned && let Some(axes) = self.axes.get(row) {
            matrix = simd.scale(matrix, axes);
        }
        if let Some(inverse) = self.inverse.get(row) {
            matrix = simd.product(simd.load(inverse), matrix);
        }
        match self.translation.get(row) {
            Some(translation) => simd.translate(translation, matrix),
            None => matrix,
        }
    }

    /// Begins to load these rows.
    pub fn prefetch(&self, first: usize, len: usize) {
        fn rows<T>(column: &[T], first: usize, len: usize) {
            let rows = column.get(first..first + len).unwrap_or_default();
            rows.iter().step_by(64 / size_of::<T>()).chain(rows.last()).for_each(|it| prefetch(it));
        }
        rows(self.translation, first, len);
        rows(self.turn, first, len);
        rows(self.uniform, first, len);
        rows(self.axes, first, len);
        [self.inverse, self.rotation, self.scale].iter().for_each(|it| rows(it, first, len));
    }
}
