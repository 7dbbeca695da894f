//! A delta that many connections get.
//!
//! Connections that know the same get the same bytes, but for what each wrote itself. So the second
//! of them keeps the bytes, and the others copy them around their holes:
//!
//! ```text
//!  encoded     512 513 514 515 516      513 and 516 came from connection a, 514 from b
//!  for a       512     514 515
//!  for b       512 513     515 516
//!  for c       512 513 514 515 516
//! ```

use std::ops::Range;

use hashbrown::HashMap;

use super::log::Source;
use crate::wire::Message;

/// What connections have to agree on to get the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Common {
    /// The first epoch that they have not read.
    pub first: u32,
    /// The first epoch after what they read.
    pub end: u32,
    pub is_new: bool,
    pub with_authority: bool,
}

/// The bytes of the last delta, for connections that know the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Encoded {
    pub common: Option<Common>,
    /// Whether there are bytes, and not only what they would be of.
    pub is_filled: bool,
    bytes: Vec<u8>,
    /// What came from each source.
    holes: HashMap<Source, Vec<Range<usize>>>,
}

impl Encoded {
    /// Larger buffers are not kept for the next delta.
    const KEPT: usize = 1 << 20;

    pub fn begin(&mut self, common: Common) {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        bytes.shrink_to(Self::KEPT);
        *self = Self { common: Some(common), bytes, ..Self::default() };
    }

    pub fn push(&mut self, message: &Message<'_>, source: Option<Source>) {
        let start = self.bytes.len();
        message.encode(&mut self.bytes);
        let end = self.bytes.len();
        let Some(source) = source else { return };
        let holes = self.holes.entry(source).or_default();
        match holes.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => holes.push(start..end),
        }
    }

    /// The bytes, without the messages of a source.
    pub fn without(&self, source: Source) -> Vec<u8> {
        let Some(holes) = self.holes.get(&source) else { return self.bytes.clone() };
        let mut out = Vec::with_capacity(self.bytes.len());
        let mut from = 0;
        for hole in holes {
            out.extend_from_slice(&self.bytes[from..hole.start]);
            from = hole.end;
        }
        out.extend_from_slice(&self.bytes[from..]);
        out
    }
}
