//! Which components were written with authority, and when.

use std::collections::BTreeMap;

use super::log::Clock;
use crate::wire::{Key, SceneEntity};

/// The keys that were written with authority, each with the epoch in which it last was.
#[derive(Clone, Debug, Default)]
pub(super) struct Authoritative(BTreeMap<Key, u32>);

impl Authoritative {
    pub fn note(&mut self, key: Key, clock: &mut Clock) {
        self.0.insert(key, clock.stamp().epoch);
    }

    /// Forgets an entity that died.
    pub fn forget(&mut self, dead: SceneEntity) {
        while let Some((&key, _)) = self.0.range(dead.key(0)..=dead.key(u32::MAX)).next() {
            self.0.remove(&key);
        }
    }

    /// Call when epochs begin anew.
    pub fn begin_anew(&mut self, clock: &Clock) {
        self.0.values_mut().for_each(|epoch| *epoch = clock.epoch());
    }

    /// Whether a key was written with authority from an epoch on.
    pub fn has(&self, key: Key, since: u32) -> bool {
        self.0.get(&key).is_some_and(|&epoch| epoch >= since)
    }
}
