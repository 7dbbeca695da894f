//! The components that tie an entity to a network: `NetworkEntity` and `NetworkParent`.

use super::{EntityId, SceneEntity};

/// The component id of the SDK's `core-schema::Network-Entity`: the networked entity that a plain
/// one stands for.
pub const NETWORK_ENTITY: u32 = 1_075_645_054;

/// The component id of the SDK's `core-schema::Network-Parent`: the networked entity that is the
/// parent, whatever the `Transform` says.
pub const NETWORK_PARENT: u32 = 1_420_531_287;

/// The value of both components: an entity in a network.
///
/// On the wire the network id has 64 bits and comes first. The SDK gives it 32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NetworkEntity {
    /// The network id: in the SDK the id of the peer that made the entity, or 0 where all peers
    /// make it alike.
    pub network: u32,
    /// The entity's id there.
    pub entity: EntityId,
}

impl NetworkEntity {
    /// Its length on the wire, in bytes.
    pub const LEN: usize = 12;

    /// Reads it. `None` if the bytes are not 12, or no message could carry the network id.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; Self::LEN] = bytes.try_into().ok()?;
        let (&network, entity) = bytes.split_first_chunk()?;
        let network = u32::try_from(i64::from_le_bytes(network)).ok()?;
        Some(Self { network, entity: EntityId(u32::from_le_bytes(entity.try_into().ok()?)) })
    }

    /// Writes it.
    #[must_use]
    pub fn to_bytes(self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[..8].copy_from_slice(&i64::from(self.network).to_le_bytes());
        bytes[8..].copy_from_slice(&self.entity.0.to_le_bytes());
        bytes
    }
}

impl From<NetworkEntity> for SceneEntity {
    fn from(NetworkEntity { network, entity }: NetworkEntity) -> Self {
        Self { network: Some(network), entity }
    }
}
