//! Accelerator: `T R S` of whole columns, for `local/plain/`.

use nalgebra::Matrix4;

use super::{
    columns::TrsColumns,
    isa::{Isa, Kernel},
    operations::Simd,
};

impl Isa {
    /// Writes `T R S` into `matrices` where it differs, and sets the bits of these rows in `marks`.
    ///
    /// # Panics
    /// If a column is neither absent nor as long as the matrices, or `marks` has too few bits.
    pub fn compose(
        self,
        columns: TrsColumns<'_>,
        matrices: &mut [Matrix4<f32>],
        marks: &mut [u64],
    ) {
        self.run(Replace { columns, matrices, marks });
    }

    /// Writes `T R S` into all `matrices`, without reading them.
    ///
    /// # Panics
    /// If a column is neither absent nor as long as the matrices.
    pub fn write(self, columns: TrsColumns<'_>, matrices: &mut [Matrix4<f32>]) {
        self.run(Write { columns, matrices });
    }
}

struct Replace<'a> {
    columns: TrsColumns<'a>,
    matrices: &'a mut [Matrix4<f32>],
    marks: &'a mut [u64],
}

impl Kernel for Replace<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let marks = self.marks;
        let put = {
            #[inline(always)]
            |row: usize, stored: &mut [Matrix4<f32>], composed: [S::Matrix; 4]| {
                let mut changed = 0;
                for (i, (stored, composed)) in stored.iter_mut().zip(composed).enumerate() {
                    changed |= u64::from(simd.replace(stored, composed)) << i;
                }
                marks[row / 64] |= changed << (row % 64);
            }
        };
        each_four(simd, self.columns, self.matrices, put);
    }
}

struct Write<'a> {
    columns: TrsColumns<'a>,
    matrices: &'a mut [Matrix4<f32>],
}

impl Kernel for Write<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        each_four(simd, self.columns, self.matrices, |_, stored, composed| {
            for (stored, composed) in stored.iter_mut().zip(composed) {
                simd.store(stored, composed);
            }
        });
    }
}

/// Calls `put` for four rows at a time: with the number of the first, the stored matrices, and the
/// composed ones. Of 10 rows the last call is for 2: it has two stored matrices and four composed
/// ones.
#[inline(always)]
fn each_four<S: Simd>(
    simd: S,
    columns: TrsColumns<'_>,
    matrices: &mut [Matrix4<f32>],
    mut put: impl FnMut(usize, &mut [Matrix4<f32>], [S::Matrix; 4]),
) {
    let columns = columns.strided(matrices.len());
    let (fours, rest) = matrices.as_chunks_mut::<4>();
    let mut row = 0;
    for stored in fours {
        put(row, stored, simd.compose(&columns.four(row)));
        row += 4;
    }
    if !rest.is_empty() {
        put(row, rest, columns.with_rest(row, |rows| simd.compose(rows)));
    }
}
