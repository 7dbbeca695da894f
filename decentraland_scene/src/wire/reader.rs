//! Messages from a stream, cut anywhere.
//!
//! Whole frames are read where they lie. Only a frame that is cut in two is copied, into a buffer
//! that the limit bounds. Of a frame that is skipped, only the beginning is copied:
//!
//! ```text
//!  a put of 1,000,000 bytes with 44 bytes of data, in pieces of 1000
//!  piece 1   24 bytes say that the lengths disagree: a fault, and 976 bytes are passed over
//!  piece 2   1000 bytes are passed over; 998,000 are left to skip
//! ```

use super::{
    Fault, FaultKind, Message,
    layout::{HEADER, LONGEST_HEAD, early_fault, frame_length},
};

/// Reads messages from a stream that arrives in pieces.
#[derive(Clone, Debug)]
pub struct Reader {
    limit: usize,
    /// Where the first byte that was not read yet stands in the stream.
    offset: u64,
    /// The bytes of a frame that is not complete yet.
    tail: Vec<u8>,
    /// Frames that began in an earlier piece, while they are handed out.
    completed: Vec<u8>,
    /// How many of the next bytes belong to a frame that was reported, and is passed over.
    skip: usize,
    ended: Option<Fault>,
}

impl Default for Reader {
    fn default() -> Self {
        Self::new(Self::DEFAULT_LIMIT)
    }
}

impl Reader {
    /// The limit of `default()`: 64 MiB.
    pub const DEFAULT_LIMIT: usize = 64 << 20;

    /// A buffer that is larger is given back when it is empty.
    const KEPT: usize = 64 << 10;

    /// A reader that takes at most `limit` bytes at once, and frames of at most that length.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { limit, offset: 0, tail: Vec::new(), completed: Vec::new(), skip: 0, ended: None }
    }

    /// The limit in bytes.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// How many bytes wait for the rest of their frame.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.tail.len()
    }

    /// The messages that are complete with these bytes. An incomplete end is kept, and completed by
    /// the next bytes; so are the frames left over when the iterator is dropped early.
    ///
    /// # Errors
    ///
    /// When there are more bytes than the limit (nothing is read then), and for ever after the
    /// stream ended with a [fatal](Fault::is_fatal) fault.
    pub fn read<'a>(&'a mut self, bytes: &'a [u8]) -> Result<Frames<'a>, Fault> {
        if let Some(fault) = self.ended {
            return Err(fault);
        }
        // Frames left over by an early drop count, too: otherwise they would pile up without bound.
        let waiting = if bytes.is_empty() { 0 } else { self.tail.len() };
        if bytes.len().max(waiting) > self.limit {
            let kind =
                FaultKind::BatchTooLarge { bytes: bytes.len().max(waiting), limit: self.limit };
            return Err(Fault { offset: self.offset, kind });
        }
        let (_, bytes) = bytes.split_at(pass_over(&mut self.skip, bytes.len()));
        let rest = self.complete_tail(bytes);
        Ok(Frames {
            limit: self.limit,
            offset: &mut self.offset,
            completed: &self.completed,
            tail: &mut self.tail,
            skip: &mut self.skip,
            rest,
            ended: &mut self.ended,
        })
    }

    /// Moves the bytes that the unfinished frame lacks, sets finished frames aside, and returns the
    /// bytes left.
    fn complete_tail<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        self.release();
        if self.tail.is_empty() {
            return bytes;
        }
        let mut rest = bytes;
        let mut start = 0;
        while start < self.tail.len() {
            match Head::of(&self.tail[start..], self.limit) {
                Head::Incomplete if fill(&mut self.tail, start + HEADER, &mut rest) => {}
                Head::Frame { length, kind } => {
                    let head = start + length.min(LONGEST_HEAD);
                    let has_head = fill(&mut self.tail, head, &mut rest);
                    let body = &self.tail[start + HEADER..];
                    if self.tail.len() - start < length && early_fault(kind, length, body).is_some()
                    {
                        // It is reported in its turn.
                        start = self.tail.len();
                    } else if has_head && fill(&mut self.tail, start + length, &mut rest) {
                        start += length;
                    } else {
                        break;
                    }
                }
                // The bad header is reported in its turn.
                Head::Bad(_) => start = self.tail.len(),
                Head::Incomplete => break,
            }
        }
        // A long frame that comes in many pieces stays where it is; copying it each time would cost
        // its length squared.
        if start > 0 {
            std::mem::swap(&mut self.tail, &mut self.completed);
            self.tail.extend_from_slice(&self.completed[start..]);
            self.completed.truncate(start);
        }
        rest
    }

    /// Forgets the frames that were handed out, and gives large buffers back that are empty.
    pub(crate) fn release(&mut self) {
        self.completed.clear();
        for buffer in [&mut self.completed, &mut self.tail] {
            if buffer.is_empty() {
                buffer.shrink_to(Self::KEPT);
            }
        }
    }
}

