//! An entity number, with all of its versions.

use super::{limits::Cost, versions::Versions};
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

/// The network, 0 for none, and the number.
#[inline]
pub(super) fn number_key(scene: SceneEntity) -> u64 {
    let network = scene.network.map_or(0, |network| u64::from(network) + 1);
    network << 16 | u64::from(scene.entity.number())
}

/// The highest version of the number that died.
pub(super) fn dead_entity(key: u64, number: &Number) -> Option<SceneEntity> {
    let version = number.alive_from.checked_sub(1)?;
    let network = (key >> 16).checked_sub(1).map(|network| network as u32);
    Some(SceneEntity { network, entity: EntityId::new(key as u16, version as u16) })
}

/// The size of the death of an entity number. A reserved number has no tombstone.
pub(super) fn cost_of_death(scene: SceneEntity) -> Cost {
    match scene.network {
        _ if scene.is_reserved() => Cost::default(),
        None => Cost::message(12, true),
        Some(_) => Cost::message(16, true),
    }
}
