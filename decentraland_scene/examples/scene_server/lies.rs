//! What a client sends that lies.

use decentraland_scene::wire::{EntityId, Message, MessageTooLong, SceneTransform, TRANSFORM};

use crate::{
    frames::frame,
    side::{Dice, NAME},
};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lie {
    /// Moves and deletes what is the host's, and sends messages that are no messages. Each costs
    /// itself only, so the client stays.
    Impostor,
    /// A message of 4 bytes, which cannot be: its header has 8. Nobody knows where the next begins.
    ShortHeader,
    /// Random bytes.
    Garbage,
    /// Values that are too long, then entities without end.
    Flood,
}

/// What the server counts of an [`Impostor`](Lie::Impostor): `Transform`s, deletions, faults.
pub const REFUSED: (u64, u64, u64) = (6, 3, 4);

impl Lie {
    /// The bytes that it sends after an honest frame.
    pub fn bytes(self, number: u32) -> Result<Vec<u8>, MessageTooLong> {
        Ok(match self {
            Self::Impostor => frame(number, &impostor()?),
            Self::ShortHeader => frame(number, &[4, 0, 0, 0, 1, 0, 0, 0]),
            Self::Garbage => {
                let mut dice = Dice(number.into());
                let garbage: Vec<u8> = (0..4000).map(|_| dice.roll(256) as u8).collect();
                frame(number, &garbage)
            }
            Self::Flood => frame(number, &flood()?),
        })
    }
}

fn impostor() -> Result<Vec<u8>, MessageTooLong> {
    let mut bytes = Vec::new();
    let far_away = SceneTransform { position: [1e6; 3], ..SceneTransform::IDENTITY }.to_bytes();
    // The root, the player, the camera, and the avatars of three others.
    for entity in (0..6).map(EntityId) {
        put(entity, TRANSFORM, &far_away).write(&mut bytes)?;
    }
    for entity in [0, 3, 511].map(EntityId) {
        Message::DeleteEntity { network: None, entity }.write(&mut bytes)?;
    }
    // Four faults: only a host is authoritative,
    let (entity, component, timestamp) = (EntityId(512), TRANSFORM, 0);
    Message::AuthoritativePutComponent { entity, component, timestamp, data: &far_away }
        .write(&mut bytes)?;
    // a Transform has 44 bytes,
    put(EntityId(512), TRANSFORM, &far_away[..40]).write(&mut bytes)?;
    // there is no type 99,
    bytes.extend([12, 0, 0, 0, 99, 0, 0, 0, 0, 0, 0, 0]);
    // and a deletion of an entity has 12 bytes, not 16.
    bytes.extend([16, 0, 0, 0, 3, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0]);
    Ok(bytes)
}

/// 20 values that are longer than `Limits::bytes_per_key`, then 68 bytes for each of 1000 entities.
fn flood() -> Result<Vec<u8>, MessageTooLong> {
    let mut bytes = Vec::new();
    for _ in 0..20 {
        put(EntityId(512), NAME, &[b'A'; 2000]).write(&mut bytes)?;
    }
    let value = SceneTransform::IDENTITY.to_bytes();
    for entity in (20_000..21_000).map(EntityId) {
        put(entity, TRANSFORM, &value).write(&mut bytes)?;
    }
    Ok(bytes)
}

/// With a timestamp above all honest ones.
fn put(entity: EntityId, component: u32, data: &[u8]) -> Message<'_> {
    Message::PutComponent { network: None, entity, component, timestamp: 1_000_000, data }
}
