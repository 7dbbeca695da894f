//! Edits that could not be sent.

use std::{error::Error, fmt};

use legion_transform::legion::Entity;

use super::{clean::Trs, nodes::Form};
use crate::{merge::WriteError, wire::SceneEntity};

/// An edit that could not be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendError {
    /// The scene entity that was edited.
    pub scene: SceneEntity,
    /// The Legion entity that stands for it.
    pub entity: Entity,
    /// Why.
    pub kind: SendErrorKind,
}

/// Why an edit could not be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SendErrorKind {
    /// The replica refused it. (The next [`apply`](super::Mirror::apply) undoes edits of a dead
    /// entity that stays only for its children, and brings back a despawned entity that may not be
    /// deleted.)
    Refused(WriteError),
    /// Its `Parent` is no entity of this scene, or one that others do not know: the entity is of a
    /// network and its parent is not, or the other way round. (The other edits of the entity were
    /// sent.)
    ParentOutsideScene {
        /// The parent.
        parent: Entity,
    },
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (entity, scene) = (self.entity, self.scene);
        match self.kind {
            SendErrorKind::Refused(error) => {
                write!(f, "an edit of {entity:?} was not sent: {error}")
            }
            SendErrorKind::ParentOutsideScene { parent } => write!(
                f,
                "{entity:?} stands for {scene}, and its new Parent {parent:?} for no entity that \
                 others know: choose a parent that the mirror made, for an entity of a network one \
                 of a network, too"
            ),
        }
    }
}

impl Error for SendError {}

/// Why [`send_edits`](super::Mirror::send_edits) did not look at anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotReady {
    /// The mirror shows nothing yet, so there is nothing that could have been edited.
    NeverApplied,
    /// The last [`apply`](super::Mirror::apply) was to another world: all would look despawned in
    /// this one.
    OtherWorld,
    /// The last [`apply`](super::Mirror::apply) was from another replica (a clone is another one).
    OtherReplica,
}

impl fmt::Display for NotReady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NeverApplied => {
                "no edits were looked for, since nothing was applied yet: call Mirror::apply first"
            }
            Self::OtherWorld => {
                "no edits were looked for, since the mirror shows the scene in another world: call \
                 Mirror::apply with this one first"
            }
            Self::OtherReplica => {
                "no edits were looked for, since the mirror shows another replica: call \
                 Mirror::apply with this one first"
            }
        })
    }
}

impl Error for NotReady {}

/// The refused edits of a node, kept so that each is reported once.
#[derive(Clone, Debug, Default)]
pub(super) struct Refused {
    pub parent: Option<Entity>,
    pub write: Option<(Trs, Form, WriteError)>,
}
