//! Where composed matrices go.

use std::arch::x86_64::*;

use super::{integers, replace};

/// What is done with the matrices: written where they differ, written, or written past the caches.
pub const REPLACE: u8 = 0;
pub const WRITE: u8 = 1;
pub const STREAM: u8 = 2;

/// Where matrices go.
pub struct Sink<const HOW: u8> {
    at: *mut f32,
    changed: u64,
    /// For lines that are written whole: how many floats of each matrix stand before a line begins, and the matrix before, whose
    /// end the next line begins with. Legion's columns begin where the allocator likes, so nearly all matrices straddle two lines.
    lead: usize,
    line: __m512i,
    before: __m512,
}

impl<const HOW: u8> Sink<HOW> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl")]
    pub fn new(at: *mut f32) -> Self {
        let lead = at.align_offset(64) % 16;
        let lanes = integers(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
        let line = _mm512_add_epi32(lanes, _mm512_set1_epi32(lead as i32));
        Self { at, changed: 0, lead, line, before: _mm512_setzero_ps() }
    }

    /// The lanes before the first line.
    fn head(&self) -> __mmask16 {
        ((1_u32 << self.lead) - 1) as __mmask16
    }

    /// # Safety
    /// The matrix must be there, and be the one after the one before.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl")]
    pub unsafe fn put(&mut self, index: usize, matrix: __m512) {
        // SAFETY: the caller's promise; lines that are written whole lie between the last matrix and this one's end.
        unsafe {
            let at = self.at.add(index * 16);
            match HOW {
                REPLACE => self.changed |= u64::from(replace(&mut *at.cast(), matrix)) << index,
                WRITE => _mm512_storeu_ps(at, matrix),
                _ => {
                    match index {
                        0 => _mm512_mask_storeu_ps(at, self.head(), matrix),
                        _ => {
                            _mm512_stream_ps(at.sub(16 - self.lead), _mm512_permutex2var_ps(self.before, self.line, matrix))
                        }
                    }
                    self.before = matrix;
                }
            }
        }
    }

    /// # Safety
    /// `last` is the last matrix.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl")]
    pub unsafe fn close(self, last: usize) -> u64 {
        if HOW == STREAM {
            // SAFETY: the end of the last matrix.
            unsafe { _mm512_mask_storeu_ps(self.at.add(last * 16), !self.head(), self.before) };
        }
        self.changed
    }
}
