//! Rows that threads flag while they compute them.
//!
//! A thread that computes row 5,000 sets flag 5,000, a byte, and bit 1 of its own word of *parts*:
//! 5,000 is in the second part of 4,096 rows. After the run only parts with a bit are searched:
//!
//! ```text
//!  flags   [0; 4096]   [0, .. 1, .. 0]   [0; 4096]   ...
//!  parts   bit 0: 0    bit 1: 1          bit 2: 0    bit 64 is bit 0 again
//! ```

use std::sync::atomic::AtomicU8;

use super::WorldChanges;

/// How many rows a part has.
const PART: usize = 4096;

impl WorldChanges {
    /// The bit of the part that a row is in. Parts 0, 64, 128 and so on share bit 0.
    #[inline(always)]
    pub(crate) fn part_of(row: u32) -> u64 {
        1 << (row as usize / PART % 64)
    }
}

/// A byte a row: threads that compute neighbouring rows would fight over the bits of one word.
#[derive(Debug, Default)]
pub(crate) struct RowFlags(Vec<AtomicU8>);

impl RowFlags {
    pub fn resize(&mut self, rows: usize) {
        self.0.resize_with(rows, AtomicU8::default);
    }

    /// The flags, for threads: they set a flag to 1.
    pub fn shared(&self) -> &[AtomicU8] {
        &self.0
    }

    /// Calls `add` with each word of 64 rows that has a flagged row: its number, and its bits.
    /// Clears the flags. Only these [`parts`](WorldChanges::part_of) may have flagged rows.
    pub fn take(&mut self, parts: u64, mut add: impl FnMut(usize, u64)) {
        let flagged =
            self.0.chunks_mut(PART).enumerate().filter(|(part, _)| parts >> (part % 64) & 1 != 0);
        for (part, flags) in flagged {
            for (word, flags) in flags.chunks_mut(64).enumerate() {
                let bits = take_word(flags);
                if bits != 0 {
                    add(part * PART / 64 + word, bits);
                }
            }
        }
    }
}

/// The bits of up to 64 flags. Clears the flags.
fn take_word(flags: &mut [AtomicU8]) -> u64 {
    let count = flags.iter_mut().fold(0u8, |count, flag| count + *flag.get_mut());
    // Most often none of them is set, or all are.
    let bits = match usize::from(count) {
        0 => return 0,
        all if all == flags.len() => u64::MAX >> (64 - all),
        _ => flags.iter_mut().rev().fold(0, |bits, flag| bits << 1 | u64::from(*flag.get_mut())),
    };
    flags.iter_mut().for_each(|flag| *flag.get_mut() = 0);
    bits
}
