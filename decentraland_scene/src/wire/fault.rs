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

/// A mistake in a frame. A [fatal](Self::is_fatal) one ends the stream, others cost one frame.
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
        /// The length.
        length: u32,
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
    /// The frame's length is not the one that its type and its data length give; the frame was
    /// skipped. (The deletion of an entity of a network may say 12 where it has 16 bytes, as old
    /// SDKs do.)
    LengthMismatch {
        /// The type.
        kind: u32,
        /// The frame's length.
        length: u32,
        /// What it should be; the least it could be where the data length itself is missing.
        expected: u64,
    },
}

impl Fault {
    /// Whether the stream ends here.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        self.kind.is_fatal()
    }
}

impl FaultKind {
    /// Whether the stream ends here.
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
                    "a frame of {length} bytes is shorter than its header of 8: the stream cannot \
                     be followed further"
                )
            }
            Self::FrameTooLong { length, limit } => write!(
                f,
                "a frame of {length} bytes, and the limit is {limit}: the stream is not followed \
                 further; \
                 raise the limit if such frames are wanted"
            ),
            Self::UnknownType { kind, length } => {
                write!(f, "message type {kind} is unknown, its {length} bytes were skipped")
            }
            Self::LengthMismatch { kind, length, expected } => write!(
                f,
                "a message of type {kind} with {length} bytes, where its own fields say \
                 {expected}: it was skipped"
            ),
        }
    }
}

impl Error for Fault {}
