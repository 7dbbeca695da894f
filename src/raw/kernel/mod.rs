//! The two hot formulas, `T R S` and `parent * local`, for the instruction sets of the machine at hand.
//!
//! Every level computes the same operations in the same order without fused multiply-add, so that the results are the same bits
//! whatever the machine; `scalar` is the reference, and calls the functions of [`math::compose`](crate::math::compose).
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use crate::local::update::SameBits;

/// An instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

/// Stands for the machine having AVX-512 F and VL: made by [`Level::best`] only.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx512(());

/// The columns that `T R S` is composed from, as long as the matrices, or empty where absent.
#[derive(Clone, Copy)]
pub(crate) struct TrsColumns<'a> {
    pub translation: &'a [Vector3<f32>],
    pub rotation: &'a [UnitQuaternion<f32>],
    pub scale: ScaleColumn<'a>,
}

#[derive(Clone, Copy)]
pub(crate) enum ScaleColumn<'a> {
    None,
    Uniform(&'a [f32]),
    Axes(&'a [Vector3<f32>]),
}

impl Default for Level {
    fn default() -> Self {
        Self::best()
    }
}

impl Level {
    /// The best that this machine has.
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
            return Self::Avx512(Avx512(()));
        }
        Self::Scalar
    }

    /// Writes `T R S` into `matrices` where it differs, and sets the bits of the rows that did.
    pub fn compose(self, columns: TrsColumns<'_>, matrices: &mut [Matrix4<f32>], marks: &mut [u64]) {
        columns.check(matrices.len());
        match self {
            Self::Scalar => scalar::compose(columns, matrices, marks),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the value inside is made on machines with the features only, and the lengths were checked.
            Self::Avx512(_) => unsafe { avx512::compose(columns, matrices, marks) },
        }
    }

    /// Writes `T R S` into all `matrices`, the same or not; past the caches if they are part of many more than these hold.
    pub fn write(self, columns: TrsColumns<'_>, matrices: &mut [Matrix4<f32>], many: bool) {
        columns.check(matrices.len());
        match self {
            Self::Scalar => scalar::write(columns, matrices),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::Avx512(_) => unsafe { avx512::write(columns, matrices, many) },
        }
    }
}

/// The product at one level, as a type, so that a loop can be compiled for it.
pub(crate) trait Product {
    /// A matrix as this level likes it.
    type World: Copy;

    /// # Safety
    /// The machine has the level.
    unsafe fn load(matrix: &Matrix4<f32>) -> Self::World;

    /// Writes `above * local` into `world` if it differs. Returns whether it did, and the product.
    ///
    /// # Safety
    /// The machine has the level.
    unsafe fn product(above: Self::World, local: &Matrix4<f32>, world: &mut Matrix4<f32>) -> (bool, Self::World);
}

pub(crate) struct ScalarProduct;

impl Product for ScalarProduct {
    type World = Matrix4<f32>;

    #[inline(always)]
    unsafe fn load(matrix: &Matrix4<f32>) -> Matrix4<f32> {
        *matrix
    }

    #[inline(always)]
    unsafe fn product(above: Matrix4<f32>, local: &Matrix4<f32>, world: &mut Matrix4<f32>) -> (bool, Matrix4<f32>) {
        let product = crate::math::compose::product(&above, local);
        (replace(world, &product), product)
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) struct Avx512Product;

#[cfg(target_arch = "x86_64")]
impl Product for Avx512Product {
    type World = avx512::World;

    #[inline(always)]
    unsafe fn load(matrix: &Matrix4<f32>) -> Self::World {
        // SAFETY: the caller's promise.
        unsafe { avx512::World::load(matrix) }
    }

    #[inline(always)]
    unsafe fn product(above: Self::World, local: &Matrix4<f32>, world: &mut Matrix4<f32>) -> (bool, Self::World) {
        // SAFETY: the caller's promise.
        unsafe { avx512::product(above, local, world) }
    }
}

/// Asks for a value that will be needed soon, of a line of memory at most.
#[inline(always)]
pub(crate) fn prefetch<T>(value: *const T) {
    #[cfg(target_arch = "x86_64")]
    avx512::prefetch(value);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

impl<'a> TrsColumns<'a> {
    /// # Panics
    /// If a column is neither empty nor as long as the matrices.
    fn check(&self, len: usize) {
        let scale = match self.scale {
            ScaleColumn::None => len,
            ScaleColumn::Uniform(column) => column.len(),
            ScaleColumn::Axes(column) => column.len(),
        };
        let fits = |column: usize| column == 0 || column == len;
        assert!(fits(self.translation.len()) && fits(self.rotation.len()) && scale == len, "columns of one archetype");
    }

    /// The rows of a block.
    pub fn block(&self, first: usize, len: usize) -> Self {
        fn cut<T>(column: &[T], first: usize, len: usize) -> &[T] {
            if column.is_empty() { column } else { &column[first..first + len] }
        }
        Self {
            translation: cut(self.translation, first, len),
            rotation: cut(self.rotation, first, len),
            scale: match self.scale {
                ScaleColumn::None => ScaleColumn::None,
                ScaleColumn::Uniform(column) => ScaleColumn::Uniform(cut(column, first, len)),
                ScaleColumn::Axes(column) => ScaleColumn::Axes(cut(column, first, len)),
            },
        }
    }
}

/// Writes a matrix if it differs. Returns whether it did.
#[inline]
pub(crate) fn replace(stored: &mut Matrix4<f32>, matrix: &Matrix4<f32>) -> bool {
    let differs = !stored.same_bits(matrix);
    if differs {
        *stored = *matrix;
    }
    differs
}

#[cfg(test)]
mod tests;
