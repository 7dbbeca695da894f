//! Rows that threads flag while they compute them.

use std::sync::atomic::AtomicU8;

/// Rows a part: what is flagged is found by its parts.
const PART: usize = 4096;

/// The bit of the part that a row is in; parts share bits if there are more than 64.
#[inline(always)]
pub(super) fn part_of(row: u32) -> u64 {
    1 << (row as usize / PART % 64)
}

/// A byte a row, as threads that compute neighbouring rows would fight over the bits of a word.
#[derive(Debug, Default)]
pub(crate) struct RowFlags(Vec<AtomicU8>);

impl RowFlags {
    pub fn resize(&mut self, rows: usize) {
        self.0.resize_with(rows, AtomicU8::default);
    }

    /// For threads, which set to 1 what they flag.
    pub fn shared(&self) -> &[AtomicU8] {
        &self.0
    }

    /// Calls `add` with the number of each word of 64 rows in which some are flagged, and with
    /// their bits, and clears the flags. All that are flagged are in these [`parts`](part_of).
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

/// The bits of up to 64 flags, which are cleared.
fn take_word(flags: &mut [AtomicU8]) -> u64 {
    let count = flags.iter_mut().fold(0u8, |count, flag| count + *flag.get_mut());
    // Most often none or all of them are set.
    let bits = match usize::from(count) {
        0 => return 0,
        all if all == flags.len() => u64::MAX >> (64 - all),
        _ => flags.iter_mut().rev().fold(0, |bits, flag| bits << 1 | u64::from(*flag.get_mut())),
    };
    flags.iter_mut().for_each(|flag| *flag.get_mut() = 0);
    bits
}
