//! Writes of our own that are refused.

use std::{error::Error, fmt};

use super::limits::LimitKind;
use crate::wire::Key;

/// A write of our own that was refused. Nothing changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteError {
    /// The key of the write; the component is 0 if it was about a whole entity.
    pub key: Key,
    /// Why it was refused.
    pub kind: WriteErrorKind,
}

/// The reason why a write of our own was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteErrorKind {
    /// The timestamp is at its highest, and would begin again at 0.
    TimestampExhausted,
    /// The entity is gone for good.
    DeadEntity,
    /// The `Transform`s of reserved entities (0 to 511) are the host's, and so are its
    /// [components](super::ReplicaOptions::host_components) of players; the root has no
    /// `Transform`.
    HostPlaced,
    /// Reserved entities (0 to 511) are the host's to delete, and the root is never deleted.
    Reserved,
    /// One of the [`Limits`](super::Limits) is reached.
    OverLimit {
        /// Which.
        limit: LimitKind,
    },
    /// A `Transform` has 44 bytes.
    WrongLength {
        /// How many it had.
        length: usize,
    },
    /// More data than a message can carry.
    TooLong {
        /// How many bytes.
        length: usize,
    },
    /// The replica does not keep components other than `Transform`.
    NotKept,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key;
        match self.kind {
            WriteErrorKind::TimestampExhausted => write!(
                f,
                "{key} was written as often as its timestamp can count: delete the entity and go \
                 on with the next version of its number, or, as the host, put_with_authority"
            ),
            WriteErrorKind::DeadEntity => write!(
                f,
                "{} was deleted for good: use a higher version of its number, or another number",
                key.scene_entity()
            ),
            WriteErrorKind::HostPlaced => write!(
                f,
                "{key} is the host's to write: make an entity of the scene a child of that one and \
                 write it, or be the host (ReplicaOptions::role)"
            ),
            WriteErrorKind::Reserved => write!(
                f,
                "{} is the host's to delete: delete entities with a number from 512 on, or be the \
                 host (ReplicaOptions::role)",
                key.scene_entity()
            ),
            WriteErrorKind::OverLimit { limit } => write!(
                f,
                "{key} was not written, the replica's limit of {limit} is reached: delete \
                 something, or raise Limits::{limit}"
            ),
            WriteErrorKind::WrongLength { length } => {
                write!(
                    f,
                    "{key} is a Transform and has 44 bytes, not {length}: take them from \
                     SceneTransform::to_bytes"
                )
            }
            WriteErrorKind::TooLong { length } => {
                write!(
                    f,
                    "{length} bytes for {key} are more than a message can carry: send less data"
                )
            }
            WriteErrorKind::NotKept => {
                write!(
                    f,
                    "{key} is not a Transform, and no others are kept: set \
                     ReplicaOptions::keep_other_components"
                )
            }
        }
    }
}

impl Error for WriteError {}
