//! The outcome of merging a message.

use super::limits::LimitKind;
use crate::wire::Message;

/// The outcome of merging a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome<'a> {
    /// It won, and is part of the state now.
    Accepted,
    /// It is part of the state already.
    Duplicate,
    /// It lost. Its sender does not know yet: answer with `winner`, the correction.
    Outdated {
        /// The winning state, as a message.
        winner: Message<'a>,
    },
    /// Ignored: the entity is gone for good.
    DeadEntity,
    /// Ignored: the `Transform`s of reserved entities (0 to 511) are the host's, and so are its
    /// [components](super::ReplicaOptions::host_components) of players; the root has no
    /// `Transform`.
    HostPlaced,
    /// Ignored: reserved entities (0 to 511) are the host's to delete, and the root is never
    /// deleted.
    Reserved,
    /// Ignored: the sender of this `AUTHORITATIVE_PUT_COMPONENT` is not [obeyed](super::Authority).
    NotAuthorized,
    /// Ignored: it is about a component that is not kept, or an appended value that is older than
    /// all that are kept.
    Dropped,
    /// Rejected: a `Transform` has 44 bytes.
    WrongLength {
        /// Its length.
        length: usize,
    },
    /// Refused: one of the [`Limits`](super::Limits) is reached.
    OverLimit {
        /// The limit.
        limit: LimitKind,
    },
}
