//! The value of `core::Transform`.

use super::EntityId;

/// A `core::Transform` of the wire: left-handed, nothing cleaned. All 44 bytes of any value come
/// back unchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SceneTransform {
    /// Metres in the parent's space.
    pub position: [f32; 3],
    /// A quaternion, x y z w. Real scenes hold ones that are not quite units.
    pub rotation: [f32; 4],
    /// A factor an axis.
    pub scale: [f32; 3],
    /// The parent; [`EntityId::ROOT`] for none.
    pub parent: EntityId,
}

impl SceneTransform {
    /// Its length on the wire, in bytes.
    pub const LEN: usize = 44;

    /// The transform of an entity without one.
    pub const IDENTITY: Self = Self {
        position: [0.0; 3],
        rotation: [0.0, 0.0, 0.0, 1.0],
        scale: [1.0; 3],
        parent: EntityId::ROOT,
    };

    /// Reads it.
    #[must_use]
    #[inline]
    pub fn from_bytes(bytes: &[u8; Self::LEN]) -> Self {
        Self {
            position: numbers(bytes, 0),
            rotation: numbers(bytes, 12),
            scale: numbers(bytes, 28),
            parent: parent_of(bytes),
        }
    }

    /// Writes it.
    #[must_use]
    #[inline]
    pub fn to_bytes(&self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        let numbers = self.position.iter().chain(&self.rotation).chain(&self.scale);
        let words = numbers.map(|number| number.to_le_bytes()).chain([self.parent.0.to_le_bytes()]);
        for (place, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *place = word;
        }
        bytes
    }
}

impl Default for SceneTransform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// The parent alone, to follow links.
pub(crate) fn parent_of(bytes: &[u8; SceneTransform::LEN]) -> EntityId {
    EntityId(u32::from_le_bytes(std::array::from_fn(|i| bytes[40 + i])))
}

fn numbers<const N: usize>(bytes: &[u8; SceneTransform::LEN], at: usize) -> [f32; N] {
    std::array::from_fn(|n| f32::from_le_bytes(std::array::from_fn(|i| bytes[at + 4 * n + i])))
}
