//! Rows that threads flag while they compute them.

use std::sync::atomic::{AtomicU8, Ordering};

/// Rows a block; what is flagged is found by its blocks.
const BLOCK: usize = 4096;

/// A byte a row, as threads that compute neighbouring rows would fight over the bits of a word.
#[derive(Debug, Default)]
pub(crate) struct RowFlags {
    rows: Vec<AtomicU8>,
    blocks: Vec<AtomicU8>,
}

impl RowFlags {
    pub fn resize(&mut self, rows: usize) {
        self.rows.resize_with(rows, AtomicU8::default);
        self.blocks.resize_with(rows.div_ceil(BLOCK), AtomicU8::default);
    }

    #[inline(always)]
    pub fn set(&self, row: usize) {
        self.rows[row].store(1, Ordering::Relaxed);
        self.blocks[row / BLOCK].store(1, Ordering::Relaxed);
    }

    /// Calls `add` with the number of each word of 64 rows in which some are flagged, and with their bits, and clears the flags.
    pub fn take(&mut self, mut add: impl FnMut(usize, u64)) {
        for (block, (flagged, rows)) in self.blocks.iter_mut().zip(self.rows.chunks_mut(BLOCK)).enumerate() {
            if std::mem::take(flagged.get_mut()) == 0 {
                continue;
            }
            for (word, rows) in rows.chunks_mut(64).enumerate() {
                let (eights, rest) = rows.as_chunks_mut::<8>();
                let used = eights.len() * 8;
                let mut bits = 0;
                for (eight, flags) in eights.iter_mut().enumerate() {
                    let bytes = u64::from_le_bytes(std::array::from_fn(|flag| *flags[flag].get_mut()));
                    // Moves the lowest bit of each byte into the highest byte, in order.
                    bits |= (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (eight * 8);
                }
                for (flag, bit) in rest.iter_mut().zip(used..) {
                    bits |= u64::from(*flag.get_mut()) << bit;
                }
                rows.iter_mut().for_each(|flag| *flag.get_mut() = 0);
                if bits != 0 {
                    add(block * BLOCK / 64 + word, bits);
                }
            }
        }
    }
}
