//! The names of things in a scene.

use std::{
    fmt,
    hash::{Hash, Hasher},
};

/// The component id of `core::Transform`.
pub const TRANSFORM: u32 = 1;

/// A scene's entity: `version << 16 | number`. Numbers are reused, with a higher version.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EntityId(pub u32);

impl EntityId {
    /// The root: the parent of all entities without another one.
    pub const ROOT: Self = Self(0);
    /// The player's avatar.
    pub const PLAYER: Self = Self(1);
    /// The player's camera.
    pub const CAMERA: Self = Self(2);
    /// Numbers below this one belong to the host; a scene's own entities begin here.
    pub const FIRST_UNRESERVED: u16 = 512;

    /// The entity with this number and version.
    #[must_use]
    #[inline]
    pub const fn new(number: u16, version: u16) -> Self {
        Self((version as u32) << 16 | number as u32)
    }

    /// The lower half.
    #[must_use]
    #[inline]
    pub const fn number(self) -> u16 {
        self.0 as u16
    }

    /// The upper half: how often the number was reused.
    #[must_use]
    #[inline]
    pub const fn version(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// Whether the number is below 512: such a plain entity belongs to the host.
    #[must_use]
    #[inline]
    pub const fn is_reserved(self) -> bool {
        self.number() < Self::FIRST_UNRESERVED
    }
}

impl fmt::Debug for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version() {
            0 => write!(f, "{}", self.number()),
            version => write!(f, "{}v{version}", self.number()),
        }
    }
}

/// An entity and its network. Entities of a network share nothing with the plain ones: not the
/// values of the same id, and none of theirs is reserved. Their ids are opaque: (7, 34465) and (7,
/// 100001) have the same lower half, and nothing else in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SceneEntity {
    /// The network id; `None` for plain entities, which messages 1 to 4 name. 0 is a network.
    pub network: Option<u32>,
    /// The entity in that network.
    pub entity: EntityId,
}

impl SceneEntity {
    /// The root of the scene.
    pub const ROOT: Self = Self::local(EntityId::ROOT);
    /// The player's avatar.
    pub const PLAYER: Self = Self::local(EntityId::PLAYER);
    /// The player's camera.
    pub const CAMERA: Self = Self::local(EntityId::CAMERA);

    /// A plain entity, of the scene's own or the host's.
    #[must_use]
    #[inline]
    pub const fn local(entity: EntityId) -> Self {
        Self { network: None, entity }
    }

    /// An entity of a network.
    #[must_use]
    #[inline]
    pub const fn networked(network: u32, entity: EntityId) -> Self {
        Self { network: Some(network), entity }
    }

    /// Its component with this id.
    #[must_use]
    #[inline]
    pub const fn key(self, component: u32) -> Key {
        Key { network: self.network, entity: self.entity, component }
    }

    /// Whether it is a player other than this program's own: a plain entity with a number from 3 to
    /// 511.
    pub(crate) const fn is_other_player(self) -> bool {
        self.is_reserved() && self.entity.number() > EntityId::CAMERA.number()
    }

    /// Whether it belongs to the host: a plain entity with a number from 0 to 511.
    #[must_use]
    #[inline]
    pub const fn is_reserved(self) -> bool {
        self.network.is_none() && self.entity.is_reserved()
    }
}

impl Hash for SceneEntity {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        // One number, as maps of entities are looked up for each message. Network 0 and none share
        // theirs, which is rare.
        let network = u64::from(self.network.unwrap_or(0));
        state.write_u64(network << 32 | u64::from(self.entity.0));
    }
}

impl fmt::Display for SceneEntity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.network {
            None => write!(f, "entity {}", self.entity),
            Some(network) => write!(f, "entity {} of network {network}", self.entity.0),
        }
    }
}

/// A key, for which messages compete: one component of one entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Key {
    /// The network id; `None` for plain entities.
    pub network: Option<u32>,
    /// The entity in that network.
    pub entity: EntityId,
    /// The component's id.
    pub component: u32,
}

impl Key {
    /// The entity without the component.
    #[must_use]
    #[inline]
    pub const fn scene_entity(self) -> SceneEntity {
        SceneEntity { network: self.network, entity: self.entity }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "component {} of {}", self.component, self.scene_entity())
    }
}
