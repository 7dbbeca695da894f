//! The sorts of edits, to leave some out.

use super::{model::Model, steps::Step};
use crate::value::Type;

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

impl Model {
    /// Whether a step is of a sort that is left out.
    pub(super) fn is_left_out(&self, step: &Step) -> bool {
        let sort = match step {
            Step::Spawn { .. } | Step::Extend(_) | Step::Merge(..) => Edit::Spawn,
            Step::Despawn(_) | Step::Clear => Edit::Despawn,
            Step::Parent(..) | Step::Link(..) => Edit::Parent,
            Step::Unparent(_) | Step::Unlink(_) => Edit::Unparent,
            Step::Put(name, value) => {
                let has = |what: Type| self.get(*name).is_some_and(|it| it.types().contains(&what));
                if has(value.component()) { Edit::Write } else { Edit::Add }
            }
            Step::Write(..) | Step::Touch(..) | Step::Each(..) => Edit::Write,
            Step::Remove(..) => Edit::Remove,
            Step::Tag(_) | Step::Untag(_) | Step::Travel => Edit::Migrate,
            Step::Run | Step::Record(..) | Step::List(..) | Step::Own(_) => return false,
        };
        self.allow.without.contains(&sort)
    }
}
