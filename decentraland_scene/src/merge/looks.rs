//! Entities to look at again, though their own `Transform` was not written: they died, or something
//! that they are tied to changed.

use hashbrown::HashSet;

use super::log::{Clock, Log};
use crate::wire::SceneEntity;

/// What to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Look {
    /// This entity.
    At(SceneEntity),
    /// This entity of a network, and all that [are tied](super::networks) to it. They are found
    /// when a follower reads: a parent of 100,000 that changes back and forth costs one look.
    AllTiedTo(SceneEntity),
}

/// The looks of the last epochs. They do not collect for ever: beyond the number of slots the older
/// half is forgotten, and a follower that has not read it begins anew.
#[derive(Clone, Debug, Default)]
pub(super) struct Looks {
    log: Log<Look>,
    /// Those of the last epoch that has any: each stands there once.
    current: HashSet<Look>,
    epoch: u32,
    /// The first epoch whose looks are all here.
    since: u32,
}

impl Looks {
    const LEAST: usize = 1024;

    pub fn push(&mut self, look: Look, clock: &mut Clock, slots: usize) {
        let stamp = clock.stamp();
        if self.epoch != stamp.epoch {
            self.epoch = stamp.epoch;
            // To clear it would cost as much as the most looks that one epoch ever had.
            self.current = HashSet::default();
        }
        if !self.current.insert(look) {
            return;
        }
        if self.log.len() >= slots.max(Self::LEAST) {
            self.since = self.log.forget_half();
            // Without readers one epoch may last for ever. Once a part of it is forgotten, no
            // reader reads the rest, so a look may stand there twice.
            if self.since > stamp.epoch {
                self.current = HashSet::from_iter([look]);
            }
        }
        self.log.push(look, stamp);
    }

    /// The looks from an epoch on; `None` if some of them were forgotten.
    pub fn since(&self, epoch: u32) -> Option<impl Iterator<Item = Look>> {
        (epoch >= self.since).then(|| self.log.since(epoch).map(|entry| entry.item))
    }
}
