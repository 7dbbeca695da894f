//! Which instruction set runs.

#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512;
use super::{operations::Simd, portable::Portable};

/// An instruction set that this machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isa {
    /// The vectors that all machines of the target have: SSE2, NEON, wasm's, or none.
    Portable(Portable),
    /// The portable kernels, compiled for AVX2: no copies of registers, and wide lanes of `f64`.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// AVX-512 F and VL.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

/// A proof that the machine has AVX2: only `available` makes one.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx2(());

/// Work whose loop is compiled once for each instruction set.
pub(crate) trait Kernel {
    type Output;

    /// Must be `#[inline(always)]`, and so must be all functions that its loop calls: a function
    /// that is not inlined is compiled for the plain target.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

impl Default for Isa {
    /// The best one.
    fn default() -> Self {
        Self::available().last().unwrap_or(Self::Portable(Portable))
    }
}

impl Isa {
    /// The instruction sets of this machine, the best last.
    pub fn available() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let others = is_x86_feature_detected!("avx2").then_some(Self::Avx2(Avx2(())));
        #[cfg(target_arch = "x86_64")]
        let others = others.into_iter().chain(Avx512::detect().map(Self::Avx512));
        #[cfg(not(target_arch = "x86_64"))]
        let others = None;
        std::iter::once(Self::Portable(Portable)).chain(others)
    }

    /// The set of that name if this machine has it, or else the best.
    pub fn of_name(name: &str) -> Self {
        Self::available().find(|isa| isa.name() == name).unwrap_or_default()
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Portable(_) => "portable",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => "avx512",
        }
    }

    /// Runs the kernel, compiled for this instruction set.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            Self::Portable(simd) => portable(simd, kernel),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the value is the proof that the machine has the feature.
            Self::Avx2(_) => unsafe { avx2(Portable, kernel) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the value is the proof that the machine has the features.
            Self::Avx512(simd) => unsafe { avx512(simd, kernel) },
        }
    }
}

// None of these is inlined: the loop inside and the loop around it need all registers each.

#[inline(never)]
fn portable<K: Kernel>(simd: Portable, kernel: K) -> K::Output {
    kernel.run(simd)
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2")]
fn avx2<K: Kernel>(simd: Portable, kernel: K) -> K::Output {
    kernel.run(simd)
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl")]
fn avx512<K: Kernel>(simd: Avx512, kernel: K) -> K::Output {
    kernel.run(simd)
}
