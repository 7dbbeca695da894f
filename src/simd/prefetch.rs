//! Memory that is needed soon.

/// Asks for the line that a value begins in and the one that it ends in, which are needed soon.
/// Does nothing but on x86-64.
#[inline(always)]
pub(crate) fn prefetch<T>(value: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let at = value.cast::<i8>();
        // SAFETY: a prefetch never faults, wherever it points.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(at);
            if size_of::<T>() > align_of::<T>() {
                _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(size_of::<T>() - 1));
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