/// How many of `available` bytes belong to a frame that is passed over.
fn pass_over(skip: &mut usize, available: usize) -> usize {
    let passed = available.min(*skip);
    *skip -= passed;
    passed
}

/// Moves bytes from `rest` until `tail` has `len` of them; false if there were not enough.
fn fill(tail: &mut Vec<u8>, len: usize, rest: &mut &[u8]) -> bool {
    let (taken, left) = rest.split_at(len.saturating_sub(tail.len()).min(rest.len()));
    tail.extend_from_slice(taken);
    *rest = left;
    tail.len() >= len
}

/// The frame at the beginning of some bytes, by its header.
enum Head {
    /// Not even the header is complete.
    Incomplete,
    Bad(FaultKind),
    Frame {
        length: usize,
        kind: u32,
    },
}

impl Head {
    #[inline]
    fn of(bytes: &[u8], limit: usize) -> Self {
        let Some((&[length, kind], _)) = bytes.as_chunks::<4>().0.split_first_chunk() else {
            return Self::Incomplete;
        };
        let (length, kind) = (u32::from_le_bytes(length), u32::from_le_bytes(kind));
        match length as usize {
            short if short < HEADER => Self::Bad(FaultKind::LengthBelowHeader { length }),
            long if long > limit => Self::Bad(FaultKind::FrameTooLong { length, limit }),
            _ => Self::Frame { length: frame_length(kind, length), kind },
        }
    }
}

/// The messages of one call of [`Reader::read`], and the faults between them.
///
/// A [fatal](Fault::is_fatal) fault is the last item, the others cost their own frame only.
#[derive(Debug)]
pub struct Frames<'a> {
    limit: usize,
    offset: &'a mut u64,
    completed: &'a [u8],
    tail: &'a mut Vec<u8>,
    skip: &'a mut usize,
    rest: &'a [u8],
    ended: &'a mut Option<Fault>,
}

impl<'a> Iterator for Frames<'a> {
    type Item = Result<Message<'a>, Fault>;

    #[inline(always)] // as `Message::parse`
    fn next(&mut self) -> Option<Self::Item> {
        let from_completed = !self.completed.is_empty();
        let bytes = if from_completed { self.completed } else { self.rest };
        let (length, kind) = match Head::of(bytes, self.limit) {
            Head::Frame { length, kind } if length <= bytes.len() => (length, kind),
            Head::Bad(kind) => return Some(Err(self.end(kind))),
            Head::Frame { length, kind } => {
                return match early_fault(kind, length, &bytes[HEADER..]) {
                    Some(fault) => Some(Err(self.pass_over(length, bytes.len(), fault))),
                    None => self.keep_rest(),
                };
            }
            Head::Incomplete => return self.keep_rest(),
        };
        let (frame, left) = bytes.split_at(length);
        *(if from_completed { &mut self.completed } else { &mut self.rest }) = left;
        let offset = *self.offset;
        *self.offset += length as u64;
        Some(Message::parse(kind, &frame[HEADER..]).map_err(|kind| Fault { offset, kind }))
    }
}

impl Frames<'_> {
    /// Where the next frame begins, in bytes from the beginning of the stream.
    pub(crate) fn offset(&self) -> u64 {
        *self.offset
    }

    /// Keeps the beginning of a frame for the next bytes.
    fn keep_rest(&mut self) -> Option<Result<Message<'static>, Fault>> {
        self.tail.extend_from_slice(self.rest);
        self.rest = &[];
        None
    }

    /// Passes over a frame that contradicts itself, and of which only the beginning is here.
    #[cold]
    fn pass_over(&mut self, length: usize, here: usize, kind: FaultKind) -> Fault {
        let fault = Fault { offset: *self.offset, kind };
        *self.offset += length as u64;
        *self.skip = length - here;
        // The frame is the last one that began earlier, or the last of all.
        if self.completed.is_empty() {
            self.rest = &[];
        } else {
            self.completed = &[];
            (_, self.rest) = self.rest.split_at(pass_over(self.skip, self.rest.len()));
        }
        fault
    }

    #[cold]
    fn end(&mut self, kind: FaultKind) -> Fault {
        let fault = Fault { offset: *self.offset, kind };
        *self.ended = Some(fault);
        self.completed = &[];
        self.rest = &[];
        self.tail.clear();
        fault
    }
}

impl Drop for Frames<'_> {
    fn drop(&mut self) {
        if !self.completed.is_empty() {
            self.tail.splice(..0, self.completed.iter().copied());
        }
        self.tail.extend_from_slice(self.rest);
    }
}
