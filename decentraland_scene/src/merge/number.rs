//! An entity number, with all of its versions. The id of an entity of a network is not split: it is
//! a number of its own, without versions.
//!
//! ```text
//!  plain 512v3      number 512, version 3
//!  (7, 34465)       number 34465 of network 7, though 34465 + 65536 has the same lower half
//! ```

use hashbrown::HashMap;

use super::{limits::Cost, role::Role, versions::Versions};
use crate::wire::{EntityId, SceneEntity};

/// An entity number: the versions that exist, and the versions that died.
#[derive(Clone, Debug, Default)]
pub(super) struct Number {
    /// One above the highest version that died. Nothing below it may live, unless the number is
    /// reserved.
    pub alive_from: u32,
    /// The last epoch in which its death stands in the log.
    pub logged: u32,
    pub versions: Versions,
}

/// The version by which an entity differs from others with its number.
#[inline]
pub(super) fn version(scene: SceneEntity) -> u16 {
    if scene.network.is_some() { 0 } else { scene.entity.version() }
}

fn key(scene: SceneEntity) -> u64 {
    match scene.network {
        None => u64::from(scene.entity.number()),
        Some(network) => u64::from(network) << 32 | u64::from(scene.entity.0),
    }
}

/// All numbers that are known.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    plain: HashMap<u64, Number>,
    networked: HashMap<u64, Number>,
}

impl Numbers {
    #[inline(always)]
    pub fn get(&self, scene: SceneEntity) -> Option<&Number> {
        let numbers = if scene.network.is_none() { &self.plain } else { &self.networked };
        numbers.get(&key(scene))
    }

    /// The entity's number, from now on known.
    #[inline(always)]
    pub fn entry(&mut self, scene: SceneEntity) -> &mut Number {
        let numbers = if scene.network.is_none() { &mut self.plain } else { &mut self.networked };
        numbers.entry(key(scene)).or_default()
    }

    pub fn len(&self) -> usize {
        self.plain.len() + self.networked.len()
    }

    /// All of them, each with an entity that has it.
    pub fn iter(&self) -> impl Iterator<Item = (SceneEntity, &Number)> {
        let plain = self
            .plain
            .iter()
            .map(|(&key, number)| (SceneEntity::local(EntityId(key as u32)), number));
        let networked = self.networked.iter().map(|(&key, number)| {
            (SceneEntity::networked((key >> 32) as u32, EntityId(key as u32)), number)
        });
        plain.chain(networked)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (SceneEntity, &mut Number)> {
        let plain = self.plain.iter_mut();
        let plain = plain.map(|(&key, number)| (SceneEntity::local(EntityId(key as u32)), number));
        let networked = self.networked.iter_mut().map(|(&key, number)| {
            (SceneEntity::networked((key >> 32) as u32, EntityId(key as u32)), number)
        });
        plain.chain(networked)
    }
}

/// The highest version of an entity's number that died.
pub(super) fn dead_entity(scene: SceneEntity, number: &Number) -> Option<SceneEntity> {
    let version = number.alive_from.checked_sub(1)?;
    Some(match scene.network {
        None => SceneEntity::local(EntityId::new(scene.entity.number(), version as u16)),
        Some(_) => scene,
    })
}

/// The size of the death of an entity number. A reserved number has no tombstone: only a host dumps
/// that it was given.
pub(super) fn cost_of_death(scene: SceneEntity, role: Role) -> Cost {
    match scene.network {
        _ if scene.is_reserved() && role == Role::Host => Cost::message(12, false),
        _ if scene.is_reserved() => Cost::default(),
        None => Cost::message(12, true),
        Some(_) => Cost::message(16, true),
    }
}
