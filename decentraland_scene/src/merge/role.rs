//! Who writes: a scene, its host, or another replica of the scene.

use crate::wire::{EntityId, SceneEntity};

/// The part that a program has in a scene, which says what it may write.
///
/// | | scene, peer | host |
/// | --- | --- | --- |
/// | `Transform` of 0, the root | no effect | no effect |
/// | `Transform` of 1 (player), 2 (camera), 3 to 511 (others) | no effect | written |
/// | deletion of the entities 1 to 511 | refused | components go, no tombstone stays |
/// | [host components](super::ReplicaOptions::host_components) of 3 to 511 | no effect | written |
/// | other components of 0 to 511, from timestamp 2^31 on | no effect | written |
///
/// All else is the same for all, and for the entities of networks everything is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// The program of the scene.
    #[default]
    Scene,
    /// The renderer, client or server that runs the scene. It moves the players.
    Host,
    /// Another replica of the scene.
    Peer,
}

impl Role {
    /// Whether its writes of the entity's `Transform` have an effect.
    #[inline]
    pub(super) fn places(self, scene: SceneEntity) -> bool {
        !scene.is_reserved() || self.rules(scene)
    }

    /// Whether it may write a component of the entity with this timestamp.
    pub(super) fn may_count_to(self, scene: SceneEntity, timestamp: Option<u32>) -> bool {
        /// Far above what a program counts to that writes 60 times a second for a year.
        const OF_HOSTS: u32 = 1 << 31;
        !scene.is_reserved() || self == Self::Host || timestamp.is_none_or(|at| at < OF_HOSTS)
    }

    /// Whether it may write the `Transform` of a reserved entity, and delete it.
    pub(super) fn rules(self, scene: SceneEntity) -> bool {
        self == Self::Host && scene.entity.number() != EntityId::ROOT.number()
    }
}

/// The program that sent a message.
#[derive(Clone, Copy)]
pub(super) struct Sender {
    pub role: Role,
    /// Whether its `AUTHORITATIVE_PUT_COMPONENT` counts.
    pub is_obeyed: bool,
    /// Whether its puts and deletions of components are taken whatever the timestamps.
    pub has_authority: bool,
}

impl Sender {
    /// One whose puts and deletions are taken.
    pub fn with_authority(role: Role) -> Self {
        Self { role, is_obeyed: false, has_authority: true }
    }
}

impl From<Role> for Sender {
    fn from(role: Role) -> Self {
        Self { role, is_obeyed: role == Role::Host, has_authority: false }
    }
}
