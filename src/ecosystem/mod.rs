//! Saving and loading, cloning between worlds, and conversions to other crates' types.

#[cfg(feature = "bytemuck")]
#[cfg_attr(docsrs, doc(cfg(feature = "bytemuck")))]
pub mod bytemuck;
#[cfg(any(feature = "glam-033", feature = "mint-05"))]
mod convert;
#[cfg(feature = "glam-033")]
#[cfg_attr(docsrs, doc(cfg(feature = "glam-033")))]
pub mod glam;
pub mod merge;
#[cfg(feature = "mint-05")]
#[cfg_attr(docsrs, doc(cfg(feature = "mint-05")))]
pub mod mint;
#[cfg(feature = "serde")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
pub mod serde;
