//! Where warnings go: to a subscriber of `tracing`, where the feature is on and the program has set
//! one; otherwise to standard error, in debug builds.

use std::{collections::HashSet, fmt};

use legion::world::WorldId;
#[cfg(feature = "tracing")]
use tracing::dispatcher::has_been_set as has_subscriber;

use super::{FindingGroup, Findings};

/// Whether a warning goes anywhere now.
pub(crate) fn are_wanted() -> bool {
    #[cfg(feature = "tracing")]
    if has_subscriber() {
        return tracing::enabled!(target: "legion_transform", tracing::Level::WARN);
    }
    cfg!(debug_assertions)
}

/// A warning: an event, or a line.
pub(crate) fn warn(text: fmt::Arguments<'_>) {
    #[cfg(feature = "tracing")]
    if has_subscriber() {
        tracing::warn!(target: "legion_transform", "{text}");
        return;
    }
    eprintln!("legion_transform: {text}");
}

impl Findings {
    /// Warns of each finding that is not among these, of the run before. On standard error it is
    /// one line for each kind, because many entities often share a mistake.
    pub(crate) fn warn_of_new(&self, world: WorldId, groups: &[FindingGroup]) {
        if groups.is_empty() || self.is_quiet || !are_wanted() {
            return;
        }
        let known: HashSet<_> =
            self.of_id(world).filter(|finding| !finding.kind.is_repaired()).collect();
        for group in groups {
            let mut new = group.iter().filter(|finding| !known.contains(finding));
            #[cfg(feature = "tracing")]
            if has_subscriber() {
                for finding in new {
                    let (kind, entity) = (&finding.kind, &finding.entity);
                    tracing::warn!(target: "legion_transform", ?kind, ?entity, "{finding}");
                }
                continue;
            }
            let Some(first) = new.next() else { continue };
            match new.count() {
                0 => warn(format_args!("{first}")),
                others => warn(format_args!("{first} (and {others} more)")),
            }
        }
    }
}
