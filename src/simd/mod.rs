//! The two hot formulas, `T R S` and `parent * local`, for the instruction sets of the machine at
//! hand.
//!
//! - [`isa`]: which [`Isa`] runs, and how a loop is compiled for each;
//! - [`operations`]: what an instruction set has to offer, [`Simd`]: a matrix in registers, the two
//!   formulas on it, and how it is compared and stored;
//! - [`portable`]: that over `wide::f32x4`, a column a register, for SSE2, NEON and wasm alike;
//! - `avx512`: that with a matrix in one register;
//! - [`columns`]: what `T R S` is composed from;
//! - [`compose`]: the loop over columns. The loop over the forest is propagation's;
//! - [`prefetch`](mod@prefetch): memory that is needed soon.
//!
//! Every instruction set does the operations of [`math::compose`](crate::math::compose) in the same
//! order, without fused multiply-add, so the results are the same bits on every machine. The tests
//! of this module compare them, infinities, NaNs and signed zeros included.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx512;
mod columns;
mod compose;
mod isa;
mod operations;
mod portable;
mod prefetch;
#[cfg(test)]
mod tests;

pub(crate) use columns::{ScaleColumn, TrsColumns};
pub(crate) use isa::{Isa, Kernel};
pub(crate) use operations::Simd;
pub(crate) use prefetch::prefetch;
