//! Faults in a stream of messages.

use std::{error::Error, fmt};

/// Something wrong in a stream, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where the frame begins, in bytes from the beginning of the stream.
    pub offset: u64,
    /// The mistake in it.
    pub kind: FaultKind,
}

/// A mistake in a frame. A [fatal](Self::is_fatal) one ends the stream, or the packet; others cost
/// at most one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// Refused: more bytes at once than the reader's limit. Nothing was read. Pass the same bytes
    /// in smaller pieces.
    BatchTooLarge {
        /// How many there were.
        bytes: usize,
        /// How many there may be.
        limit: usize,
    },
    /// Fatal: the frame's length is less than its own header, so the start of the next one
    /// is unknown.
    LengthBelowHeader {
        /// The length.
        length: u32,
    },
    /// Fatal: the frame is longer than the reader's limit.
    FrameTooLong {
        /// The length, by its fields.
        length: u64,
        /// The limit.
        limit: usize,
    },
    /// The type is none of the known ones; the frame was skipped.
    UnknownType {
        /// The type.
        kind: u32,
        /// The frame's length.
        length: u32,
    },
    /// The frame's header says another length than its fields. The message was read by its fields,
    /// as other programs do. (Of the deletion of an entity of a network it may say 12, as old SDKs
    /// do, where it has 16 bytes: that is not a fault.)
    LengthMismatch {
        /// The type.
        kind: u32,
        /// The length in the header.
        length: u32,
        /// The length by the fields.
        expected: u64,
    },
    /// A packet ends within a frame. That beginning of a frame was dropped.
    IncompleteEnd {
        /// How many bytes there were of it.
        bytes: usize,
    },
}

impl Fault {
    /// Whether the stream, or the packet, ends here.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        self.kind.is_fatal()
    }
}

impl FaultKind {
    /// Whether the stream, or the packet, ends here.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        matches!(self, Self::LengthBelowHeader { .. } | Self::FrameTooLong { .. })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.kind)
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::BatchTooLarge { bytes, limit } => {
                write!(
                    f,
                    "{bytes} bytes at once, and the limit is {limit}: pass them in smaller pieces, \
                     or raise the limit"
                )
            }
            Self::LengthBelowHeader { length } => {
                write!(
                    f,
                    "a frame of {length} bytes is shorter than its header of 8: what follows it \
                     cannot be read"
                )
            }
            Self::FrameTooLong { length, limit } => write!(
                f,
                "a frame of {length} bytes, and the limit is {limit}: the stream is not followed \
                 further; raise the limit if such frames are wanted"
            ),
            Self::UnknownType { kind, length } => {
                write!(f, "message type {kind} is unknown, its {length} bytes were skipped")
            }
            Self::LengthMismatch { kind, length, expected } => write!(
                f,
                "a message of type {kind} says that it has {length} bytes, and its fields that it \
                 has {expected}: it was read by its fields"
            ),
            Self::IncompleteEnd { bytes } => write!(
                f,
                "the packet ends within a message, of which {bytes} bytes are there: they were \
                 dropped"
            ),
        }
    }
}

impl Error for Fault {}
