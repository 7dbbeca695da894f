//! The players that left, so that others hear of it.
//!
//! A host's deletion of a player drops that id alone, and leaves no tombstone: the id may come
//! back. So a replica keeps little of it:
//!
//! - the last departures, for readers that read now and then; a reader that is further behind hears
//!   of all versions that ever left;
//! - for each of the 512 reserved numbers one timestamp. Scenes of the SDK go on counting where the
//!   player before left off, so a write that begins at 1 again would lose:
//!
//! ```text
//!  ours   put 40 at 1 .. 9   delete 40   put 40 at 10
//!  SDK    counts to 9        stays at 9  10 is newer: shown
//! ```

use hashbrown::HashMap;

use super::log::{Log, Stamp};
use crate::wire::{EntityId, SceneEntity};

#[derive(Clone, Debug, Default)]
pub(super) struct Departures {
    log: Log<EntityId>,
    /// The first epoch whose departures are all in the log.
    since: u32,
    /// By number, the highest timestamp that a component had which went with a player.
    timestamps: HashMap<u16, u32>,
}

impl Departures {
    /// The log is at least this long before anything is forgotten.
    const LEAST: usize = 4096;

    /// Notes that a player left, with the highest timestamp of its components. `alive` is how many
    /// entities there are.
    pub fn push(&mut self, player: SceneEntity, timestamp: u32, stamp: Stamp, alive: usize) {
        if self.log.len() >= Self::LEAST.max(2 * alive) {
            self.since = self.log.forget_half();
        }
        self.log.push(player.entity, stamp);
        let last = self.timestamps.entry(player.entity.number()).or_default();
        *last = timestamp.max(*last);
    }

    /// The highest timestamp that others may know of an entity that left.
    #[inline]
    pub fn timestamp(&self, scene: SceneEntity) -> u32 {
        if !scene.is_reserved() {
            return 0;
        }
        self.timestamps.get(&scene.entity.number()).copied().unwrap_or(0)
    }

    /// The players that left from an epoch on.
    pub fn since(&self, epoch: u32) -> impl Iterator<Item = (SceneEntity, Stamp)> {
        self.log.since(epoch).map(|entry| (SceneEntity::local(entry.item), entry.stamp))
    }

    /// Notes that players left before this replica began: a reader that begins anew hears of all
    /// versions that ever left.
    pub fn begin_earlier(&mut self) {
        self.since = self.since.max(1);
    }

    /// Whether players may have left from an epoch on.
    pub fn may_be_new_since(&self, epoch: u32) -> bool {
        let last = self.log.last().map(|entry| entry.stamp.epoch);
        !self.are_known_since(epoch) || last.is_some_and(|last| last >= epoch)
    }

    /// Whether all of them are known that left from an epoch on.
    pub fn are_known_since(&self, epoch: u32) -> bool {
        epoch >= self.since
    }

    /// Forgets who left: all readers begin anew.
    pub fn forget(&mut self) {
        self.log = Log::default();
        self.since = 1;
    }
}
