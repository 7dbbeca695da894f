//! Messages from a stream, cut anywhere.
//!
//! Whole frames are read where they lie. Only a frame that is cut in two is copied, into a buffer
//! that the limit bounds. Of a frame of an unknown type, only the header is copied:
//!
//! ```text
//!  type 99 with 1,000,000 bytes, in pieces of 1000
//!  piece 1   8 bytes say so: a fault, and 992 bytes are passed over
//!  piece 2   1000 bytes are passed over; 998,000 are left to skip
//! ```

use super::{
    Fault, FaultKind, Message,
    layout::{Frame, HEADER, may_say},
};

/// Reads messages, from a stream that arrives in pieces, or from packets.
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
    /// Where the last frame begins whose length was reported.
    reported: Option<u64>,
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
        let (tail, completed) = Default::default();
        Self { limit, offset: 0, tail, completed, skip: 0, reported: None, ended: None }
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
        self.check_size(bytes.len().max(waiting))?;
        let (_, bytes) = bytes.split_at(pass_over(&mut self.skip, bytes.len()));
        let rest = self.complete_tail(bytes);
        Ok(self.frames(rest, false))
    }

    /// The messages of a packet, of a transport that keeps the borders of packets, such as
    /// websockets. Each begins anew, whatever the one before was, and offsets count from its
    /// beginning. An incomplete end is a [fault](FaultKind::IncompleteEnd), and dropped; so is what
    /// is left over when the iterator is dropped early.
    ///
    /// # Errors
    ///
    /// When there are more bytes than the limit. Nothing is read then.
    pub fn read_packet<'a>(&'a mut self, packet: &'a [u8]) -> Result<Frames<'a>, Fault> {
        *self = Self {
            tail: std::mem::take(&mut self.tail),
            completed: std::mem::take(&mut self.completed),
            ..Self::new(self.limit)
        };
        self.tail.clear();
        self.release();
        self.check_size(packet.len())?;
        Ok(self.frames(packet, true))
    }

    fn check_size(&self, bytes: usize) -> Result<(), Fault> {
        let kind = FaultKind::BatchTooLarge { bytes, limit: self.limit };
        let fault = Fault { offset: self.offset, kind };
        if bytes > self.limit { Err(fault) } else { Ok(()) }
    }

    fn frames<'a>(&'a mut self, rest: &'a [u8], is_packet: bool) -> Frames<'a> {
        Frames {
            // The end of a packet comes before any limit.
            limit: if is_packet { usize::MAX } else { self.limit },
            is_packet,
            offset: &mut self.offset,
            completed: &self.completed,
            tail: &mut self.tail,
            skip: &mut self.skip,
            reported: &mut self.reported,
            rest,
            ended: &mut self.ended,
        }
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
                Head::Needs(bytes) if fill(&mut self.tail, start + bytes, &mut rest) => {}
                Head::Needs(_) => break,
                // It is reported in its turn.
                Head::Bad(_) => start = self.tail.len(),
                Head::Frame { length, is_known: false, .. } => {
                    start = self.tail.len().min(start + length);
                }
                Head::Frame { length, .. } if fill(&mut self.tail, start + length, &mut rest) => {
                    start += length;
                }
                Head::Frame { .. } => break,
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

/// The frame at the beginning of some bytes.
enum Head {
    /// So many bytes are needed to tell more.
    Needs(usize),
    Bad(FaultKind),
    Frame {
        length: usize,
        kind: u32,
        /// The length in its header.
        said: u32,
        is_known: bool,
    },
}

impl Head {
    #[inline]
    fn of(bytes: &[u8], limit: usize) -> Self {
        let Some((&[said, kind], _)) = bytes.as_chunks::<4>().0.split_first_chunk() else {
            return Self::Needs(HEADER);
        };
        let (said, kind) = (u32::from_le_bytes(said), u32::from_le_bytes(kind));
        if (said as usize) < HEADER {
            return Self::Bad(FaultKind::LengthBelowHeader { length: said });
        }
        let (length, is_known) = match Frame::of(kind, said, bytes) {
            Frame::Needs(bytes) if bytes <= limit => return Self::Needs(bytes),
            Frame::Needs(bytes) => (bytes as u64, true),
            Frame::Known(length) => (length, true),
            Frame::Unknown(length) => (length.into(), false),
        };
        match usize::try_from(length) {
            Ok(length) if length <= limit => Self::Frame { length, kind, said, is_known },
            _ => Self::Bad(FaultKind::FrameTooLong { length, limit }),
        }
    }
}

/// The messages of one call of [`Reader::read`] or [`Reader::read_packet`], and the faults between
/// them.
///
/// A [fatal](Fault::is_fatal) fault is the last item. Before a message whose header says another
/// length than it has, there is a fault that says so. All others cost their own frame only.
#[derive(Debug)]
pub struct Frames<'a> {
    limit: usize,
    is_packet: bool,
    offset: &'a mut u64,
    completed: &'a [u8],
    tail: &'a mut Vec<u8>,
    skip: &'a mut usize,
    reported: &'a mut Option<u64>,
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
            Head::Frame { length, kind, said, .. } if length <= bytes.len() => {
                if !may_say(kind, said, length)
                    && let Some(fault) = self.report_length(kind, said, length)
                {
                    return Some(Err(fault));
                }
                (length, kind)
            }
            Head::Bad(kind) => return Some(Err(self.end(kind))),
            Head::Frame { length, kind, is_known: false, .. } if !self.is_packet => {
                return Some(Err(self.pass_over(length, bytes.len(), kind)));
            }
            Head::Needs(_) | Head::Frame { .. } => return self.keep_rest(),
        };
        let (frame, left) = bytes.split_at(length);
        *(if from_completed { &mut self.completed } else { &mut self.rest }) = left;
        let offset = *self.offset;
        *self.offset += length as u64;
        let kind_of_fault = FaultKind::UnknownType { kind, length: length as u32 };
        let message = Message::parse(kind, &frame[HEADER..]);
        Some(message.ok_or(Fault { offset, kind: kind_of_fault }))
    }
}

