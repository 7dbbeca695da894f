//! Which instruction set runs.
//!
//! Zen 4 and most Zen 5 of laptops do an operation of 512 bits in two halves. There AVX-512 is the
//! fastest for what computes, and the slowest for what *streams*. Nanoseconds a row on a Zen 4, by
//! AVX-512 and by AVX2: `T R S` 3.5 and 2.7, a composite with a pivot 2.7 and 5.3.

#[cfg(target_arch = "x86_64")]
use std::{arch::x86_64::__cpuid, sync::LazyLock};

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
    /// AVX-512 in halves: AVX2 for what streams.
    #[cfg(target_arch = "x86_64")]
    Halved(Avx512, Avx2),
}

/// A proof that the machine has AVX2: only [`detect`](Self::detect) makes one.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx2(());

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }
}

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
        let others = Avx2::detect().into_iter().flat_map(|avx2| {
            let wide = Avx512::detect().map(|simd| match *HALVES {
                true => [Self::Avx512(simd), Self::Halved(simd, avx2)],
                false => [Self::Halved(simd, avx2), Self::Avx512(simd)],
            });
            std::iter::once(Self::Avx2(avx2)).chain(wide.into_iter().flatten())
        });
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
            #[cfg(target_arch = "x86_64")]
            Self::Halved(..) => "avx512-halved",
        }
    }

    /// The set for what streams.
    pub fn streaming(self) -> Self {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Halved(_, avx2) => Self::Avx2(avx2),
            _ => self,
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
            Self::Avx512(simd) | Self::Halved(simd, _) => unsafe { avx512(simd, kernel) },
        }
    }
}

/// Whether AVX-512 is done in halves here.
#[cfg(target_arch = "x86_64")]
static HALVES: LazyLock<bool> = LazyLock::new(|| {
    // SAFETY: all of x86-64 have the instruction.
    #[allow(unused_unsafe, reason = "newer versions of Rust say that it is safe")]
    says_256_bits(|leaf| unsafe { __cpuid(leaf) }.eax)
});

/// Whether a machine says that its vector units are 256 bits wide, by AMD's bit `FP256`. It says 6
/// on Zen 4 and most Zen 5 of laptops, and 10 on other Zen 5, or 2 in a virtual machine. Intel's
/// have no such leaf.
#[cfg(target_arch = "x86_64")]
pub(super) fn says_256_bits(eax: impl Fn(u32) -> u32) -> bool {
    const WIDTHS: u32 = 0x8000_001a;
    eax(0x8000_0000) >= WIDTHS && eax(WIDTHS) & 1 << 2 != 0
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
