//! The sorts of edits, to leave some out.

use super::steps::Step;
use crate::world::{program::Name, value::Type};

/// A sort of edits: see [`Histories::without`](super::Histories::without).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Edit {
    /// Entities come; those of the beginning are always there.
    Spawn,
    /// Entities go, and with abuse all of them.
    Despawn,
    /// An entity gets a parent, or another one.
    Parent,
    /// An entity loses its parent.
    Unparent,
    /// A component is added.
    Add,
    /// A component that is there is written.
    Write,
    /// A component is removed.
    Remove,
    /// An entity goes to another archetype, by a component that means nothing.
    Migrate,
}

impl Edit {
    /// The sort of a step, in a world in which entities have these components. Runs and what only
    /// abuse does are of none.
    pub(super) fn of(step: &Step, has: impl Fn(Name, Type) -> bool) -> Option<Self> {
        Some(match step {
            Step::Spawn { .. } | Step::Extend(_) | Step::Merge(..) => Self::Spawn,
            Step::Despawn(_) | Step::Clear => Self::Despawn,
            Step::Parent(..) | Step::Link(..) => Self::Parent,
            Step::Unparent(_) | Step::Unlink(_) => Self::Unparent,
            Step::Put(name, value) if has(*name, value.component()) => Self::Write,
            Step::Put(..) => Self::Add,
            Step::Write(..) | Step::Touch(..) | Step::Each(..) => Self::Write,
            Step::Remove(..) => Self::Remove,
            Step::Tag(_) | Step::Untag(_) | Step::Travel => Self::Migrate,
            Step::Run | Step::Record(..) | Step::List(..) | Step::Own(_) => return None,
        })
    }
}
