//! Loading memory that is needed soon.

/// Begins to load the cache lines in which a value begins and ends: a matrix of 64 bytes is in one
/// or two. Does nothing on other machines than x86-64.
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
