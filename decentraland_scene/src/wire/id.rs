//! The names of things in a scene.

use std::fmt;

/// The component id of `core::Transform`.
pub const TRANSFORM: u32 = 1;

/// A scene's entity: `version << 16 | number`. Numbers are reused, with a higher version.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
    pub const fn new(number: u16, version: u16) -> Self {
        Self((version as u32) << 16 | number as u32)
    }

    /// The lower half.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.0 as u16
    }

    /// The upper half: how often the number was reused.
    #[must_use]
    pub const fn version(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// Whether the number belongs to the host (0 to 511).
    #[must_use]
    pub const fn is_reserved(self) -> bool {
        self.number() < Self::FIRST_UNRESERVED
    }

    /// Whether the number is the root's, the player's or the camera's: their transforms are the
    /// host's alone, and what a scene writes to them has no effect.
    #[must_use]
    pub const fn is_host_placed(self) -> bool {
        self.number() <= Self::CAMERA.number()
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

/// An entity and its network. Network 0 is the scene's own, for messages without a network id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SceneEntity {
    /// The network id, 0 for the scene's own.
    pub network: u32,
    /// The entity in that network.
    pub entity: EntityId,
}

impl SceneEntity {
    /// The player's avatar.
    pub const PLAYER: Self = Self::local(EntityId::PLAYER);
    /// The player's camera.
    pub const CAMERA: Self = Self::local(EntityId::CAMERA);

    /// An entity of the scene's own.
    #[must_use]
    pub const fn local(entity: EntityId) -> Self {
        Self { network: 0, entity }
    }

    /// Its component with this id.
    #[must_use]
    pub const fn key(self, component: u32) -> Key {
        Key { network: self.network, entity: self.entity, component }
    }

    /// The network id as messages carry it.
    pub(crate) fn network_id(self) -> Option<u32> {
        (self.network != 0).then_some(self.network)
    }
}

impl fmt::Display for SceneEntity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.network {
            0 => write!(f, "entity {}", self.entity),
            network => write!(f, "entity {} of network {network}", self.entity),
        }
    }
}

/// A key, for which messages compete: one component of one entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The network id, 0 for the scene's own.
    pub network: u32,
    /// The entity in that network.
    pub entity: EntityId,
    /// The component's id.
    pub component: u32,
}

impl Key {
    /// The entity without the component.
    #[must_use]
    pub const fn scene_entity(self) -> SceneEntity {
        SceneEntity { network: self.network, entity: self.entity }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "component {} of {}", self.component, self.scene_entity())
    }
}
