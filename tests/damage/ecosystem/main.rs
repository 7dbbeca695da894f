//! Other crates: saved and converted values keep their meaning.

#[cfg(any(feature = "glam-033", feature = "mint-05", feature = "bytemuck"))]
mod conversions;
#[cfg(all(feature = "serde", panic = "unwind"))]
mod damaged_saves;
#[cfg(feature = "serde")]
mod kept_saves;
#[cfg(feature = "serde")]
mod refused_saves;
#[cfg(feature = "serde")]
mod saved_inputs;
#[cfg(feature = "serde")]
mod saved_worlds;