impl Frames<'_> {
    /// Where the next frame begins, in bytes from the beginning of the stream.
    pub(crate) fn offset(&self) -> u64 {
        *self.offset
    }

    /// The fault of a header that says another length than the frame has, once.
    #[cold]
    fn report_length(&mut self, kind: u32, said: u32, length: usize) -> Option<Fault> {
        let offset = *self.offset;
        if self.reported.replace(offset) == Some(offset) {
            return None;
        }
        let kind = FaultKind::LengthMismatch { kind, length: said, expected: length as u64 };
        Some(Fault { offset, kind })
    }

    /// Keeps the beginning of a frame for the next bytes. A packet has none.
    fn keep_rest(&mut self) -> Option<Result<Message<'static>, Fault>> {
        let rest = std::mem::take(&mut self.rest);
        if !self.is_packet {
            self.tail.extend_from_slice(rest);
            return None;
        }
        let kind = FaultKind::IncompleteEnd { bytes: rest.len() };
        (!rest.is_empty()).then_some(Err(Fault { offset: *self.offset, kind }))
    }

    /// Passes over a frame of an unknown type, of which only the beginning is here.
    #[cold]
    fn pass_over(&mut self, length: usize, here: usize, kind: u32) -> Fault {
        let kind = FaultKind::UnknownType { kind, length: length as u32 };
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
        *self.ended = Some(fault).filter(|_| !self.is_packet);
        self.completed = &[];
        self.rest = &[];
        self.tail.clear();
        fault
    }
}

impl Drop for Frames<'_> {
    fn drop(&mut self) {
        if self.is_packet {
            return;
        }
        if !self.completed.is_empty() {
            self.tail.splice(..0, self.completed.iter().copied());
        }
        self.tail.extend_from_slice(self.rest);
    }
}
