//! Messages in packets of bounded size.

use super::{connection::Connection, replica::Replica};
use crate::wire::{Key, Message, SceneTransform};

/// The greatest size of a packet: at least that of a `Transform` with its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PacketSize(usize);

impl PacketSize {
    /// The smallest: a `Transform` of another network.
    pub const LEAST: Self = Self(28 + SceneTransform::LEN);
    /// What the SDK sends at once: 12 kB.
    pub const SDK: Self = Self(12_000);

    /// This many bytes; `None` below [`LEAST`](Self::LEAST).
    #[must_use]
    pub fn new(bytes: usize) -> Option<Self> {
        Some(Self(bytes)).filter(|size| *size >= Self::LEAST)
    }

    /// How many bytes.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.0
    }
}

impl Default for PacketSize {
    fn default() -> Self {
        Self::SDK
    }
}

/// Messages in packets, each a stream of its own: they may come in any order, some again and again,
/// and [`merge_bytes`](Replica::merge_bytes) reads each by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Packets {
    /// The packets. None is empty.
    pub packets: Vec<Vec<u8>>,
    /// Messages that are longer than a packet may be, and are in none, now or later. Limit
    /// [`bytes_per_key`](super::Limits::bytes_per_key) so that there are none, or send them in
    /// another way.
    pub too_large: Vec<TooLarge>,
}

/// A message that is longer than a packet may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The key of the message.
    pub key: Key,
    /// Its length in bytes.
    pub length: usize,
}

impl Packets {
    /// Adds a message to the last packet, or to a new one.
    fn add(&mut self, message: &Message<'_>, size: PacketSize) {
        let length = message.len();
        if length > size.0 {
            let key = message.key().unwrap_or(message.scene_entity().key(0));
            self.too_large.push(TooLarge { key, length });
            return;
        }
        if self.packets.last().is_none_or(|last| last.len() + length > size.0) {
            self.packets.push(Vec::with_capacity(size.0.min(PacketSize::SDK.0)));
        }
        if let Some(last) = self.packets.last_mut() {
            message.encode(last);
        }
    }
}

impl Replica {
    /// The whole state, as [`dump`](Self::dump), in packets.
    #[must_use]
    pub fn dump_packets(&self, size: PacketSize) -> Packets {
        let mut packets = Packets::default();
        self.write_dump(|message| packets.add(message, size));
        packets
    }

    /// What the other end does not know yet, as [`delta`](Self::delta), in packets. Those of a
    /// [host](super::Role::Host) have to arrive in their order: a player may leave and come back.
    #[must_use]
    pub fn delta_packets(&mut self, connection: &mut Connection, size: PacketSize) -> Packets {
        let mut packets = Packets::default();
        self.write_delta(connection, |message| packets.add(message, size));
        packets
    }
}
